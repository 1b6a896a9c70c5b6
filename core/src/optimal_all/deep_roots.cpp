#include "deep_roots.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mixedwood::all_splits {

RootSearch::RootSearch(Search& s, const Rows& r, Budget b, std::int64_t bound,
                       std::vector<std::int64_t>& lower_of)
    : search(s), rows(r), budget(b), lower_of_(lower_of) {
  const std::int64_t as_leaf = search.leaf_cost(rows);
  best = std::min(bound + 1, as_leaf);
  if (as_leaf <= bound) found.plan = search.leaf(rows);
}

Found RootSearch::run() {
  const std::int64_t most =
      std::min((std::int64_t{1} << std::min(budget.depth - 1, 60)) - 1, budget.tests - 1);
  std::vector<ThresholdRoot> thresholds;
  struct Nominal {
    std::size_t option;
    Budget left, right;
  };
  std::vector<Nominal> nominal;
  std::int64_t lower = search.leaf_cost(rows);
  std::vector<std::int64_t> proven(lower_of_.size(), kNone);
  for (std::size_t o = 0; o < search.options_.list.size(); ++o) {
    if (!is_useful(search.options_, rows, o)) continue;
    if (lower_of_[o] >= best) {
      proven[o] = lower_of_[o];
      continue;
    }
    for (std::int64_t i = budget.tests - 1 - most; i <= most; ++i) {
      const Budget left = Budget::of(budget.depth - 1, budget.tests - 1 - i);
      const Budget right = Budget::of(budget.depth - 1, i);
      if (search.options_.list[o].nominal)
        nominal.push_back({o, left, right});
      else
        thresholds.emplace_back(*this, o, left, right);
    }
  }
  // First one look at the likeliest threshold of each option, the most promising option first.
  std::vector<std::size_t> looks(thresholds.size());
  std::iota(looks.begin(), looks.end(), std::size_t{0});
  std::stable_sort(looks.begin(), looks.end(), [&](std::size_t a, std::size_t b) {
    return thresholds[a].separation() > thresholds[b].separation();
  });
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (const std::size_t i : looks) order.emplace_back(thresholds[i].first_look(), i);
  std::sort(order.begin(), order.end());
  for (const auto& [unused, i] : order) {
    std::int64_t& bound = proven[thresholds[i].option()];
    bound = std::min(bound, thresholds[i].run());
  }
  for (const Nominal& n : nominal) {
    SubsetRoot root(*this, n.option, n.left, n.right);
    proven[n.option] = std::min(proven[n.option], root.run());
  }
  for (std::size_t o = 0; o < proven.size(); ++o) {
    if (proven[o] == kNone && !is_useful(search.options_, rows, o)) continue;
    lower = std::min(lower, std::max(proven[o], lower_of_[o]));
    // With a cost per leaf, or tests to share, a root with an empty side may be cheaper than any
    // other: then nothing is handed on.
    const bool all_tests = budget.depth < 60 && budget.tests == (std::int64_t{1} << budget.depth) - 1;
    if (search.limits_.leaf_cost == 0 && all_tests)
      lower_of_[o] = std::max(lower_of_[o], proven[o]);
  }
  found.lower = lower;
  return found;
}

void RootSearch::offer(const Test& test, const Found& left, const Found& right) {
  if (left.plan == nullptr || right.plan == nullptr) return;
  const std::int64_t cost = left.cost() + right.cost();
  if (cost >= best) return;
  best = cost;
  auto plan = std::make_shared<Plan>();
  plan->cost = cost;
  plan->test = test;
  plan->left = left.plan;
  plan->right = right.plan;
  plan->depth = 1 + std::max(left.plan->depth, right.plan->depth);
  found.plan = std::move(plan);
}

void RootSearch::evaluate(const Test& test, Budget left, Budget right, std::int64_t surplus,
                          Bounds& bounds) {
  mark(search.options_, rows, test, search.side_);
  auto& sides = search.sides_[static_cast<std::size_t>(budget.depth)];
  divide(search.options_, rows, search.side_, sides.left, sides.right);
  const bool left_first = sides.left.n >= sides.right.n;
  std::int64_t& lower_first = left_first ? bounds.left : bounds.right;
  std::int64_t& lower_second = left_first ? bounds.right : bounds.left;
  const std::int64_t allowed = best - 1 + surplus;
  const Found first = search.solve(left_first ? sides.left : sides.right,
                                   left_first ? left : right, allowed - lower_second,
                                   left_first ? &bounds.left_of : &bounds.right_of);
  lower_first = std::max(lower_first, first.lower);
  if (first.plan == nullptr) return;
  const Found second = search.solve(left_first ? sides.right : sides.left,
                                    left_first ? right : left, allowed - first.lower,
                                    left_first ? &bounds.right_of : &bounds.left_of);
  lower_second = std::max(lower_second, second.lower);
  offer(test, left_first ? first : second, left_first ? second : first);
}

}  // namespace mixedwood::all_splits
