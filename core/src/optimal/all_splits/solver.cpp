// The solver over all splits: greedy trees first, then searches of growing depth.
#include <algorithm>

#include "../frame/incumbent.hpp"
#include "../frame/problem.hpp"
#include "search.hpp"

namespace mixedwood::optimal::all_splits {
namespace {

// From a plan to splits of the table.
class Writer {
 public:
  Writer(const FeatureTable& features, const EncodedTable& table, const Objective& objective)
      : features_(features), table_(table), leaf_penalty_(objective.leaf_penalty),
        stumps_(features, objective.min_samples_leaf), side_(features.n_rows(), 0) {}

  SplitTree write(const Rows& rows, const Plan& plan) {
    write_node(rows, plan);
    return std::move(tree_);
  }

 private:
  std::int32_t write_node(const Rows& rows, const Plan& plan) {
    const std::size_t node = tree_.nodes.size();
    tree_.nodes.emplace_back();
    if (plan.split.feature >= 0) {
      mark(features_, rows, plan.split, side_);
      Rows left, right;
      divide(features_, rows, side_, left, right);
      const bool left_is_true = write_split(features_, table_, rows, plan.split, left, tree_.nodes[node]);
      const Rows& if_true = left_is_true ? left : right;
      const Rows& if_false = left_is_true ? right : left;
      const std::int32_t to_true = write_node(if_true, side_plan(plan, if_true, left_is_true));
      const std::int32_t to_false = write_node(if_false, side_plan(plan, if_false, !left_is_true));
      tree_.nodes[node].if_true = to_true;
      tree_.nodes[node].if_false = to_false;
    }
    return static_cast<std::int32_t>(node);
  }

  Plan side_plan(const Plan& plan, const Rows& rows, bool is_left) {
    if (!plan.deferred) return is_left ? *plan.left : *plan.right;
    Plan side;
    if (!(is_left ? plan.left_stump : plan.right_stump)) return side;
    Stump stump = stumps_.best(rows);
    if (stump.errors + leaf_penalty_ >= rows.errors()) return side;
    side.split = std::move(stump.split);
    side.deferred = true;
    return side;
  }

  const FeatureTable& features_;
  const EncodedTable& table_;
  std::int64_t leaf_penalty_;
  StumpSearch stumps_;
  SplitTree tree_;
  std::vector<std::uint8_t> side_;
};

class AllSplitsSolver final : public Solver {
 public:
  AllSplitsSolver(const EncodedTable& table, const Samples& samples, const Objective& objective)
      : table_(table), features_(table, samples), objective_(objective), rows_(all_rows(features_)) {}

  SolverResult solve(const SearchLimits& limits, Stop& stop) override {
    check(limits);
    const std::int64_t memory = limits.memory_limit.value_or(kInfinity);
    const Cost upper = std::min(limits.upper_bound.value_or(kInfinity), kInfinity);
    Budget budget = budget_of(limits);
    budget.splits = std::min<std::int64_t>(budget.splits, std::max(rows_.n - 1, 0));
    budget = budget.normalized();  // no tree has more leaves than rows
    Watch watch(stop);
    const std::int64_t needed = search_bytes(features_, limits.max_depth);
    Search search(features_, objective_, std::max<std::int64_t>(0, memory - needed), watch);
    Incumbent<PlanPtr> best;
    const PlanPtr leaf = search.leaf(rows_);
    best.offer(leaf, leaf->cost);
    const Cost lower = prove(search, budget, upper, memory, watch, best);

    SolverResult result = best.result(search.n_explored(), search.cache());
    result.lower_bound = lower;
    result.status = lower > upper           ? ProofStatus::kInfeasible
                    : lower >= best.cost()  ? ProofStatus::kOptimal
                    : watch.out_of_memory() ? ProofStatus::kMemoryLimit
                                            : status_of(stop);
    if (lower > upper || best.cost() > upper) return result;
    result.objective_value = best.cost();
    result.tree = Writer(features_, table_, objective_).write(rows_, *best.tree());
    return result;
  }

 private:
  // Improves the incumbent, and returns a lower bound of all trees.
  Cost prove(Search& search, Budget budget, Cost upper, std::int64_t memory, Watch& watch,
             Incumbent<PlanPtr>& best) const {
    Cost lower = rows_.unavoidable + objective_.leaf_penalty;
    if (budget.depth == 0 || best.cost() <= lower) return best.cost();
    const auto greedy = [&](bool look_ahead) {
      const PlanPtr plan = search.greedy_tree(rows_, budget, look_ahead);
      best.offer(plan, plan->cost);
    };
    const bool fits = memory >= 2 * table_bytes(features_);
    if (fits && budget.depth > 1) greedy(false);
    if (!fits || memory < search_bytes(features_, budget.depth)) {
      watch.run_out_of_memory();
      return lower;
    }
    // Shallow trees first: good bounds for deeper ones, and the smaller tree of equals.
    for (int depth = 1; depth <= budget.depth; ++depth) {
      if (best.cost() <= lower && best.tree()->depth <= depth) break;
      if (depth == 3) greedy(true);
      const bool too_deep = best.tree()->depth > depth;
      const SubproblemResult found =
          search.solve(rows_, Budget{depth, budget.splits}.normalized(),
                       std::min(best.cost() - (too_deep ? 0 : 1), upper));
      if (found.plan && !best.offer(found.plan, found.plan->cost) && too_deep)
        best.replace(found.plan);
      if (watch.has_stopped() && depth < budget.depth) return lower;
      if (depth == budget.depth) lower = std::max(lower, std::min(found.lower, best.cost()));
    }
    return std::min(lower, best.cost());
  }

  const EncodedTable& table_;
  FeatureTable features_;
  Objective objective_;
  Rows rows_;
};

}  // namespace
}  // namespace mixedwood::optimal::all_splits

namespace mixedwood::optimal {

std::unique_ptr<Solver> make_all_splits_solver(const EncodedTable& table, const Samples& samples,
                                               const Objective& objective) {
  check(samples, table.n_rows, objective);
  return std::make_unique<all_splits::AllSplitsSolver>(table, samples, objective);
}

}  // namespace mixedwood::optimal
