// Sorting numbers that carry their place: key << 32 | place.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mixedwood {

// Four numbers, without a branch to guess.
inline void sort_four(std::uint64_t* keys) {
  const auto exchange = [&](int a, int b) {
    const std::uint64_t low = std::min(keys[a], keys[b]), high = std::max(keys[a], keys[b]);
    keys[a] = low;
    keys[b] = high;
  };
  exchange(0, 1);
  exchange(2, 3);
  exchange(0, 2);
  exchange(1, 3);
  exchange(1, 2);
}

// By merging: on numbers in no order every branch of a quicksort is a wrong guess half of the time.
inline void merge_sort(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other) {
  const std::size_t n = keys.size(), fours = n / 4 * 4;
  for (std::size_t i = 0; i < fours; i += 4) sort_four(keys.data() + i);
  std::sort(keys.begin() + static_cast<std::ptrdiff_t>(fours), keys.end());
  other.resize(n);
  for (std::size_t width = 4; width < n; width *= 2) {
    const std::uint64_t* from = keys.data();
    std::uint64_t* to = other.data();
    for (std::size_t begin = 0; begin < n; begin += 2 * width) {
      const std::uint64_t *a = from + begin, *const middle = from + std::min(begin + width, n);
      const std::uint64_t *b = middle, *const end = from + std::min(begin + 2 * width, n);
      while (a != middle && b != end) {
        const bool second = *b < *a;
        *to++ = second ? *b : *a;
        a += !second;
        b += second;
      }
      to = std::copy(a, middle, to);
      to = std::copy(b, end, to);
    }
    keys.swap(other);
  }
}

// By key, which is below `end`; the numbers come in the order of their places, and equal keys stay
// in that order.
inline void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& other,
                      std::uint64_t end) {
  if (keys.size() < 256) {
    merge_sort(keys, other);
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
