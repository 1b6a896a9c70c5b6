// Branch and bound over the first column, with bounds from both sides.
#pragma once

#include <map>
#include <vector>

#include "archive.hpp"
#include "rows.hpp"
#include "tree_search.hpp"

namespace mixedwood::optimal::binary {

class Search final : public TreeSearch<Search, Rows> {
 public:
  Search(const BinaryProblem& problem, const Objective& objective, const BinarySwitches& switches);
  SolverResult solve(const SearchLimits& limits, Stop& stop) override;

 private:
  friend TreeSearch;

  struct Level {
    Rows with, without;
    // Cost of each column with trees of depth two below, or a bound of it.
    std::vector<Cost> child_bounds;
    std::vector<std::size_t> order;
  };

  // A best tree of cost `upper` or less, or none.
  Result solve(const Rows& rows, Budget budget, Cost upper);
  Result solve_depth_three(const Rows& rows, Budget budget, Cost upper,
                           std::vector<Cost>* child_bounds);
  Result solve_deeper(const Rows& rows, Budget budget, Cost upper);
  // The solution, or without one a lower bound.
  void remember(const Rows& rows, const Budget& budget, const Result& found, Cost bound);
  Cost leaf(const Rows& rows) const {
    return objective_.error_penalty * rows.errors + objective_.leaf_penalty;
  }
  Cost lower_bound(const Rows& rows, const Budget& budget) const;
  Cost simple_bound(std::span<const Word> rows) const;
  DepthTwoTable depth_two_table(const Rows& rows);

  void divide_rows(const Rows& rows, std::int32_t column, Rows& with, Rows& without) const {
    divide(table_, rows, to_size(column), with, without);
  }
  SmallTree small_tree(const Rows& rows, int max_splits) {
    return depth_two_.counter(rows.words).tree(rows.words, max_splits, *stop_);
  }

  void greedy(const Budget& budget, SplitTree& tree);
  void look_ahead(const Rows& rows, std::int32_t depth, std::int32_t levels, SplitTree& tree,
                  std::size_t node);
  void search(const Budget& budget, Cost upper);
  Cost root_bound(const Budget& budget) const;

  BinaryTable table_;
  Objective objective_;
  BinarySwitches switches_;
  DepthTwo depth_two_;
  Cache cache_;
  std::map<std::int32_t, Archive> archives_;
  std::map<std::int32_t, Level> levels_;
  bool has_unavoidable_ = false;
};

}  // namespace mixedwood::optimal::binary
