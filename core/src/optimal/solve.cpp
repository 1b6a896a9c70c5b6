// From outside: a first tree, then deeper and deeper, and an honest answer whenever it ends.
#include <algorithm>
#include <queue>
#include <stdexcept>
#include <utility>

#include "../criteria/impurity.hpp"
#include "search.hpp"

namespace mixedwood {

using namespace optimal;

namespace {

// Counts of pairs of a set of rows; a quarter of a memory limit where that is less.
constexpr std::size_t kMatrixBytes = std::size_t{1} << 28;

// All that a depth has room for.
Budget full(std::int32_t depth) {
  return {depth, depth >= 62 ? kNoBound : (std::int64_t{1} << depth) - 1};
}

double gini(std::span<const Cost> counts) { return weighted_impurity<GiniPurity>(counts); }

}  // namespace

// Best first by Gini's gain, within the budget. When it is stopped, `tree` is what has grown so far.
void OptimalSolver::Search::greedy(const Budget& budget, PlainTree& tree) {
  struct Candidate {
    double gain;
    std::size_t node, column;
    std::int32_t depth;
    std::vector<Word> rows;
    bool operator<(const Candidate& other) const { return gain < other.gain; }
  };
  std::priority_queue<Candidate> waiting;
  const auto n_classes = static_cast<std::size_t>(table_.n_classes());
  const auto consider = [&](std::size_t node, std::int32_t depth, const Rows& rows) {
    if (depth >= budget.depth || rows.errors == 0 || rows.n_rows < 2 * settings_.min_leaf) return;
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
      if (n_with < settings_.min_leaf || rows.n_rows - n_with < settings_.min_leaf) continue;
      const double gain = gini(all) - gini({one.data(), n_classes}) -
                          gini({other.data(), n_classes});
      if (gain > best.gain * (1.0 + 1e-12)) {
        best.gain = gain;
        best.column = f;
      }
    }
    if (best.gain <= 0.0) return;
    best.rows = rows.words;
    waiting.push(std::move(best));
  };
  consider(0, 0, all_);
  Rows rows, with, without;
  for (std::int64_t n = 0; n < budget.tests && !waiting.empty(); ++n) {
    const Candidate next = waiting.top();
    waiting.pop();
    rows.words = next.rows;
    rows.measure(table_);
    divide(table_, rows, next.column, with, without);
    tree.split(next.node, static_cast<std::int32_t>(next.column));
    consider(static_cast<std::size_t>(tree.yes[next.node]), next.depth + 1, with);
    consider(static_cast<std::size_t>(tree.no[next.node]), next.depth + 1, without);
  }
}

// Each node by the best tree of so many levels for its rows, of which only the first test is kept.
void OptimalSolver::Search::look_ahead(const Rows& rows, std::int32_t depth, std::int32_t levels,
                                       PlainTree& tree, std::size_t node) {
  const Budget ahead = full(std::min(depth, levels));
  const auto s = best(rows, ahead, kNoBound);
  if (!s || s->column == kLeafOnly) return;
  if (depth <= levels || s->column == kSmallTree) {
    write(rows, ahead, *s, tree, node);
    return;
  }
  Rows with, without;
  divide(table_, rows, static_cast<std::size_t>(s->column), with, without);
  tree.split(node, s->column);
  const auto yes = static_cast<std::size_t>(tree.yes[node]),
             no = static_cast<std::size_t>(tree.no[node]);
  look_ahead(with, depth - 1, levels, tree, yes);
  look_ahead(without, depth - 1, levels, tree, no);
}

// A tree with its last levels replaced by the best for their rows.
void OptimalSolver::Search::polish(const Rows& rows, std::int32_t depth, std::int32_t levels,
                                   const PlainTree& from, std::size_t node, PlainTree& to,
                                   std::size_t at) {
  if (depth <= levels) {
    if (const auto s = best(rows, full(depth), kNoBound)) write(rows, full(depth), *s, to, at);
    return;
  }
  if (from.test[node] < 0) return;
  Rows with, without;
  divide(table_, rows, static_cast<std::size_t>(from.test[node]), with, without);
  to.split(at, from.test[node]);
  const auto yes = static_cast<std::size_t>(to.yes[at]), no = static_cast<std::size_t>(to.no[at]);
  polish(with, depth - 1, levels, from, static_cast<std::size_t>(from.yes[node]), to, yes);
  polish(without, depth - 1, levels, from, static_cast<std::size_t>(from.no[node]), to, no);
}

// What the subtree costs, after tests are taken out that do not pay.
Cost OptimalSolver::Search::prune(const Rows& rows, PlainTree& tree, std::size_t node) const {
  if (tree.test[node] < 0) return leaf(rows);
  Rows with, without;
  divide(table_, rows, static_cast<std::size_t>(tree.test[node]), with, without);
  const Cost cost = prune(with, tree, static_cast<std::size_t>(tree.yes[node])) +
                    prune(without, tree, static_cast<std::size_t>(tree.no[node]));
  if (cost < leaf(rows)) return cost;
  tree.test[node] = tree.yes[node] = tree.no[node] = -1;
  return leaf(rows);
}

void OptimalSolver::Search::take(PlainTree tree) {
  const Cost cost = prune(all_, tree, 0);
  if (cost >= cost_) return;
  cost_ = cost;
  tree_ = std::move(tree);
  trace_.push_back({std::chrono::duration<double>(Stop::Clock::now() - start_).count(), cost});
}

// What is proven when the search was stopped.
Cost OptimalSolver::Search::bound_of_root(const Budget& budget) const {
  const Cost known = lower_bound(all_, budget);
  Cost least = leaf(all_);
  Rows with, without;
  const Budget below{budget.depth - 1, budget.tests - 1};
  for (std::size_t f = 0; f < table_.n_columns() && least > known; ++f) {
    divide(table_, all_, f, with, without);
    if (with.n_rows < settings_.min_leaf || without.n_rows < settings_.min_leaf) continue;
    least = std::min(least, lower_bound(with, below) + lower_bound(without, below));
  }
  return std::max(known, least);
}

OptimalResult OptimalSolver::Search::solve(const OptimalBudget& wanted, Stop& stop) {
  if (wanted.max_depth < 0) throw std::invalid_argument("the depth must not be negative");
  stop_ = &stop;
  start_ = Stop::Clock::now();
  memory_ = wanted.memory;
  small_.limit(memory_ < 0 ? kMatrixBytes
                           : std::min(kMatrixBytes, static_cast<std::size_t>(memory_) / 4));
  n_explored_ = 0;
  trace_.clear();
  tree_ = PlainTree{};
  cost_ = kNoBound;
  Budget budget = full(wanted.max_depth);
  if (wanted.max_nodes >= 0) budget.tests = std::min(budget.tests, wanted.max_nodes);
  budget = budget.fit();
  take(PlainTree{});

  OptimalResult result;
  root_ = &all_;
  try {
    if (table_.n_columns() > 0 && budget.depth > 0) {
      // Whatever the time: the answer must not be worse than the greedy tree. Only Ctrl-C ends it.
      PlainTree first;
      stop.hold_time(true);
      try {
        greedy(budget, first);
      } catch (const Stopped&) {
        take(std::move(first));
        throw;
      }
      stop.hold_time(false);
      take(std::move(first));
      Budget last{0, 0};
      for (std::int32_t depth = 1; depth <= budget.depth; ++depth) {
        const Budget step = Budget{depth, budget.tests}.fit();
        if (step == last) break;
        last = step;
        // A tree that costs more than wanted is a guide only.
        if (const auto s = best(all_, step, std::min(wanted.upper_bound, cost_ - 1))) {
          PlainTree tree;
          write(all_, step, *s, tree, 0);
          take(std::move(tree));
        }
        // What was learnt of this depth makes better trees of the depth wanted.
        if (depth >= 3 && depth < budget.depth && budget == full(budget.depth)) {
          PlainTree polished, ahead;
          polish(all_, budget.depth, depth, PlainTree(tree_), 0, polished, 0);
          take(std::move(polished));
          look_ahead(all_, budget.depth, depth, ahead, 0);
          take(std::move(ahead));
        }
        if (cost_ <= cheap_bound(all_)) break;
      }
    }
    result.lower_bound = std::min(cost_, std::max<Cost>(-1, wanted.upper_bound) + 1);
    if (wanted.upper_bound >= cost_) result.lower_bound = cost_;
    result.status = cost_ <= wanted.upper_bound ? ProofStatus::kOptimal : ProofStatus::kInfeasible;
  } catch (const Stopped&) {
    result.status = why_stopped(stop);
    result.lower_bound = std::min(cost_, bound_of_root(budget));
  }
  root_ = nullptr;
  if (cost_ <= wanted.upper_bound) {
    // Nodes that pruning has cut off are left behind.
    std::vector<std::size_t> order{0};
    PlainTree tree;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::size_t node = order[at];
      if (tree_.test[node] < 0) continue;
      tree.split(at, tree_.test[node]);
      order.push_back(static_cast<std::size_t>(tree_.yes[node]));
      order.push_back(static_cast<std::size_t>(tree_.no[node]));
    }
    result.test = std::move(tree.test);
    result.yes = std::move(tree.yes);
    result.no = std::move(tree.no);
    for (auto& t : result.test)
      if (t >= 0) t = table_.original(static_cast<std::size_t>(t));
    result.cost = cost_;
  } else {
    result.cost = kNoBound;
  }
  result.n_explored = n_explored_;
  result.n_cached = static_cast<std::int64_t>(cache_.n_sets());
  result.cache_bytes = static_cast<std::int64_t>(cache_.bytes());
  result.trace = trace_;
  result.seconds = std::chrono::duration<double>(Stop::Clock::now() - start_).count();
  return result;
}

OptimalSolver::OptimalSolver(const BinaryProblem& problem, const OptimalSettings& settings) {
  if (settings.min_leaf < 1) throw std::invalid_argument("a leaf needs at least one row");
  if (settings.leaf_cost < 0) throw std::invalid_argument("the cost of a leaf must not be negative");
  if (settings.error_cost < 1 || settings.error_cost > (Cost{1} << 24) ||
      settings.leaf_cost > (Cost{1} << 56))
    throw std::invalid_argument("an error must cost 1 to 2^24, a leaf at most 2^56");
  Cost total = problem.weights.empty() ? static_cast<Cost>(problem.n_rows) : 0;
  for (const auto w : problem.weights) total += std::clamp<Cost>(w, 0, kMostWeight - total);
  if (total > kMostWeight / settings.error_cost)
    throw std::invalid_argument("weights times the cost of an error must add up to 2^56 at most");
  search_ = std::make_unique<Search>(problem, settings);
}
OptimalSolver::~OptimalSolver() = default;
OptimalSolver::OptimalSolver(OptimalSolver&&) noexcept = default;
OptimalSolver& OptimalSolver::operator=(OptimalSolver&&) noexcept = default;
OptimalResult OptimalSolver::solve(const OptimalBudget& budget, Stop& stop) {
  return search_->solve(budget, stop);
}

}  // namespace mixedwood
