// The solver from outside: a greedy tree first, then deeper and deeper searches.
#include <algorithm>
#include <queue>
#include <stdexcept>
#include <utility>

#include "../../criteria/impurity.hpp"
#include "../frame/problem.hpp"
#include "search.hpp"

namespace mixedwood::optimal::binary {
namespace {

// Counts of pairs of a set of rows; a quarter of the memory limit if that is less.
constexpr std::int64_t kMatrixBytes = std::int64_t{1} << 28;

double gini(std::span<const Cost> counts) { return weighted_impurity<GiniPurity>(counts); }

}  // namespace

// Best first by Gini gain, within the budget. If it is stopped, `tree` is what has grown so far.
void Search::greedy(const Budget& budget, SplitTree& tree) {
  struct Candidate {
    double gain;
    std::size_t node, column;
    std::int32_t depth;
    std::vector<Word> rows;
    bool operator<(const Candidate& other) const { return gain < other.gain; }
  };
  std::priority_queue<Candidate> open;
  const auto n_classes = to_size(table_.n_classes());
  const auto consider = [&](std::size_t node, std::int32_t depth, const Rows& rows) {
    if (depth >= budget.depth || rows.errors == 0 || rows.n_rows < 2 * objective_.min_samples_leaf) return;
    Candidate best{0.0, node, 0, depth, {}};
    std::vector<Word> part(rows.words.size());
    std::vector<Cost> one(rows.counts.size()), other(rows.counts.size());
    const std::span<const Cost> all(rows.counts.data(), n_classes);
    for (std::size_t f = 0; f < table_.n_columns(); ++f) {
      if (stop_->requested(static_cast<std::int64_t>(part.size()))) throw Stopped{};
      const auto column = table_.column(f);
      for (std::size_t w = 0; w < part.size(); ++w) part[w] = rows.words[w] & column[w];
      table_.tally(part, one);
      for (std::size_t k = 0; k < one.size(); ++k) other[k] = rows.counts[k] - one[k];
      Cost n_with = 0;
      if (table_.rows_apart())
        n_with = one.back();
      else
        for (const auto c : one) n_with += c;
      if (n_with < objective_.min_samples_leaf || rows.n_rows - n_with < objective_.min_samples_leaf) continue;
      const double gain = gini(all) - gini({one.data(), n_classes}) -
                          gini({other.data(), n_classes});
      if (gain > best.gain * (1.0 + 1e-12)) {
        best.gain = gain;
        best.column = f;
      }
    }
    if (best.gain <= 0.0) return;
    best.rows = rows.words;
    open.push(std::move(best));
  };
  consider(0, 0, all_);
  Rows rows, with, without;
  for (std::int64_t n = 0; n < budget.splits && !open.empty(); ++n) {
    const Candidate next = open.top();
    open.pop();
    rows.words = next.rows;
    rows.measure(table_);
    divide(table_, rows, next.column, with, without);
    const auto [yes, no] = split(tree, next.node, static_cast<std::int32_t>(next.column));
    consider(yes, next.depth + 1, with);
    consider(no, next.depth + 1, without);
  }
}

// Splits each node by the first split of the best tree of this depth for its rows.
void Search::look_ahead(const Rows& rows, std::int32_t depth, std::int32_t levels, SplitTree& tree,
                        std::size_t node) {
  const Budget ahead = Budget::full(std::min(depth, levels));
  const Result s = solve(rows, ahead, kInfinity);
  if (!s || s->column == kLeafOnly) return;
  if (depth <= levels || s->column == kSmallTree) {
    write(rows, ahead, *s, tree, node);
    return;
  }
  Rows with, without;
  divide(table_, rows, to_size(s->column), with, without);
  const auto [yes, no] = split(tree, node, s->column);
  look_ahead(with, depth - 1, levels, tree, yes);
  look_ahead(without, depth - 1, levels, tree, no);
}

// What is proven if the search was stopped.
Cost Search::root_bound(const Budget& budget) const {
  const Cost known = lower_bound(all_, budget);
  Cost least = leaf(all_);
  Rows with, without;
  const Budget below{budget.depth - 1, budget.splits - 1};
  for (std::size_t f = 0; f < table_.n_columns() && least > known; ++f) {
    divide(table_, all_, f, with, without);
    if (std::min(with.n_rows, without.n_rows) < objective_.min_samples_leaf) continue;
    least = std::min(least, lower_bound(with, below) + lower_bound(without, below));
  }
  return std::max(known, least);
}

void Search::search(const Budget& budget, Cost upper) {
  // Whatever the time limit, the result is not worse than the greedy tree. Only Ctrl-C ends it.
  SplitTree first = one_leaf();
  stop_->hold_time(true);
  try {
    greedy(budget, first);
  } catch (const Stopped&) {
    offer(std::move(first));
    throw;
  }
  stop_->hold_time(false);
  offer(std::move(first));
  Budget last;
  for (std::int32_t depth = 1; depth <= budget.depth; ++depth) {
    const Budget step = Budget{depth, budget.splits}.normalized();
    if (step == last) break;
    last = step;
    // A tree above the upper bound only guides the search.
    if (const Result s = solve(all_, step, std::min(upper, incumbent_.cost() - 1))) offer(step, *s);
    // What was learned at this depth makes better trees of the maximum depth.
    if (depth >= 3 && depth < budget.depth && budget == Budget::full(budget.depth)) {
      SplitTree improved = one_leaf(), ahead = one_leaf();
      local_search(all_, budget.depth, depth, SplitTree(incumbent_.tree()), 0, improved, 0);
      offer(std::move(improved));
      look_ahead(all_, budget.depth, depth, ahead, 0);
      offer(std::move(ahead));
    }
    if (incumbent_.cost() <= simple_bound(all_.words)) break;
  }
}

SolverResult Search::solve(const SearchLimits& limits, Stop& stop) {
  check(limits);
  stop_ = &stop;
  memory_limit_ = limits.memory_limit.value_or(kInfinity);
  depth_two_.limit(to_size(std::min(kMatrixBytes, memory_limit_ / 4)));
  n_explored_ = 0;
  incumbent_ = {};
  const Budget budget = budget_of(limits);
  const Cost upper = std::min(limits.upper_bound.value_or(kInfinity), kInfinity);
  offer(one_leaf());
  root_ = &all_;
  ProofStatus status = ProofStatus::kOptimal;
  Cost lower = 0;
  try {
    if (table_.n_columns() > 0 && budget.depth > 0) search(budget, upper);
    const bool found = incumbent_.cost() <= upper;
    lower = found ? incumbent_.cost() : std::min(incumbent_.cost(), std::max<Cost>(-1, upper) + 1);
    if (!found) status = ProofStatus::kInfeasible;
  } catch (const Stopped&) {
    status = status_of(stop);
    lower = std::min(incumbent_.cost(), root_bound(budget));
  }
  root_ = nullptr;
  return result(status, lower, upper, [&](std::size_t f) { return table_.original(f); });
}

}  // namespace mixedwood::optimal::binary

namespace mixedwood::optimal {

std::unique_ptr<Solver> make_binary_solver(std::span<const std::uint8_t> matrix,
                                           std::size_t n_columns, const Samples& samples,
                                           const Objective& objective,
                                           const BinarySwitches& switches) {
  check(samples, samples.classes.size(), objective);
  return std::make_unique<binary::Search>(binary::BinaryProblem{samples, matrix, n_columns},
                                          objective, switches);
}

}  // namespace mixedwood::optimal
