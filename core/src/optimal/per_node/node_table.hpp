// The table as the search reads it: codes in all columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../frame/budget.hpp"

namespace mixedwood::optimal::per_node {

// All columns as codes; -1 is a missing value.
struct NodeColumn {
  enum class Kind { kDiscretize, kOrdered, kNominal };
  Kind kind = Kind::kNominal;
  std::vector<std::int32_t> codes;
  std::int32_t n_codes = 0;
  std::vector<double> numbers;  // kDiscretize: the distinct numbers; kOrdered: upper end of each code
  std::int64_t n_bins = 2;
  std::vector<double> root_thresholds;  // kDiscretize: of nodes with few rows, and of deep ones
};

struct NodeTable {
  NodeTable(const std::vector<PerNodeColumn>& given, const Samples& samples);

  std::vector<NodeColumn> columns;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  std::vector<std::int64_t> class_weights;  // see Samples; empty: each row weighs for its own class
  std::vector<std::int64_t> unavoidable;  // weight that no tree classifies correctly
  std::size_t n_rows = 0, n_classes = 0;

  // Adds the weight of a row to sums by class.
  void add_weight(std::size_t row, std::int64_t* sums) const {
    if (class_weights.empty()) {
      sums[to_size(classes[row])] += weights[row];
      return;
    }
    for (std::size_t cls = 0; cls < n_classes; ++cls)
      sums[cls] += class_weights[row * n_classes + cls];
  }
};

}  // namespace mixedwood::optimal::per_node
