// Sums of doubles without rounding: the same for every order of the numbers and every division into
// pieces. After the small superaccumulator of Neal (2015), "Fast exact summation using small and large
// superaccumulators".
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/index.hpp"

namespace mixedwood {

class ExactSums {
 public:
  explicit ExactSums(std::size_t n_sums) : n_sums_(n_sums) {}

  std::size_t size() const { return n_sums_; }
  void add(std::size_t sum, double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
    std::uint64_t digits = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0x7ff) return add_special(sum, x);
    if (exponent > 0) digits |= std::uint64_t{1} << 52;
    if (digits == 0) return;
    // x is digits * 2^(shift - 1074), and takes up to three words of 32 bits.
    const int shift = exponent > 0 ? exponent - 1 : 0, word = shift / 32, bit = shift % 32;
    if (word < first_word_ || word + 3 > first_word_ + n_words_) make_room(word);
    std::int64_t* const words = words_.data() + sum * at(n_words_) + at(word - first_word_);
    constexpr std::uint64_t kLow = 0xffffffff;
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    words[0] += sign * static_cast<std::int64_t>((digits << bit) & kLow);
    words[1] += sign * static_cast<std::int64_t>(((digits >> 1) >> (31 - bit)) & kLow);
    words[2] += sign * static_cast<std::int64_t>(((digits >> 1) >> 31) >> (32 - bit));
    if (++n_added_ == kMost) carry();
  }
  // The sum, rounded once.
  double value(std::size_t sum) const;

 private:
  // A word has room for as many additions of 32 bits.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

  void add_special(std::size_t sum, double x);  // infinite, or not a number
  void make_room(int word);
  void carry();

  std::size_t n_sums_;
  int first_word_ = 0, n_words_ = 0;  // of 2^(32 * word - 1074)
  std::vector<std::int64_t> words_;   // sum x word
  std::vector<double> special_;       // empty: none
  std::uint64_t n_added_ = 0;
};

// The sum of numbers that lie together: what ExactSums gives, faster where their sizes are close.
double exact_sum(std::span<const double> numbers);

}  // namespace mixedwood
