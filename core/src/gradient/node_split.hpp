// What growers of gradient trees share, whether rows are in memory or come in blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mixedwood/gradient.hpp"
#include "split_search.hpp"
#include "sums.hpp"

namespace mixedwood {

// Which child a bin goes to, where it has no rows.
inline constexpr std::uint8_t kUnmet = 2;
// Number of the generator that assigns rows to parts.
inline constexpr std::uint64_t kPartsOfRows = 1ULL << 40;

// A node's split, as it sends rows to one of two children.
struct NodeSplit {
  std::vector<std::uint8_t> place_of_bin;  // child, or kUnmet; of missing values always a child
  std::int32_t last = 0;                   // ordered columns: the last bin of the left child
  std::int32_t missing = 0, unknown = kStop;
  std::vector<std::int32_t> values, value_children;  // of a nominal split; values ascend
};

// Sorts the bins of a nominal split. The numbers of rows are those of the children.
NodeSplit make_node_split(const BinnedSchema::Column& column, GradientSplit& found,
                          std::int64_t left_rows, std::int64_t right_rows, HandleUnknown unknown);

// The Newton step of a node.
inline double newton_step(const Scale& scale, const Sum& sum, double l2, const StepBounds& bounds) {
  const double curvature = scale.hessian(sum) + l2;
  return bounds.clip(curvature > 0.0 ? -scale.gradient(sum) / curvature : 0.0);
}

// Bounds of the two children of a split, whose steps would be these.
std::pair<StepBounds, StepBounds> child_bounds(const StepBounds& node, std::int8_t sign, double left,
                                               double right);

// Tries the columns that the settings draw for a node; `stops` is asked after each.
void search_columns(const BinnedSchema& table, const GradientSettings& settings,
                    const SumLayout& layout, std::vector<std::int32_t> columns,
                    const SplitSearch::Node& node, std::uint64_t seed, SplitSearch& search,
                    GradientSplit& best, const std::function<bool(std::int32_t)>& stops);

struct NodeLists {
  std::vector<std::int32_t> children, values, value_children;
};

// Ends a tree whose statistics are those of the leaves (node x class): adds them up towards the root,
// and lays lists end to end.
void lay_out(GrownTree& tree, std::span<const NodeLists> lists, std::size_t n_classes);

}  // namespace mixedwood
