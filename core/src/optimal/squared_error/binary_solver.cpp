// The solver from outside: a greedy tree first, then deeper and deeper searches.
#include <algorithm>
#include <queue>
#include <utility>

#include "../frame/problem.hpp"
#include "binary_search.hpp"

namespace mixedwood::optimal::squared_error {

using binary::one_leaf;
using binary::split;

namespace {

struct OutOfMemory {};

}  // namespace

// Grows the leaves of `tree`, best first by gain, within the budget. If it is stopped, `tree` is what
// has grown so far.
void BinarySearch::greedy(const Budget& budget, SplitTree& tree) {
  struct Candidate {
    double gain;
    std::size_t node, column;
    std::int32_t depth;
    std::vector<Word> rows;
    bool operator<(const Candidate& other) const { return gain < other.gain; }
  };
  std::priority_queue<Candidate> open;
  const auto consider = [&](std::size_t node, std::int32_t depth, const RowSet& rows) {
    if (depth >= budget.depth || !may_split(rows)) return;
    if (stop_->requested(static_cast<std::int64_t>(table_.n_rows() * table_.groups.size())))
      throw Stopped{};
    const Stump stump = best_stump(table_, rows, objective_.min_samples_leaf);
    if (stump.column < 0) return;
    open.push({stump.gain - rows.sums.gain(), node, to_size(stump.column), depth, rows.words});
  };
  std::int64_t n_splits = 0;
  const auto walk = [&](const auto& self, std::size_t node, std::int32_t depth, const RowSet& here) -> void {
    const SplitTree::Node at = tree.nodes[node];
    if (at.column < 0) return consider(node, depth, here);
    ++n_splits;
    RowSet if_true, if_false;
    divide(table_, here, to_size(at.column), if_true, if_false);
    self(self, to_size(at.if_true), depth + 1, if_true);
    self(self, to_size(at.if_false), depth + 1, if_false);
  };
  walk(walk, 0, 0, all_);
  RowSet rows, with, without;
  for (std::int64_t n = n_splits; n < budget.splits && !open.empty(); ++n) {
    const Candidate next = open.top();
    open.pop();
    rows.words = next.rows;
    divide(table_, rows, next.column, with, without);
    const auto [yes, no] = split(tree, next.node, static_cast<std::int32_t>(next.column));
    consider(yes, next.depth + 1, with);
    consider(no, next.depth + 1, without);
  }
}

// What is proven if the search was stopped.
Cost BinarySearch::root_bound(const Budget& budget) const {
  Cost known = lower_bound(all_, budget);
  // Leaves cost at least what the best division of the numbers alone costs.
  known = std::max(known, division_bound(table_.sums, budget.splits + 1, objective_.leaf_penalty,
                                         table_.ticks, table_.n_given));
  Cost least = leaf(all_);
  RowSet with, without;
  const Budget below{budget.depth - 1, budget.splits - 1};
  for (std::size_t f = 0; f < table_.n_columns() && least > known; ++f) {
    divide(table_, all_, f, with, without);
    if (std::min(with.sums.rows, without.sums.rows) <
        static_cast<double>(objective_.min_samples_leaf))
      continue;
    least = std::min(least, lower_bound(with, below) + lower_bound(without, below));
  }
  return std::max(known, least);
}

// Only Ctrl-C ends it.
void BinarySearch::offer_grown(const Budget& budget, SplitTree tree) {
  stop_->hold_time(true);
  try {
    greedy(budget, tree);
  } catch (const Stopped&) {
    stop_->hold_time(false);
    offer(std::move(tree));
    throw;
  }
  stop_->hold_time(false);
  offer(std::move(tree));
}

void BinarySearch::search(const Budget& budget, Cost upper) {
  // Whatever the time limit, the result is not worse than the greedy tree.
  offer_grown(budget, one_leaf());
  // Four tables of pairs are held at a time, and a set is open.
  const std::size_t bytes = 4 * sizeof(double) * pairs_->n_numbers() + pairs_->kept_bytes();
  if (static_cast<std::int64_t>(bytes) > memory_limit_)
    throw OutOfMemory{};
  Budget last;
  // Tables of depth two have the trees of depth one.
  for (std::int32_t depth = std::min(2, budget.depth); depth <= budget.depth; ++depth) {
    const Budget step = Budget{depth, budget.splits}.normalized();
    if (step == last) break;
    last = step;
    // A tree above the upper bound only guides the search.
    if (const Result s = solve(all_, step, std::min(upper, incumbent_.cost() - 1))) offer(step, *s);
    if (depth < budget.depth) offer_grown(budget, SplitTree(incumbent_.tree()));
    // What was learned at this depth makes better trees of the maximum depth.
    if (depth >= 3 && depth < budget.depth && budget == Budget::full(budget.depth)) {
      SplitTree improved = one_leaf();
      local_search(all_, budget.depth, depth, SplitTree(incumbent_.tree()), 0, improved, 0);
      offer(std::move(improved));
    }
    if (incumbent_.cost() <= simple_bound(all_)) break;
  }
}

SolverResult BinarySearch::solve(const SearchLimits& limits, Stop& stop) {
  optimal::check(limits);
  stop_ = &stop;
  memory_limit_ = limits.memory_limit.value_or(kInfinity);
  n_explored_ = 0;
  incumbent_ = {};
  const Budget budget = budget_of(limits);
  const Cost upper = std::min(limits.upper_bound.value_or(kInfinity), kInfinity);
  offer(one_leaf());
  root_ = &all_;
  ProofStatus status = ProofStatus::kOptimal;
  Cost lower = 0;
  const auto stopped = [&](ProofStatus how) {
    status = how;
    // The best tree so far may be shallow: what is returned uses the depth that was asked for.
    try {
      if (!stop.interrupted()) offer_grown(budget, SplitTree(incumbent_.tree()));
    } catch (const Stopped&) {
      status = status_of(stop);
    }
    lower = std::min(incumbent_.cost(), root_bound(budget));
  };
  try {
    if (table_.n_columns() > 0 && budget.depth > 0) search(budget, upper);
    const bool found = incumbent_.cost() <= upper;
    lower = found ? incumbent_.cost() : std::min(incumbent_.cost(), std::max<Cost>(-1, upper) + 1);
    if (!found) status = ProofStatus::kInfeasible;
  } catch (const Stopped&) {
    stopped(status_of(stop));
  } catch (const OutOfMemory&) {
    stopped(ProofStatus::kMemoryLimit);
  }
  root_ = nullptr;
  return result(status, lower, upper, [&](std::size_t f) { return table_.originals[f]; });
}

}  // namespace mixedwood::optimal::squared_error

namespace mixedwood::optimal {

std::unique_ptr<Solver> make_binary_number_solver(std::span<const std::uint8_t> matrix,
                                                  std::size_t n_columns,
                                                  const NumberSamples& samples,
                                                  const Objective& objective) {
  squared_error::check(samples, samples.weights.size(), objective);
  return std::make_unique<squared_error::BinarySearch>(matrix, n_columns, samples, objective);
}

}  // namespace mixedwood::optimal
