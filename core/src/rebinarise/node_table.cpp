#include "node_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace mixedwood::rebinarise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr auto kMostRows = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

NodeColumn read_numbers(const RebinariseColumn& given, std::size_t n_rows) {
  NodeColumn column;
  column.n_bins = given.n_bins;
  column.codes.assign(n_rows, -1);
  const std::span<const double> numbers(given.view.numbers, n_rows);
  if (given.cuts) {
    column.kind = NodeColumn::Kind::kOrdered;
    column.numbers = *given.cuts;
    column.numbers.push_back(kInfinity);
    for (std::size_t i = 1; i < given.cuts->size(); ++i)
      if (!((*given.cuts)[i - 1] < (*given.cuts)[i]))
        throw std::invalid_argument("cuts must be ascending");
  } else {
    column.kind = NodeColumn::Kind::kCutHere;
    for (const double x : numbers)
      if (!std::isnan(x)) column.numbers.push_back(x);
    std::sort(column.numbers.begin(), column.numbers.end());
    column.numbers.erase(std::unique(column.numbers.begin(), column.numbers.end()),
                         column.numbers.end());
  }
  column.n_codes = static_cast<std::int32_t>(column.numbers.size());
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (std::isnan(numbers[row])) continue;
    // A number that equals a cut is left of it.
    const auto place = std::lower_bound(column.numbers.begin(), column.numbers.end(), numbers[row]);
    column.codes[row] = static_cast<std::int32_t>(place - column.numbers.begin());
  }
  return column;
}

NodeColumn read_codes(const RebinariseColumn& given, std::size_t n_rows) {
  NodeColumn column;
  column.kind = given.ordered ? NodeColumn::Kind::kOrdered : NodeColumn::Kind::kNominal;
  column.n_codes = given.view.n_values;
  column.codes.assign(given.view.codes, given.view.codes + n_rows);
  for (const std::int32_t code : column.codes)
    if (code < -1 || code >= column.n_codes)
      throw std::invalid_argument("a code is not one of its column's values");
  column.numbers.resize(static_cast<std::size_t>(column.n_codes));
  std::iota(column.numbers.begin(), column.numbers.end(), 0.0);
  return column;
}

void book_excess(NodeTable& table) {
  std::vector<std::int32_t> order(table.n_rows);
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::int32_t a, std::int32_t b) {
    for (const NodeColumn& column : table.columns) {
      const auto x = column.codes[static_cast<std::size_t>(a)];
      const auto y = column.codes[static_cast<std::size_t>(b)];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const int c = compare(a, b);
    return c != 0 ? c < 0 : a < b;
  });
  std::vector<std::int64_t> sums(table.n_classes);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::fill(sums.begin(), sums.end(), 0);
    for (end = begin; end < order.size() && compare(order[begin], order[end]) == 0; ++end) {
      const auto row = static_cast<std::size_t>(order[end]);
      sums[static_cast<std::size_t>(table.classes[row])] += table.weights[row];
    }
    const std::int64_t excess = std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) -
                                *std::max_element(sums.begin(), sums.end());
    table.excess[static_cast<std::size_t>(order[begin])] = excess;
  }
}

}  // namespace

NodeTable::NodeTable(const std::vector<RebinariseColumn>& given,
                     std::span<const std::int32_t> classes_given,
                     std::span<const std::int64_t> weights_given, std::size_t classes_known)
    : classes(classes_given.begin(), classes_given.end()),
      weights(weights_given.begin(), weights_given.end()),
      n_rows(classes_given.size()),
      n_classes(classes_known) {
  if (n_rows == 0) throw std::invalid_argument("there are no rows");
  if (n_rows > kMostRows)
    throw std::invalid_argument("tables of more than 2^31 - 1 rows are too large");
  for (const std::int32_t c : classes)
    if (c < 0 || static_cast<std::size_t>(c) >= n_classes)
      throw std::invalid_argument("a class is not one of the classes");
  if (weights_given.empty()) weights.assign(n_rows, 1);
  if (weights.size() != n_rows) throw std::invalid_argument("one weight is needed for each row");
  std::int64_t total = 0;
  for (const std::int64_t weight : weights) {
    if (weight <= 0) throw std::invalid_argument("weights must be positive");
    if (weight > std::numeric_limits<std::int64_t>::max() / 4 - total)
      throw std::invalid_argument("weights are too large to be added up");
    total += weight;
  }
  for (const RebinariseColumn& column : given)
    columns.push_back(column.view.numbers != nullptr ? read_numbers(column, n_rows)
                                                     : read_codes(column, n_rows));
  excess.assign(n_rows, 0);
  book_excess(*this);
}

}  // namespace mixedwood::rebinarise
