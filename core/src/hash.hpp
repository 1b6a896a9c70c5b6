// Hashes of words. They say where to look only: whoever finds something there compares it in full.
#pragma once

#include <cstdint>
#include <span>

namespace mixedwood {

inline std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32);
}

inline std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const std::uint64_t word : words) hash = hash_with(hash, word);
  return hash;
}

}  // namespace mixedwood
