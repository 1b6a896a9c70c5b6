// Branch and bound over the first binary column, for the least squared error.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "../binary/tree_search.hpp"
#include "pair_sums.hpp"

namespace mixedwood::optimal::squared_error {

class BinarySearch final : public binary::TreeSearch<BinarySearch, RowSet> {
 public:
  BinarySearch(std::span<const std::uint8_t> matrix, std::size_t n_columns,
               const NumberSamples& samples, const Objective& objective);
  SolverResult solve(const SearchLimits& limits, Stop& stop) override;

 private:
  friend TreeSearch;

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

  void divide_rows(const RowSet& rows, std::int32_t column, RowSet& with, RowSet& without) const {
    divide(table_, rows, to_size(column), with, without);
  }
  SmallTree small_tree(const RowSet& rows, int max_splits) {
    return small_trees_->tree(rows, max_splits, *stop_);
  }

  void greedy(const Budget& budget, SplitTree& tree);
  // The tree with its leaves grown by `greedy`.
  void offer_grown(const Budget& budget, SplitTree tree);
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
};

}  // namespace mixedwood::optimal::squared_error
