// The search: which column first, with bounds from both sides.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "archive.hpp"
#include "cache.hpp"
#include "depth_two.hpp"
#include "mixedwood/optimal.hpp"
#include "rows.hpp"
#include "small_costs.hpp"

namespace mixedwood::optimal {

// A tree as it is handed out; node 0 is the root.
struct PlainTree {
  std::vector<std::int32_t> test{-1}, yes{-1}, no{-1};  // tests are columns of the table

  void split(std::size_t node, std::int32_t column) {
    test[node] = column;
    yes[node] = add();
    no[node] = add();
  }

 private:
  std::int32_t add() {
    test.push_back(-1);
    yes.push_back(-1);
    no.push_back(-1);
    return static_cast<std::int32_t>(test.size() - 1);
  }
};

}  // namespace mixedwood::optimal

namespace mixedwood {

class OptimalSolver::Search {
 public:
  Search(const BinaryProblem& problem, const OptimalSettings& settings);
  OptimalResult solve(const OptimalBudget& budget, Stop& stop);

 private:
  using Budget = optimal::Budget;
  using Rows = optimal::Rows;
  using Solution = optimal::Solution;
  using PlainTree = optimal::PlainTree;

  struct Level {
    Rows with, without;
    std::vector<Cost> outlook;  // cost of each column, or a bound, with trees of depth two below
    std::vector<std::size_t> order;
  };

  // A best tree of cost `upper` or less, or none.
  std::optional<Solution> best(const Rows& rows, Budget budget, Cost upper);
  std::optional<Solution> best_of_three(const Rows& rows, Budget budget, Cost upper,
                                        std::vector<Cost>* outlook);
  std::optional<Solution> best_of_more(const Rows& rows, Budget budget, Cost upper);
  Cost leaf(const Rows& rows) const { return prices_.error * rows.errors + prices_.leaf; }
  Cost lower_bound(const Rows& rows, const Budget& budget) const;
  Cost cheap_bound(const Rows& rows) const;
  optimal::FewestErrors fewest(const Rows& rows);
  Level& level(std::int32_t depth);
  void look_at_memory();

  void write(const Rows& rows, Budget budget, const Solution& solution, PlainTree& tree,
             std::size_t node);
  Cost prune(const Rows& rows, PlainTree& tree, std::size_t node) const;
  void greedy(const Budget& budget, PlainTree& tree);
  void polish(const Rows& rows, std::int32_t depth, std::int32_t levels, const PlainTree& from,
              std::size_t node, PlainTree& to, std::size_t at);
  void look_ahead(const Rows& rows, std::int32_t depth, std::int32_t levels, PlainTree& tree,
                  std::size_t node);
  void take(PlainTree tree);
  Cost bound_of_root(const Budget& budget) const;

  optimal::BinaryTable table_;
  OptimalSettings settings_;
  optimal::Prices prices_;
  optimal::DepthTwo small_;
  optimal::Cache cache_;
  std::map<std::int32_t, optimal::Archive> archives_;
  std::map<std::int32_t, Level> levels_;
  Rows all_;
  bool has_hopeless_ = false;

  // Of one call of solve().
  Stop* stop_ = nullptr;
  std::int64_t memory_ = -1;
  const Rows* root_ = nullptr;  // while a better tree of all rows should be kept at once
  PlainTree tree_;
  Cost cost_ = 0;
  Stop::Clock::time_point start_;
  std::vector<OptimalResult::Moment> trace_;
  std::int64_t n_explored_ = 0;
};

}  // namespace mixedwood
