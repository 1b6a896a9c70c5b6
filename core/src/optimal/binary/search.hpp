// Branch and bound over the first column, with bounds from both sides.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "../frame/incumbent.hpp"
#include "archive.hpp"
#include "depth_two.hpp"
#include "rows.hpp"

namespace mixedwood::optimal::binary {

class Search final : public Solver {
 public:
  Search(const BinaryProblem& problem, const Objective& objective, const BinarySwitches& switches);
  SolverResult solve(const SearchLimits& limits, Stop& stop) override;

 private:
  struct Level {
    Rows with, without;
    // Cost of each column with trees of depth two below, or a bound of it.
    std::vector<Cost> child_bounds;
    std::vector<std::size_t> order;
  };
  using Result = std::optional<Solution>;

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

  void write(const Rows& rows, Budget budget, const Solution& solution, SplitTree& tree,
             std::size_t node);
  Cost prune(const Rows& rows, SplitTree& tree, std::size_t node) const;
  void greedy(const Budget& budget, SplitTree& tree);
  void local_search(const Rows& rows, std::int32_t depth, std::int32_t levels,
                    const SplitTree& from, std::size_t node, SplitTree& to, std::size_t leaf);
  void look_ahead(const Rows& rows, std::int32_t depth, std::int32_t levels, SplitTree& tree,
                  std::size_t node);
  void offer(SplitTree tree);
  void offer(const Budget& budget, const Solution& solution);
  void search(const Budget& budget, Cost upper);
  Cost root_bound(const Budget& budget) const;

  BinaryTable table_;
  Objective objective_;
  BinarySwitches switches_;
  DepthTwo depth_two_;
  Cache cache_;
  std::map<std::int32_t, Archive> archives_;
  std::map<std::int32_t, Level> levels_;
  Rows all_;
  bool has_unavoidable_ = false;

  // Of one call of solve().
  Stop* stop_ = nullptr;
  std::int64_t memory_limit_ = 0;
  const Rows* root_ = nullptr;  // while a better tree of all rows is offered at once
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

}  // namespace mixedwood::optimal::binary
