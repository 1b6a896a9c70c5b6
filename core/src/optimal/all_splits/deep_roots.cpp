#include "deep_roots.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mixedwood::optimal::all_splits {

RootSearch::RootSearch(Search& s, const Rows& r, Budget b, std::int64_t bound,
                       std::vector<std::int64_t>& lower_of)
    : search(s), rows(r), budget(b), lower_of_(lower_of) {
  while (search.sides_.size() <= to_size(budget.depth)) search.sides_.emplace_back();
  const std::int64_t as_leaf = search.leaf_cost(rows);
  best = std::min(bound + 1, as_leaf);
  if (as_leaf <= bound) found.plan = search.leaf(rows);
}

SubproblemResult RootSearch::run() {
  const std::int64_t most = std::min(Budget::full(budget.depth - 1).splits, budget.splits - 1);
  std::vector<ThresholdRoot> thresholds;
  struct Nominal {
    std::size_t feature;
    Budget left, right;
  };
  std::vector<Nominal> nominal;
  std::int64_t lower = search.leaf_cost(rows);
  std::vector<std::int64_t> proven(lower_of_.size(), kInfinity);
  for (std::size_t o = 0; o < search.features_.list.size(); ++o) {
    if (!is_useful(search.features_, rows, o)) continue;
    if (lower_of_[o] >= best) {
      proven[o] = lower_of_[o];
      continue;
    }
    for (std::int64_t i = budget.splits - 1 - most; i <= most; ++i) {
      const Budget left = Budget{budget.depth - 1, budget.splits - 1 - i}.normalized();
      const Budget right = Budget{budget.depth - 1, i}.normalized();
      if (search.features_.list[o].nominal)
        nominal.push_back({o, left, right});
      else
        thresholds.emplace_back(*this, o, left, right);
    }
  }
  // First one look at the likeliest threshold of each feature, the most promising feature first.
  std::vector<std::size_t> looks(thresholds.size());
  std::iota(looks.begin(), looks.end(), std::size_t{0});
  std::stable_sort(looks.begin(), looks.end(), [&](std::size_t a, std::size_t b) {
    return thresholds[a].separation() > thresholds[b].separation();
  });
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (const std::size_t i : looks) order.emplace_back(thresholds[i].first_look(), i);
  std::sort(order.begin(), order.end());
  for (const auto& [unused, i] : order) {
    std::int64_t& bound = proven[thresholds[i].feature()];
    bound = std::min(bound, thresholds[i].run());
  }
  for (const Nominal& n : nominal) {
    SubsetRoot root(*this, n.feature, n.left, n.right);
    proven[n.feature] = std::min(proven[n.feature], root.run());
  }
  for (std::size_t o = 0; o < proven.size(); ++o) {
    if (proven[o] == kInfinity && !is_useful(search.features_, rows, o)) continue;
    lower = std::min(lower, std::max(proven[o], lower_of_[o]));
    // With a penalty per leaf, or fewer splits than fit, a root with an empty side may be cheaper than
    // any other: then nothing is passed on.
    if (search.objective_.leaf_penalty == 0 && budget == Budget::full(budget.depth))
      lower_of_[o] = std::max(lower_of_[o], proven[o]);
  }
  found.lower = lower;
  return found;
}

void RootSearch::offer(const Split& split, const SubproblemResult& left, const SubproblemResult& right) {
  if (left.plan == nullptr || right.plan == nullptr) return;
  const std::int64_t cost = left.cost() + right.cost();
  if (cost >= best) return;
  best = cost;
  found.plan = join(split, left.plan, right.plan);
}

void RootSearch::evaluate(const Split& split, Budget left, Budget right, std::int64_t surplus,
                          Bounds& bounds) {
  mark(search.features_, rows, split, search.side_);
  auto& sides = search.sides_[to_size(budget.depth)];
  divide(search.features_, rows, search.side_, sides.left, sides.right);
  const bool left_first = sides.left.n >= sides.right.n;
  std::int64_t& lower_first = left_first ? bounds.left : bounds.right;
  std::int64_t& lower_second = left_first ? bounds.right : bounds.left;
  const std::int64_t allowed = best - 1 + surplus;
  const SubproblemResult first = search.solve(left_first ? sides.left : sides.right,
                                   left_first ? left : right, allowed - lower_second,
                                   left_first ? &bounds.left_of : &bounds.right_of);
  lower_first = std::max(lower_first, first.lower);
  if (first.plan == nullptr) return;
  const SubproblemResult second = search.solve(left_first ? sides.right : sides.left,
                                    left_first ? right : left, allowed - first.lower,
                                    left_first ? &bounds.right_of : &bounds.left_of);
  lower_second = std::max(lower_second, second.lower);
  offer(split, left_first ? first : second, left_first ? second : first);
}

}  // namespace mixedwood::optimal::all_splits
