#include "mixedwood/encoded_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "keys.hpp"

namespace mixedwood {
namespace {

// Numbers -> 0, 1, 2, ... in order of appearance. Open addressing, at most half full.
class Numbering {
 public:
  std::int32_t operator()(double x) {
    if (2 * numbers.size() >= slots_.size()) enlarge();
    const std::size_t slot = find(x);
    if (slots_[slot] < 0) {
      slots_[slot] = static_cast<std::int32_t>(numbers.size());
      numbers.push_back(x);
    }
    return slots_[slot];
  }
  std::vector<double> numbers;

 private:
  std::size_t find(double x) const {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    std::size_t slot = static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15ULL) >> shift_);
    while (slots_[slot] >= 0 && numbers[at(slots_[slot])] != x)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void enlarge() {
    shift_ -= 1;
    slots_.assign(slots_.size() * 2, -1);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      slots_[find(numbers[i])] = static_cast<std::int32_t>(i);
  }
  std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(1024, -1);
  int shift_ = 54;
};

constexpr std::size_t kFewNumbers = 2048;
constexpr std::int32_t kManyValues = 1024;
constexpr std::size_t kMostBuckets = 256;

struct Keyed {
  std::uint64_t key;
  std::int32_t row;
};

// By digits, leaving out those that are the same in all keys: whole numbers and prices have many.
void sort_by_key(std::vector<Keyed>& items, std::vector<Keyed>& other) {
  constexpr int kBits = 11;
  other.resize(items.size());
  std::uint64_t differing = 0;
  for (const Keyed& item : items) differing |= item.key ^ items[0].key;
  for (int shift = 0; shift < 64; shift += kBits) {
    if ((differing >> shift & ((1 << kBits) - 1)) == 0) continue;
    std::array<std::uint32_t, (1 << kBits) + 1> next{};
    const auto digit = [&](const Keyed& item) {
      return static_cast<std::size_t>(item.key >> shift & ((1 << kBits) - 1));
    };
    for (const Keyed& item : items) ++next[digit(item) + 1];
    for (std::size_t d = 1; d < next.size(); ++d) next[d] += next[d - 1];
    for (const Keyed& item : items) other[next[digit(item)]++] = item;
    items.swap(other);
  }
}

}  // namespace

// Ranks the numbers of one column.
class EncodedColumn::Ranking {
 public:
  Ranking(const double* numbers, std::size_t n_rows) : numbers_(numbers) { ranks_.resize(n_rows); }

  Ranked run() {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    bool whole = true;
    for (std::size_t row = 0; row < ranks_.size(); ++row) {
      const double x = numbers_[row];
      if (std::isnan(x)) {
        has_missing = true;
        continue;
      }
      least = std::min(least, x);
      most = std::max(most, x);
      whole = whole && x == std::floor(x);
    }
    if (least <= most && (std::isinf(most) || std::isinf(least)))
      throw std::invalid_argument("a number is infinite");
    if (whole && most - least < 4.0 * static_cast<double>(ranks_.size()))
      rank_whole(least, most);
    else
      rank_any();
    return {std::move(ranks_), std::move(distinct_)};
  }

  bool has_missing = false;

 private:
  // Whole numbers in a small range: a table of which ones occur.
  void rank_whole(double least, double most) {
    if (!(least <= most)) {  // no number at all
      std::fill(ranks_.begin(), ranks_.end(), -1);
      return;
    }
    std::vector<std::int32_t> place(static_cast<std::size_t>(most - least) + 1, 0);
    for (std::size_t row = 0; row < ranks_.size(); ++row)
      if (!std::isnan(numbers_[row])) place[static_cast<std::size_t>(numbers_[row] - least)] = 1;
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] == 0) continue;
      place[i] = static_cast<std::int32_t>(distinct_.size());
      distinct_.push_back(least + static_cast<double>(i));
    }
    for (std::size_t row = 0; row < ranks_.size(); ++row)
      ranks_[row] =
          std::isnan(numbers_[row]) ? -1 : place[static_cast<std::size_t>(numbers_[row] - least)];
  }

  // Few different numbers are found by hashing; many by sorting.
  void rank_any() {
    Numbering numbering;
    for (std::size_t row = 0; row < ranks_.size(); ++row) {
      // Adding zero makes the two zeros one.
      ranks_[row] = std::isnan(numbers_[row]) ? -1 : numbering(numbers_[row] + 0.0);
      if (numbering.numbers.size() > kFewNumbers) return rank_by_sorting();
    }
    const std::size_t n = numbering.numbers.size();
    std::vector<std::pair<double, std::int32_t>> order(n);
    for (std::size_t i = 0; i < n; ++i)
      order[i] = {numbering.numbers[i], static_cast<std::int32_t>(i)};
    std::sort(order.begin(), order.end());
    std::vector<std::int32_t> place(n);
    distinct_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      distinct_[i] = order[i].first;
      place[at(order[i].second)] = static_cast<std::int32_t>(i);
    }
    for (auto& rank : ranks_)
      if (rank >= 0) rank = place[at(rank)];
  }

  void rank_by_sorting() {
    std::vector<Keyed> keys, other;
    keys.reserve(ranks_.size());
    for (std::size_t row = 0; row < ranks_.size(); ++row) {
      if (std::isnan(numbers_[row]))
        ranks_[row] = -1;
      else
        keys.push_back({sortable(numbers_[row]), static_cast<std::int32_t>(row)});
    }
    sort_by_key(keys, other);
    std::uint64_t previous = 0;
    for (const Keyed& item : keys) {
      const auto row = static_cast<std::size_t>(item.row);
      if (distinct_.empty() || item.key != previous) {
        distinct_.push_back(numbers_[row] + 0.0);
        previous = item.key;
      }
      ranks_[row] = static_cast<std::int32_t>(distinct_.size() - 1);
    }
  }

  const double* numbers_;
  std::vector<std::int32_t> ranks_;
  std::vector<double> distinct_;
};

EncodedColumn::EncodedColumn(const InputColumn& column, std::size_t n_rows)
    : codes_(column.view.codes),
      n_values_(column.view.n_values),
      ordered_(column.ordered),
      halfway_(column.halfway) {
  if (column.view.numbers != nullptr) {
    Ranking ranking(column.view.numbers, n_rows);
    ranked_ = std::make_shared<const Ranked>(ranking.run());
    codes_ = ranked_->ranks.data();
    n_values_ = static_cast<std::int32_t>(ranked_->distinct.size());
    ordered_ = true;
    has_missing_ = ranking.has_missing;
    if (n_values_ > kManyValues)
      while (n_buckets() > kMostBuckets) ++bucket_bits_;
    return;
  }
  std::int32_t least = 0, most = -1;
  for (std::size_t row = 0; row < n_rows; ++row) {
    least = std::min(least, codes_[row]);
    most = std::max(most, codes_[row]);
  }
  if (least < -1 || most >= n_values_)
    throw std::invalid_argument("a code is not one of its column's values");
  has_missing_ = least < 0;
}

double EncodedColumn::threshold(std::int32_t below, std::int32_t above) const {
  if (ranked_ == nullptr) {  // places in an order: the last one that goes left, or halfway
    return halfway_ ? (static_cast<double>(below) + above) / 2.0 : below;
  }
  const double a = number(below), b = number(above);
  const double middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

double EncodedColumn::below(double x) const {
  if (ranked_ == nullptr) return std::floor(x);
  const std::vector<double>& distinct = ranked_->distinct;
  const auto first_not_below = std::lower_bound(distinct.begin(), distinct.end(), x);
  return first_not_below == distinct.begin() ? x : *(first_not_below - 1);
}

std::int32_t EncodedColumn::code_of(double x) const {
  const std::vector<double>& distinct = ranked_->distinct;
  return static_cast<std::int32_t>(std::lower_bound(distinct.begin(), distinct.end(), x) -
                                   distinct.begin());
}

EncodedTable::EncodedTable(const std::vector<InputColumn>& given, std::size_t rows) : n_rows(rows) {
  if (rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("tables of more than 2^31 - 1 rows are too large");
  columns.reserve(given.size());
  for (const InputColumn& column : given) columns.emplace_back(column, rows);
}

}  // namespace mixedwood
