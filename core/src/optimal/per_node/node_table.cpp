#include "node_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "../frame/problem.hpp"

namespace mixedwood::optimal::per_node {
namespace {

NodeColumn read_numbers(const PerNodeColumn& given, std::size_t n_rows) {
  NodeColumn column;
  column.n_bins = given.n_bins;
  column.codes.assign(n_rows, -1);
  const std::span<const double> numbers(given.view.numbers, n_rows);
  if (given.thresholds) {
    column.kind = NodeColumn::Kind::kOrdered;
    column.numbers = *given.thresholds;
    column.numbers.push_back(std::numeric_limits<double>::infinity());
    for (std::size_t i = 1; i < given.thresholds->size(); ++i)
      if (!((*given.thresholds)[i - 1] < (*given.thresholds)[i]))
        throw std::invalid_argument("thresholds must be ascending");
  } else {
    column.kind = NodeColumn::Kind::kDiscretize;
    column.root_thresholds = given.root_thresholds;
    for (const double x : numbers)
      if (!std::isnan(x)) column.numbers.push_back(x);
    std::sort(column.numbers.begin(), column.numbers.end());
    column.numbers.erase(std::unique(column.numbers.begin(), column.numbers.end()),
                         column.numbers.end());
  }
  column.n_codes = static_cast<std::int32_t>(column.numbers.size());
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (std::isnan(numbers[row])) continue;
    // A number that equals a threshold is left of it.
    const auto place = std::lower_bound(column.numbers.begin(), column.numbers.end(), numbers[row]);
    column.codes[row] = static_cast<std::int32_t>(place - column.numbers.begin());
  }
  return column;
}

NodeColumn read_codes(const PerNodeColumn& given, std::size_t n_rows) {
  NodeColumn column;
  column.kind = given.ordered ? NodeColumn::Kind::kOrdered : NodeColumn::Kind::kNominal;
  column.n_codes = given.view.n_values;
  column.codes.assign(given.view.codes, given.view.codes + n_rows);
  for (const std::int32_t code : column.codes)
    if (code < -1 || code >= column.n_codes)
      throw std::invalid_argument("a code is not below the number of categories of its column");
  column.numbers.resize(to_size(column.n_codes));
  std::iota(column.numbers.begin(), column.numbers.end(), 0.0);
  return column;
}

}  // namespace

NodeTable::NodeTable(const std::vector<PerNodeColumn>& given, const Samples& samples)
    : classes(samples.classes.begin(), samples.classes.end()),
      weights(samples.weights.begin(), samples.weights.end()),
      class_weights(samples.class_weights.begin(), samples.class_weights.end()),
      n_rows(samples.classes.size()),
      n_classes(to_size(samples.n_classes)) {
  if (n_rows == 0) throw std::invalid_argument("there are no rows");
  if (weights.empty()) weights.assign(n_rows, 1);
  if (std::ranges::min(weights) <= 0) throw std::invalid_argument("weights must be positive");
  for (const PerNodeColumn& column : given)
    columns.push_back(column.view.numbers != nullptr ? read_numbers(column, n_rows)
                                                     : read_codes(column, n_rows));
  std::vector<std::span<const std::int32_t>> codes;
  for (const NodeColumn& column : columns) codes.emplace_back(column.codes);
  unavoidable = unavoidable_errors(codes, {classes, weights, samples.n_classes, class_weights});
}

}  // namespace mixedwood::optimal::per_node
