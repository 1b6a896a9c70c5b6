// The solver over all splits of the raw columns, from outside.
#include <algorithm>

#include "../frame/incumbent.hpp"
#include "../frame/problem.hpp"
#include "raw_search.hpp"

namespace mixedwood::optimal::squared_error {
namespace {

// As rows of one class, with their weights.
FeatureTable features_of(const EncodedTable& table, const NumberSamples& samples) {
  const std::vector<std::int32_t> classes(samples.weights.size(), 0);
  std::vector<std::int64_t> weights;
  for (const double w : samples.weights) weights.push_back(static_cast<std::int64_t>(w));
  return {table, {classes, weights, 1}};
}

std::vector<Sums> sums_of(const FeatureTable& features, const NumberSamples& samples) {
  const std::vector<Sums> all = sums_of_rows(samples);
  std::vector<Sums> kept;
  for (const std::int32_t row : features.rows) kept.push_back(all[to_size(row)]);
  return kept;
}

class RawSolver final : public Solver {
 public:
  RawSolver(const EncodedTable& table, const NumberSamples& samples, const Objective& objective)
      : table_(table),
        features_(features_of(table, samples)),
        objective_(objective),
        ticks_(samples.ticks),
        search_(features_, sums_of(features_, samples), samples.ticks, objective),
        rows_(search_.all()) {
    for (const std::int32_t row : features_.rows)
      by_mean_.push_back({samples.weights[to_size(row)], samples.sums[to_size(row)], 1.0, 0, 0});
    for (Sums& row : by_mean_) row.squares = to_ticks(row.gain(), ticks_);
    std::ranges::stable_sort(by_mean_, {}, [](const Sums& s) { return s.sum / s.weight; });
  }

  SolverResult solve(const SearchLimits& limits, Stop& stop) override {
    optimal::check(limits);
    const Cost upper = std::min(limits.upper_bound.value_or(kInfinity), kInfinity);
    search_.start(stop, limits.memory_limit.value_or(kInfinity) / 2);
    Budget budget = budget_of(limits);
    budget.splits = std::min<std::int64_t>(budget.splits, std::max(rows_.rows.n - 1, 0));
    budget = budget.normalized();  // no tree has more leaves than rows
    Incumbent<PlanPtr> best;
    const auto offer = [&](const PlanPtr& plan) { best.offer(plan, plan->cost); };
    offer(search_.leaf(rows_));
    ProofStatus status = ProofStatus::kOptimal;
    Cost lower = 0;
    // No limit ends it, only Ctrl-C.
    const auto grow_best = [&] {
      stop.hold_time(true);
      offer(search_.extend(rows_, best.tree(), budget));
      stop.hold_time(false);
    };
    try {
      grow_best();
      Budget last;
      for (std::int32_t depth = 1; depth <= budget.depth; ++depth) {
        const Budget step = Budget{depth, budget.splits}.normalized();
        if (step == last) break;
        last = step;
        if (const auto found = search_.solve(rows_, step, std::min(upper, best.cost() - 1)); found.plan)
          offer(found.plan);
        if (depth < budget.depth) grow_best();
      }
      const bool found = best.cost() <= upper;
      lower = found ? best.cost() : std::min(best.cost(), std::max<Cost>(-1, upper) + 1);
      if (!found) status = ProofStatus::kInfeasible;
    } catch (const Stopped&) {
      stop.hold_time(false);
      status = status_of(stop);
      // The best tree so far may be shallow: what is returned uses the depth that was asked for.
      try {
        if (!stop.interrupted()) grow_best();
      } catch (const Stopped&) {
        stop.hold_time(false);
        status = status_of(stop);
      }
      lower = std::min(best.cost(), bound(budget));
    }
    SolverResult result = best.result(search_.n_explored(), search_.cache());
    result.status = status;
    result.lower_bound = lower;
    if (best.cost() > upper) return result;
    result.objective_value = best.cost();
    write(rows_, *best.tree(), result.tree);
    return result;
  }

 private:
  // What is known without a search: leaves cost as much as the best division of the numbers.
  Cost bound(const Budget& budget) const {
    return division_bound(by_mean_, budget.splits + 1, objective_.leaf_penalty, ticks_,
                          by_mean_.size());
  }

  std::int32_t write(const RawRows& rows, const Plan& plan, SplitTree& tree) {
    const std::size_t node = tree.nodes.size();
    tree.nodes.emplace_back();
    if (plan.split.feature < 0) return static_cast<std::int32_t>(node);
    RawRows left, right;
    std::vector<std::uint8_t> side(features_.n_rows(), 0);
    all_splits::mark(features_, rows.rows, plan.split, side);
    all_splits::divide(features_, rows.rows, side, left.rows, right.rows);
    SplitTree::Node made;
    const bool left_is_true =
        all_splits::write_split(features_, table_, rows.rows, plan.split, left.rows, made);
    const std::int32_t yes = write(left_is_true ? left : right, left_is_true ? *plan.left : *plan.right, tree);
    const std::int32_t no = write(left_is_true ? right : left, left_is_true ? *plan.right : *plan.left, tree);
    made.if_true = yes;
    made.if_false = no;
    tree.nodes[node] = std::move(made);
    return static_cast<std::int32_t>(node);
  }

  const EncodedTable& table_;
  FeatureTable features_;
  Objective objective_;
  double ticks_;
  RawSearch search_;
  RawRows rows_;
  std::vector<Sums> by_mean_;
};

}  // namespace
}  // namespace mixedwood::optimal::squared_error

namespace mixedwood::optimal {

std::unique_ptr<Solver> make_all_splits_number_solver(const EncodedTable& table,
                                                      const NumberSamples& samples,
                                                      const Objective& objective) {
  squared_error::check(samples, table.n_rows, objective);
  return std::make_unique<squared_error::RawSolver>(table, samples, objective);
}

}  // namespace mixedwood::optimal
