#include "columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

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
    while (slots_[slot] >= 0 && numbers[static_cast<std::size_t>(slots_[slot])] != x)
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

}  // namespace

CodedColumn::CodedColumn(const GrowColumn& column, std::size_t n_rows)
    : codes_(column.view.codes), n_values_(column.view.n_values), ordered_(column.ordered) {
  if (column.view.numbers != nullptr) {
    rank(column.view.numbers, n_rows);
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

void CodedColumn::rank(const double* numbers, std::size_t n_rows) {
  ordered_ = true;
  ranks_.resize(n_rows);
  Numbering numbering;
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double x = numbers[row];
    if (std::isinf(x)) throw std::invalid_argument("a number is infinite");
    // Adding zero makes the two zeros one.
    ranks_[row] = std::isnan(x) ? -1 : numbering(x + 0.0);
    has_missing_ |= ranks_[row] < 0;
  }
  const std::size_t n = numbering.numbers.size();
  std::vector<std::int32_t> order(n), place(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return numbering.numbers[static_cast<std::size_t>(a)] <
           numbering.numbers[static_cast<std::size_t>(b)];
  });
  distinct_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    distinct_[i] = numbering.numbers[static_cast<std::size_t>(order[i])];
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  }
  for (auto& rank : ranks_)
    if (rank >= 0) rank = place[static_cast<std::size_t>(rank)];
  codes_ = ranks_.data();
  n_values_ = static_cast<std::int32_t>(n);
}

double CodedColumn::threshold(std::int32_t below, std::int32_t above) const {
  if (distinct_.empty()) return below;  // places in an order: the last one that goes left
  const double a = number(below), b = number(above);
  const double middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

double CodedColumn::below(double x) const {
  if (distinct_.empty()) return std::floor(x);
  const auto first_not_below = std::lower_bound(distinct_.begin(), distinct_.end(), x);
  return first_not_below == distinct_.begin() ? x : *(first_not_below - 1);
}

}  // namespace mixedwood
