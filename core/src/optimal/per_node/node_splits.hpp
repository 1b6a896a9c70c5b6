// The candidate splits of a node, with the class weights of their true branch. No rows are divided:
// weights come from the counts of each column's groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "node_table.hpp"

namespace mixedwood::optimal::per_node {

struct NodeSplit {
  std::int32_t column = -1;
  std::int32_t after = -1, upto = -1;  // true: codes above `after`, up to `upto`
  std::vector<std::int32_t> values;    // or, of a nominal column, one of these codes
  double low = 0.0, high = 0.0;
};

// A candidate while it is evaluated: a set of several values is a mask over those present.
struct CandidateView {
  std::int32_t column, after, upto;
  std::uint32_t mask;
  double low, high;
  std::span<const std::int64_t> if_true;  // class weights
  std::int64_t true_rows, true_unavoidable;
};

class NodeSplits {
 public:
  NodeSplits(const NodeTable& table, const BinarizerSettings& settings);

  // Calls `visit` for each split with rows in both branches, in a fixed order.
  using Visit = std::function<void(const CandidateView&)>;
  void each(std::span<const std::int32_t> rows, std::int32_t depth, Stop& stop, const Visit& visit);

  // Splits at this depth and below depend on the rows alone.
  std::int32_t last_depth() const {
    return settings_.max_depth_binarize ? *settings_.max_depth_binarize + 1 : 0;
  }

  // Only inside `visit`: the split to keep.
  NodeSplit kept(const CandidateView& seen) const;

 private:
  // Groups are first the values that occur; numbers are then discretized into ranges of them.
  void find_values(const NodeColumn& column, std::span<const std::int32_t> rows);
  void discretize(const NodeColumn& column, std::span<const std::int32_t> rows);
  void count_classes(const NodeColumn& column, std::span<const std::int32_t> rows);
  void add_weights(const NodeColumn& column, std::span<const std::int32_t> rows);
  // Both sides of a window of so many groups have enough of them.
  bool is_wide_enough(std::size_t length) const {
    const std::size_t least = std::min(settings_.min_bins_per_side, n_groups_ / 2);
    return length >= least && n_groups_ - length >= least;
  }
  void each_window(std::int32_t column, const Visit& visit);
  void each_subset(std::int32_t column, const Visit& visit);
  void visit_window(std::int32_t column, std::size_t first, std::size_t last, const Visit& visit);
  void visit_known(std::int32_t column, const Visit& visit);

  const NodeTable& table_;
  const BinarizerSettings& settings_;
  Discretizer discretizer_;
  std::vector<CutPoint> cuts_;
  std::vector<std::uint64_t> occurs_;
  std::vector<std::int32_t> group_of_code_;
  std::vector<std::int32_t> last_code_;  // of each group
  std::vector<double> upper_end_;
  // Of values, before they are discretized.
  std::vector<double> values_;
  std::vector<std::int32_t> counts_, offset_, by_value_, seen_;
  std::vector<ValueCounts::Entry> entries_;
  std::vector<std::int64_t> weights_, rows_, unavoidable_;  // groups x classes; groups; groups
  std::vector<std::int64_t> sums_, row_sums_, unavoidable_sums_;  // before each group
  std::vector<std::int64_t> true_;
  std::size_t n_groups_ = 0;
  std::int64_t n_known_ = 0, n_here_ = 0;
  bool at_root_thresholds_ = false;
  Stop* stop_ = nullptr;
};

}  // namespace mixedwood::optimal::per_node
