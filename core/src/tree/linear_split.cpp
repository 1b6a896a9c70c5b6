#include "mixedwood/linear_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "cells.hpp"

namespace mixedwood {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// By this much the factors of a product are made smaller, so that no sum overflows: below 2^1024
// each, a product is below 2^988, and there are fewer than 2^32 of them.
constexpr int kShrink = 530;

// Whether a column's values may have a table of the weights of all codes, listed or not.
bool has_table(std::int32_t n_values, std::size_t n_listed) {
  return static_cast<std::size_t>(n_values) <= 16 + 4 * n_listed;
}

const ColumnView& column_of(std::int32_t column, const TableView& table) {
  return table.columns[at(column)];
}

}  // namespace

LinearTerms terms_of(const TreeView& tree, std::int32_t node) {
  const auto i = static_cast<std::size_t>(node);
  const auto first = static_cast<std::size_t>(tree.term_offset[i]);
  const auto n = static_cast<std::size_t>(tree.term_offset[i + 1]) - first;
  return {tree.term_column.subspan(first, n), tree.term_category.subspan(first, n),
          tree.term_weight.subspan(first, n), tree.term_fill.subspan(first, n), tree.intercept[i]};
}

std::uint32_t LinearSplits::add(const LinearTerms& terms, const TableView& columns) {
  if (splits_.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("there are too many linear splits");
  Split split{};
  split.intercept = terms.intercept;
  split.numbers = numbers_.size();
  for (const bool coded : {false, true}) {
    if (coded) split.places = numbers_.size();
    for (std::size_t t = 0; t < terms.column.size(); ++t)
      if (terms.value[t] == kNumberTerm &&
          (column_of(terms.column[t], columns).codes != nullptr) == coded)
        numbers_.push_back({terms.weight[t], terms.fill[t], terms.column[t]});
  }
  split.end_of_places = numbers_.size();
  split.values = values_.size();
  add_values(terms, columns);
  split.end_of_values = values_.size();
  splits_.push_back(split);
  return static_cast<std::uint32_t>(splits_.size() - 1);
}

void LinearSplits::add_values(const LinearTerms& terms, const TableView& columns) {
  struct Value {
    std::size_t met;  // the first term of its column
    std::int32_t code;
    double weight;
  };
  std::map<std::int32_t, std::size_t> met;
  std::vector<Value> values;
  for (std::size_t t = 0; t < terms.column.size(); ++t)
    if (terms.value[t] != kNumberTerm)
      values.push_back({met.emplace(terms.column[t], t).first->second, terms.value[t],
                        terms.weight[t]});
  std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
    return std::pair(a.met, a.code) < std::pair(b.met, b.code);
  });
  for (std::size_t first = 0, last = 0; first < values.size(); first = last) {
    while (last < values.size() && values[last].met == values[first].met) ++last;
    Values its{terms.column[values[first].met], kTable, codes_.size(), weights_.size()};
    const std::int32_t n_values = column_of(its.column, columns).n_values;
    if (has_table(n_values, last - first)) {
      weights_.resize(its.weights + static_cast<std::size_t>(n_values) + kBelowZero, 0.0);
      for (std::size_t v = first; v < last; ++v)
        weights_[its.weights + kBelowZero + static_cast<std::size_t>(values[v].code)] =
            values[v].weight;
    } else {
      its.n_listed = static_cast<std::int32_t>(last - first);
      for (std::size_t v = first; v < last; ++v) {
        codes_.push_back(values[v].code);
        weights_.push_back(values[v].weight);
      }
    }
    values_.push_back(its);
  }
}

// A place in the order, or what stands in for it.
double LinearSplits::place_of(const Number& number, const ColumnView& column, std::size_t row) {
  const std::uint32_t entry = entry_of(column, row);
  return entry < kBelowZero ? number.fill : static_cast<double>(entry - kBelowZero);
}

double LinearSplits::weight_of(const Values& values, const ColumnView& column,
                              std::size_t row) const {
  const std::uint32_t entry = entry_of(column, row);
  if (values.n_listed == kTable) return weights_[values.weights + entry];
  if (entry < kBelowZero) return 0.0;
  const auto code = static_cast<std::int32_t>(entry - kBelowZero);
  const auto first = codes_.begin() + static_cast<std::ptrdiff_t>(values.codes);
  const auto last = first + values.n_listed;
  const auto found = std::lower_bound(first, last, code);
  return found != last && *found == code
             ? weights_[values.weights + static_cast<std::size_t>(found - first)]
             : 0.0;
}

void LinearSplits::sums(std::uint32_t number, const TableView& table,
                       std::span<const std::int32_t> rows, std::span<double> out) const {
  if (rows.empty()) return;
  const Split& split = splits_[number];
  const std::size_t n = rows.size();
  std::fill_n(out.begin(), n, split.intercept);
  bool in_a_row = true;  // no looking up of rows then: several are added up at once
  for (std::size_t i = 1; i < n; ++i) in_a_row &= rows[i] == rows[i - 1] + 1;
  for (std::size_t t = split.numbers; t < split.places; ++t) {
    const double weight = numbers_[t].weight, fill = numbers_[t].fill;
    const double* const x = column_of(numbers_[t].column, table).numbers;
    if (in_a_row) {
      const double* const its = x + rows.front();
      for (std::size_t i = 0; i < n; ++i) out[i] += weight * (its[i] == its[i] ? its[i] : fill);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const double its = x[rows[i]];
        out[i] += weight * (its == its ? its : fill);
      }
    }
  }
  for (std::size_t t = split.places; t < split.end_of_places; ++t) {
    const Number& place = numbers_[t];
    const ColumnView& column = column_of(place.column, table);
    for (std::size_t i = 0; i < n; ++i)
      out[i] += place.weight * place_of(place, column, static_cast<std::size_t>(rows[i]));
  }
  for (std::size_t v = split.values; v < split.end_of_values; ++v) {
    const ColumnView column = column_of(values_[v].column, table);
    if (values_[v].n_listed == kTable) {
      const double* const weights = weights_.data() + values_[v].weights;
      for (std::size_t i = 0; i < n; ++i)
        out[i] += weights[entry_of(column, static_cast<std::size_t>(rows[i]))];
    } else {
      for (std::size_t i = 0; i < n; ++i)
        out[i] += weight_of(values_[v], column, static_cast<std::size_t>(rows[i]));
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(out[i])) [[unlikely]]
      out[i] = careful_sum(split, table, static_cast<std::size_t>(rows[i]));
}

double LinearSplits::careful_sum(const Split& split, const TableView& table, std::size_t row) const {
  bool up = false, down = false;
  double plain = split.intercept;
  double sum = std::ldexp(split.intercept, -2 * kShrink);
  for (std::size_t t = split.numbers; t < split.end_of_places; ++t) {
    const Number& number = numbers_[t];
    const ColumnView& column = column_of(number.column, table);
    double x = column.codes == nullptr ? column.numbers[row] : place_of(number, column, row);
    if (std::isnan(x)) x = number.fill;
    if (std::isnan(x)) return kNoValue;
    if (number.weight == 0.0) continue;
    if (std::isinf(x)) {
      (std::signbit(x) == std::signbit(number.weight) ? up : down) = true;
    } else {
      plain += number.weight * x;
      sum += std::ldexp(number.weight, -kShrink) * std::ldexp(x, -kShrink);
    }
  }
  if (up || down) return up && down ? kNoValue : up ? kInfinity : -kInfinity;
  for (std::size_t v = split.values; v < split.end_of_values; ++v) {
    const double weight = weight_of(values_[v], column_of(values_[v].column, table), row);
    plain += weight;
    sum += std::ldexp(weight, -2 * kShrink);
  }
  // Without the infinite numbers of weight zero the sum may be finite; scaled, it could underflow.
  return std::isfinite(plain) ? plain : std::ldexp(sum, 2 * kShrink);
}

}  // namespace mixedwood
