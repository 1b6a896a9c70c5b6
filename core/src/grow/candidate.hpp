// A split that a column offers at a node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "mixedwood/tree.hpp"

namespace mixedwood {

// A term of a linear split: weight * x, or `weight` where the column has this value.
struct LinearTerm {
  std::int32_t column;
  std::int32_t value;  // -1: the number, or place in an order, itself
  double weight;
  double fill;  // stands in for a missing number
};

struct Candidate {
  std::int32_t column = -1;
  double score = -std::numeric_limits<double>::infinity();  // by the criterion
  double rank = -std::numeric_limits<double>::infinity();   // compared between columns
  SplitKind kind = kLeaf;
  // Interval: codes up to `last_left` go left; `high` is the number that says so.
  std::int32_t last_left = -1;
  double high = 0.0;
  // Subset and multiway: the values present, ascending, and the child of each.
  std::vector<std::int32_t> values, children;
  std::int32_t n_children = 2;
  std::int32_t missing_child = kStop;
  bool screened = false;  // found by the approximate search
  double gain = 0.0;      // C4.5 compares gains before ratios
  double gini_share = 0.0;  // of a threshold: the part of the node's Gini impurity it removes
  // Linear: child 0 when the sum is positive; `children` then holds the child of each row.
  std::vector<LinearTerm> terms;
  double intercept = 0.0;

  bool found() const { return kind != kLeaf; }
  // A value of a nominal split; below 0: missing.
  void place(std::int32_t value, std::int32_t child) {
    if (value < 0) {
      missing_child = child;
    } else {
      values.push_back(value);
      children.push_back(child);
    }
  }
  void set_children(std::int32_t n) {
    n_children = n;
    kind = n == 2 ? kSubset : kMultiway;
  }
  std::int32_t child_of_missing() const { return missing_child == kStop ? 0 : missing_child; }
  // Code + 1 -> child, for splits of one column. Codes that are not present keep whatever they had:
  // no row asks.
  void children_by_code(std::int32_t n_values, std::vector<std::int32_t>& child_of) const {
    child_of.resize(static_cast<std::size_t>(n_values) + 1);
    child_of[0] = child_of_missing();
    if (kind == kInterval) {
      const auto left = static_cast<std::ptrdiff_t>(last_left) + 2;
      std::fill(child_of.begin() + 1, child_of.begin() + left, 0);
      std::fill(child_of.begin() + left, child_of.end(), 1);
    } else {
      for (std::size_t v = 0; v < values.size(); ++v)
        child_of[at(values[v]) + 1] = children[v];
    }
  }
};

struct ChosenSplit;
// What whoever counts the rows needs to know of a split.
ChosenSplit chosen_split(Candidate split, std::vector<std::int32_t> columns, double worth,
                         std::uint64_t seed, std::size_t n_columns);

}  // namespace mixedwood
