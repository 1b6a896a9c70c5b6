// Branch and bound over the first binary column, for the least squared error.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../frame/incumbent.hpp"
#include "pair_sums.hpp"

namespace mixedwood::optimal::squared_error {

class BinarySearch final : public Solver {
 public:
  BinarySearch(std::span<const std::uint8_t> matrix, std::size_t n_columns,
               const NumberSamples& samples, const Objective& objective);
  SolverResult solve(const SearchLimits& limits, Stop& stop) override;

 private:
  // What is known of the children of the columns so far, for columns that divide likewise.
  struct Known {
    std::size_t column;
    Cost with, without;  // lower bounds
  };
  struct Level {
    RowSet with, without;
    std::vector<Cost> child_bounds;  // of each column with trees of depth two below
    std::vector<std::size_t> order;
    std::vector<Known> known;
    PairTable own, running;
    std::vector<std::vector<std::uint32_t>> by_pattern;
  };
  using Result = std::optional<Solution>;

  // A best tree of cost `upper` or less, or none.
  Result solve(const RowSet& rows, Budget budget, Cost upper);
  Result solve_depth_three(const RowSet& rows, Budget budget, Cost upper,
                           std::vector<Cost>* child_bounds);
  Result solve_deeper(const RowSet& rows, Budget budget, Cost upper);
  void remember(const RowSet& rows, const Budget& budget, const Result& found, Cost bound);
  // Bounds of a column's children from columns whose children are parts of them.
  std::pair<Cost, Cost> bounds_of_parts(const std::vector<Known>& known, std::size_t column) const;
  Cost leaf(const RowSet& rows) const {
    return rows.sums.squares - to_ticks(rows.sums.gain(), table_.ticks) + objective_.leaf_penalty;
  }
  bool may_split(const RowSet& rows) const {
    return rows.sums.rows >= 2.0 * static_cast<double>(objective_.min_samples_leaf) &&
           leaf(rows) - simple_bound(rows) > objective_.leaf_penalty;
  }
  // One leaf, and what no tree can avoid.
  Cost simple_bound(const RowSet& rows) const {
    return objective_.leaf_penalty + std::max<Cost>(0, rows.sums.within - slack_);
  }
  Cost lower_bound(const RowSet& rows, const Budget& budget) const;
  DepthTwoTable depth_two_table(const RowSet& rows);
  std::int64_t most_splits_of(const RowSet& rows) const;

  void write(const RowSet& rows, Budget budget, const Solution& solution, SplitTree& tree,
             std::size_t node);
  Cost prune(const RowSet& rows, SplitTree& tree, std::size_t node) const;
  void greedy(const Budget& budget, SplitTree& tree);
  void local_search(const RowSet& rows, std::int32_t depth, std::int32_t levels,
                    const SplitTree& from, std::size_t node, SplitTree& to, std::size_t leaf);
  void offer(SplitTree tree);
  // The tree with its leaves grown by `greedy`.
  void offer_grown(const Budget& budget, SplitTree tree);
  void offer(const Budget& budget, const Solution& solution);
  void search(const Budget& budget, Cost upper);
  Cost root_bound(const Budget& budget) const;

  BinaryRows table_;
  Objective objective_;
  Cost slack_;
  std::unique_ptr<PairSums> pairs_;
  std::unique_ptr<PairSums> small_trees_;  // for `write`, while a set of the former is open
  Cache cache_;
  std::map<std::int32_t, Level> levels_;
  PairTable table_of_one_;  // of depth_two_table
  RowSet all_;

  // Of one call of solve().
  Stop* stop_ = nullptr;
  std::int64_t memory_limit_ = 0;
  const RowSet* root_ = nullptr;  // while a better tree of all rows is offered at once
  Incumbent<SplitTree> incumbent_;
  std::int64_t n_explored_ = 0;
};

// A tree that is one leaf.
inline SplitTree one_leaf() { return {{SplitTree::Node{}}}; }
// The children for rows where the column is 1, and where it is 0.
inline std::pair<std::size_t, std::size_t> split(SplitTree& tree, std::size_t leaf,
                                                 std::int32_t column) {
  SplitTree::Node node;
  node.column = column;
  tree.split(leaf, node);
  return {tree.nodes.size() - 2, tree.nodes.size() - 1};
}

}  // namespace mixedwood::optimal::squared_error
