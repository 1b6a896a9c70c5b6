// What pruners need beyond the tree itself: which nodes to cut, and what cutting them does to the
// errors on given rows. A tree's shape is given by the parents of its nodes; see check_parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/stop.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {

// The nested trees of cost-complexity pruning.
struct CostComplexity {
  std::vector<double> alphas;          // where the tree changes, ascending from 0
  std::vector<std::int64_t> n_leaves;  // of the tree from each alpha on
  std::vector<double> costs;           // sum over its leaves
  // For each node the alpha from which it is a leaf; infinite for the leaves of the full tree, and
  // for nodes that never are one because a node above them is cut no later.
  std::vector<double> cut_at;
};

// `costs`: what each node costs as a leaf; finite and not negative. O(n log n) for any shape.
// Throws Stopped.
CostComplexity cost_complexity(std::span<const std::int32_t> parent, std::span<const double> costs,
                               Stop& stop);

// A tree, and rows by the node that they reach: a leaf, or an inner node where they have to stop.
struct RoutedRows {
  std::span<const std::int32_t> parent, label;  // of each node
  std::span<const double> counts;               // n_nodes x n_classes: weight of the rows
  std::size_t n_classes = 0;
  std::span<const double> costs = {};  // of mistakes (costs.hpp); empty: 1 each
};

// Weight, or cost, of the rows that are wrong when every node is a leaf from its `cut_at` on, for each of the
// ascending `alphas`. O(n_nodes * (n_classes + log n_alphas)).
std::vector<double> path_errors(const RoutedRows& rows, std::span<const double> cut_at,
                                std::span<const double> alphas);

// Reduced-error pruning: 1 for each node that as a leaf makes no more errors than the pruned tree
// below it; where `inherited` is set, for those that make fewer. O(n_nodes * n_classes).
std::vector<std::uint8_t> reduced_error(const RoutedRows& rows,
                                        std::span<const std::uint8_t> inherited);

// The same from the errors of each node: on the rows that end in it, and on all that arrive, as if it
// were a leaf. Errors that differ by at most `slack` of the node are equal.
std::vector<std::uint8_t> cut_where_no_worse(std::span<const std::int32_t> parent,
                                             std::span<const double> ended,
                                             std::span<const double> arrived,
                                             std::span<const double> slack,
                                             std::span<const std::uint8_t> inherited);

}  // namespace mixedwood
