// The best tree whose tests are made anew from the rows of every node: numbers are cut into ranges,
// and ranges and categories become binary tests, among the rows that reach the node alone.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "mixedwood/discretize.hpp"
#include "mixedwood/proof.hpp"
#include "mixedwood/stop.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {

enum class Encoding { kOneHot, kMultiHot, kThresholds, kSubsets };

struct RebinariseColumn {
  ColumnView view;
  bool ordered = false;  // codes are places in an order
  // Of numbers: cuts made before, ascending. Without them the rule cuts anew at every node.
  std::optional<std::vector<double>> cuts;
  std::int64_t n_bins = 2;
};

struct RebinariseSettings {
  CutRule rule = CutRule::kMdlp;
  Encoding encoding = Encoding::kMultiHot;
  std::size_t max_subset_values = 8;  // nominal columns with more values at a node are one-hot
  int max_depth = 2;
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();  // inner nodes
  std::int64_t leaf_cost = 0;
  std::int64_t min_leaf = 1;                                            // rows
  std::int64_t upper_bound = std::numeric_limits<std::int64_t>::max();  // inclusive
  double memory_limit = std::numeric_limits<double>::infinity();        // bytes, of the memo
};

// Parents before children, the root first. A test answers yes when low < x <= high, or, where it
// lists values, when the value is one of them; for a missing value it answers no.
struct RebinarisedTree {
  std::vector<std::int32_t> column;  // -1: a leaf
  std::vector<double> low, high;
  std::vector<std::int32_t> value_offset{0}, value_code;
  std::vector<std::int32_t> yes, no;  // -1 for leaves
};

struct RebinarisedResult {
  RebinarisedTree tree;  // without nodes: no tree within the upper bound is known
  std::int64_t cost = -1;
  std::int64_t lower_bound = 0;
  ProofStatus status = ProofStatus::kOptimal;
  std::int64_t n_explored = 0, n_cached = 0;
};

// Cost of a tree: weight of the rows it gets wrong, and `leaf_cost` for each leaf. Weights are
// positive; none (empty) means 1 each. Throws std::invalid_argument for what is no such table.
RebinarisedResult rebinarised_tree(const std::vector<RebinariseColumn>& columns,
                                   std::span<const std::int32_t> classes,
                                   std::span<const std::int64_t> weights, std::size_t n_classes,
                                   const RebinariseSettings& settings, Stop& stop);

}  // namespace mixedwood
