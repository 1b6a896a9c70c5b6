// Sorting numbers that carry their place: key << 32 | place.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace mixedwood {

// By key, which is below `end`; the numbers come in the order of their places, and equal keys stay
// in that order.
inline void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other,
                      std::uint64_t end) {
  if (keys.size() < 256) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  constexpr int kBits = 11;
  other.resize(keys.size());
  for (int shift = 32; shift < 64 && (end - 1) >> (shift - 32) != 0; shift += kBits) {
    std::array<std::uint32_t, (1 << kBits) + 1> next{};
    const auto digit = [&](std::uint64_t key) {
      return static_cast<std::size_t>(key >> shift & ((1 << kBits) - 1));
    };
    for (const std::uint64_t key : keys) ++next[digit(key) + 1];
    for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
    for (const std::uint64_t key : keys) other[next[digit(key)]++] = key;
    keys.swap(other);
  }
}

// Whole numbers in the order of the floating-point ones; the two zeros are one.
inline std::uint64_t sortable(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0F);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}
inline std::uint64_t sortable(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
  return bits >> 63 != 0 ? ~bits : bits | 0x8000000000000000ULL;
}

}  // namespace mixedwood
