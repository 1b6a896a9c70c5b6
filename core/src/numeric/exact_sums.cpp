#include "mixedwood/exact_sums.hpp"

#include <algorithm>
#include <cmath>

namespace mixedwood {
namespace {

constexpr std::int64_t kWord = std::int64_t{1} << 32;
#ifdef __SIZEOF_INT128__
__extension__ using Wide = __int128;
#endif

// Brings all words but the last between 0 and 2^32.
void carry_up(std::int64_t* words, int n_words) {
  for (int i = 0; i + 1 < n_words; ++i) {
    const std::int64_t over = words[i] >> 32;  // towards minus infinity
    words[i + 1] += over;
    words[i] -= over * kWord;
  }
}

}  // namespace

void ExactSums::add_special(std::size_t sum, double x) {
  if (special_.empty()) special_.resize(n_sums_, 0.0);
  special_[sum] += x;
}

// A number takes three words, and one more is for what is carried.
void ExactSums::make_room(int word) {
  const int first = n_words_ == 0 ? word : std::min(word, first_word_);
  const int last = std::max(word + 4, n_words_ == 0 ? 0 : first_word_ + n_words_);
  const int n_words = last - first;
  std::vector<std::int64_t> moved(n_sums_ * at(n_words), 0);
  if (n_words_ > 0) carry();
  for (std::size_t sum = 0; sum < n_sums_ && n_words_ > 0; ++sum) {
    const std::int64_t* const from = words_.data() + sum * at(n_words_);
    std::int64_t* const to = moved.data() + sum * at(n_words) + at(first_word_ - first);
    std::copy(from, from + n_words_, to);
  }
  first_word_ = first;
  n_words_ = n_words;
  words_ = std::move(moved);
}

void ExactSums::carry() {
  for (std::size_t sum = 0; sum < n_sums_; ++sum) carry_up(words_.data() + sum * at(n_words_), n_words_);
  n_added_ = 0;
}

double ExactSums::value(std::size_t sum) const {
  if (!special_.empty() && special_[sum] != 0.0) return special_[sum];  // also if not a number
  if (n_words_ == 0) return 0.0;
  const auto begin = words_.begin() + static_cast<std::ptrdiff_t>(sum * at(n_words_));
  std::vector<std::int64_t> words(begin, begin + n_words_);
  words.push_back(0);
  const int n_words = n_words_ + 1;
  carry_up(words.data(), n_words);
  const bool negative = words.back() < 0;
  if (negative) {
    for (std::int64_t& word : words) word = -word;
    carry_up(words.data(), n_words);
  }
  int top = n_words - 1;
  while (top >= 0 && words[at(top)] == 0) --top;
  if (top < 0) return 0.0;
  // The words from the top one down give at least 65 bits, of which 54 and whether any other is set
  // are enough to round. The last word of all is never larger than the others.
  const auto word = [&](int i) {
    return i >= 0 ? static_cast<std::uint64_t>(words[at(i)]) : std::uint64_t{0};
  };
  const int bits = static_cast<int>(std::bit_width(word(top)));
  std::uint64_t head = word(top) << 32 | word(top - 1);  // bits + 32 bits
  head = bits == 32 ? head : head << (32 - bits) | word(top - 2) >> bits;
  bool rest = (word(top - 2) & ((std::uint64_t{1} << bits) - 1)) != 0;
  for (int i = top - 3; i >= 0 && !rest; --i) rest = words[at(i)] != 0;
  // head * 2^exponent, with 64 bits; a subnormal sum has zeros in the place of lower bits.
  const int exponent = 32 * (first_word_ + top) + bits - 64 - 1074;
  const std::uint64_t half = head & 0x7ff;
  head >>= 11;
  if (half > 0x400 || (half == 0x400 && (rest || (head & 1) != 0))) ++head;
  const double size = std::ldexp(static_cast<double>(head), exponent + 11);
  return negative ? -size : size;
}

double exact_sum(std::span<const double> numbers) {
  ExactSums sums(1);
#ifdef __SIZEOF_INT128__
  // Numbers near the largest one have room in one wide number; the others are added one by one.
  constexpr int kRange = 40;  // of exponents: 53 bits, and 30 more for what is carried, have room
  // Neither is a sum subnormal that is not 0, nor a part of it too large.
  constexpr int kSmallest = 128, kLargest = 1900;
  constexpr std::uint64_t kDigits = (std::uint64_t{1} << 52) - 1;
  const auto exponent = [](std::uint64_t bits) { return static_cast<int>((bits >> 52) & 0x7ff); };
  int most = 0;
  for (const double x : numbers) most = std::max(most, exponent(std::bit_cast<std::uint64_t>(x)));
  const int least = most - kRange;
  if (least >= kSmallest && most <= kLargest && numbers.size() < (std::size_t{1} << 30)) {
    Wide sum = 0;
    bool others = false;
    for (const double x : numbers) {
      const auto bits = std::bit_cast<std::uint64_t>(x);
      const int above = exponent(bits) - least;
      if (above < 0) {
        if (x == 0.0) continue;
        sums.add(0, x);
        others = true;
        continue;
      }
      const Wide part = static_cast<Wide>((bits & kDigits) | (kDigits + 1)) << above;
      sum += (bits >> 63) != 0 ? -part : part;
    }
    const int unit = least - 1075;
    if (!others) return std::ldexp(static_cast<double>(sum), unit);
    constexpr std::uint64_t kPart = (std::uint64_t{1} << 48) - 1;
    sums.add(0, std::ldexp(static_cast<double>(static_cast<std::uint64_t>(sum) & kPart), unit));
    sums.add(0, std::ldexp(static_cast<double>(static_cast<std::uint64_t>(sum >> 48) & kPart), unit + 48));
    sums.add(0, std::ldexp(static_cast<double>(static_cast<std::int64_t>(sum >> 96)), unit + 96));
    return sums.value(0);
  }
#endif
  for (const double x : numbers) sums.add(0, x);
  return sums.value(0);
}

}  // namespace mixedwood
