// Seeded generator (SplitMix64): the same numbers on every machine and compiler.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace mixedwood {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // A generator of its own for each of many things that share a seed, by their numbers.
  Random(std::uint64_t seed, std::uint64_t number)
      : state_(seed ^ (0x9e3779b97f4a7c15ULL * (number + 1))) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  // In 0..n-1, without bias.
  std::uint64_t below(std::uint64_t n) {
    std::uint64_t x = bits();
    if (x < n) {  // else there is nothing to reject, as the limit is below n
      const std::uint64_t limit = (0 - n) % n;
      while (x < limit) x = bits();
    }
    return (n & (n - 1)) == 0 ? x & (n - 1) : x % n;  // divisions are slow
  }
  bool coin() { return (bits() >> 63) != 0; }
  // Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
  }

 private:
  std::uint64_t state_;
};

// A seed for one of many things that share a seed, by its number.
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t number) {
  return Random(seed, number).bits();
}

}  // namespace mixedwood
