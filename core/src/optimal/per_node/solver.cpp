// The solver over binary features of each node: a greedy tree first, then searches of growing depth.
#include <stdexcept>

#include "../frame/problem.hpp"
#include "search.hpp"

namespace mixedwood::optimal::per_node {
namespace {

void write(const BestTree& tree, SplitTree& to) {
  const std::size_t node = to.nodes.size();
  to.nodes.emplace_back();
  if (!tree.if_true) return;
  SplitTree::Node made;
  made.column = tree.split.column;
  made.low = tree.split.low;
  made.high = tree.split.high;
  made.codes = tree.split.values;
  made.is_subset = !made.codes.empty();
  made.if_true = static_cast<std::int32_t>(to.nodes.size());
  write(*tree.if_true, to);
  made.if_false = static_cast<std::int32_t>(to.nodes.size());
  write(*tree.if_false, to);
  to.nodes[node] = std::move(made);
}

}  // namespace

SolverResult Search::run(const SearchLimits& limits) {
  const RowSet root = all_rows();
  const auto n = static_cast<std::int64_t>(table_.n_rows);
  const Cost upper = std::min(limits.upper_bound.value_or(kInfinity), kInfinity);
  memory_limit_ = limits.memory_limit.value_or(kInfinity);
  Budget budget = budget_of(limits);
  budget.depth = static_cast<std::int32_t>(std::min<std::int64_t>(budget.depth, n - 1));
  budget = budget.normalized();
  offer(leaf(root));
  const std::int64_t bound = simple_bound(root.weights, root.unavoidable, n, budget);
  if (budget.depth > 0 && bound < incumbent_.cost()) {
    stop_.hold_time(true);
    const TreePtr greedy = grow_greedily(root, budget.depth);
    stop_.hold_time(false);
    offer(pruned(greedy, std::min(budget.splits, greedy->size.splits), root).back());
  }
  bool stopped = false;
  try {
    // Small depths first: they take little time, and their trees bound the larger ones.
    for (int d = 1; d <= budget.depth && bound < incumbent_.cost(); ++d) {
      const Budget now = Budget{d, budget.splits}.normalized();
      const std::int64_t most = std::min(upper, incumbent_.cost() - 1);
      if (most < bound) break;
      root_bound_ = 0;
      final_depth_ = d == budget.depth;
      const TreePtr found = d == 1 ? best_stump(root, most) : best_branch(root, now, most, true);
      if (found) offer(found);
    }
  } catch (const Stopped&) {
    stopped = true;
  }
  SolverResult result = incumbent_.result(n_explored_, cache_);
  const bool found = incumbent_.cost() <= upper;
  if (found) {
    result.objective_value = incumbent_.cost();
    write(*incumbent_.tree(), result.tree);
  }
  if (stopped) {
    result.status = status_of(stop_);
    result.lower_bound =
        std::min(std::max(bound, final_depth_ ? root_bound_ : 0), incumbent_.cost());
  } else {
    result.status = found ? ProofStatus::kOptimal : ProofStatus::kInfeasible;
    result.lower_bound = found ? incumbent_.cost() : std::max(bound, upper + 1);
  }
  return result;
}

namespace {

class PerNodeSolver final : public Solver {
 public:
  PerNodeSolver(const std::vector<PerNodeColumn>& columns, const Samples& samples,
                const Objective& objective, const BinarizerSettings& settings)
      : table_(columns, samples), objective_(objective), settings_(settings) {}

  SolverResult solve(const SearchLimits& limits, Stop& stop) override {
    check(limits);
    return Search(table_, objective_, settings_, stop).run(limits);
  }

 private:
  NodeTable table_;
  Objective objective_;
  BinarizerSettings settings_;
};

}  // namespace
}  // namespace mixedwood::optimal::per_node

namespace mixedwood::optimal {

std::unique_ptr<Solver> make_per_node_solver(const std::vector<PerNodeColumn>& columns,
                                             const Samples& samples, const Objective& objective,
                                             const BinarizerSettings& settings) {
  check(samples, samples.classes.size(), objective);
  if (objective.leaf_penalty > kInfinity / 2 / (static_cast<Cost>(samples.classes.size()) + 1))
    throw std::invalid_argument("leaf_penalty is too large for this number of rows");
  if (settings.max_subset_values > 16)
    throw std::invalid_argument("max_subset_values must be at most 16");
  for (const PerNodeColumn& column : columns)
    if (column.n_bins < 1) throw std::invalid_argument("n_bins must be at least 1");
  return std::make_unique<per_node::PerNodeSolver>(columns, samples, objective, settings);
}

}  // namespace mixedwood::optimal
