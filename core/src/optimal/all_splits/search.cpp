#include "search.hpp"

#include <algorithm>

#include "../../hash.hpp"
#include "deep_roots.hpp"

namespace mixedwood::optimal::all_splits {

std::int64_t table_bytes(const FeatureTable& features) {
  return static_cast<std::int64_t>(features.n_rows() * features.list.size()) * 8;
}

// Ranks and sorted rows; the rows of both sides on every level; items of the depth-two search.
std::int64_t search_bytes(const FeatureTable& features, int depth) {
  const auto cells = static_cast<std::int64_t>(features.n_rows() * features.list.size());
  const std::int64_t number = features.total_weight > 32767 ? 4 : 2;
  return table_bytes(features) + cells * (4 * std::max(depth - 1, 1) + 2 * number + 4);
}

Search::Search(const FeatureTable& features, const Objective& objective, std::int64_t cache_bytes,
               Watch& watch)
    : features_(features),
      objective_(objective),
      watch_(watch),
      depth_two_(features, objective, watch),
      stumps_(features, objective.min_samples_leaf),
      cache_(sizeof(Plan) + 16),
      cache_bytes_(cache_bytes),
      side_(features.n_rows(), 0) {}

PlanPtr join(const Split& split, PlanPtr left, PlanPtr right) {
  auto plan = std::make_shared<Plan>();
  plan->cost = left->cost + right->cost;
  plan->depth = 1 + std::max(left->depth, right->depth);
  plan->split = split;
  plan->left = std::move(left);
  plan->right = std::move(right);
  return plan;
}

Search::Cache::Key Search::key_of(const Rows& rows) {
  key_.assign((features_.n_rows() + 63) / 64, 0);
  for (const std::int32_t id : rows.ids) key_[to_size(id) / 64] |= std::uint64_t{1} << (id % 64);
  return {key_, hash_of(key_)};
}

PlanPtr Search::leaf(const Rows& rows) const {
  auto plan = std::make_shared<Plan>();
  plan->cost = leaf_cost(rows);
  return plan;
}

SubproblemResult Search::solve(const Rows& rows, Budget budget, std::int64_t bound,
                    std::vector<std::int64_t>* lower_of) {
  const std::int64_t as_leaf = leaf_cost(rows);
  const std::int64_t least_split = rows.unavoidable + 2 * objective_.leaf_penalty;
  if (budget.depth == 0 || as_leaf <= least_split || rows.n < 2 * objective_.min_samples_leaf)
    return {as_leaf <= bound ? leaf(rows) : nullptr, as_leaf};
  if (least_split > bound) return {nullptr, least_split};
  std::int64_t lower = least_split;
  const bool keep = budget.depth > 1 && rows.n > 8;
  if (keep) {
    for (const auto* e = cache_.first(key_of(rows)); e != nullptr; e = cache_.next(*e)) {
      if (!budget.within(e->budget)) continue;
      lower = std::max(lower, e->lower_bound);
      if (e->budget == budget && e->solved)
        return {e->lower_bound <= bound ? e->plan : nullptr, e->lower_bound};
    }
    if (lower > bound) return {nullptr, lower};
  }
  if (watch_.has_stopped()) return {as_leaf <= bound ? leaf(rows) : nullptr, lower};
  ++n_explored_;
  std::vector<std::int64_t> own;
  if (lower_of == nullptr) {
    own.assign(features_.list.size(), 0);
    lower_of = &own;
  }
  SubproblemResult found = budget.depth == 1   ? solve_stump(rows, bound)
                : budget.depth == 2 ? solve_two(rows, budget, bound, *lower_of)
                                    : RootSearch(*this, rows, budget, bound, *lower_of).run();
  found.lower = std::max(found.lower, lower);
  if (keep && !watch_.has_stopped()) {
    if (found.plan)
      cache_.store(key_of(rows), budget, found.plan, found.lower);
    else
      cache_.raise(key_of(rows), budget, found.lower);
    if (cache_.bytes() > cache_bytes_) cache_.evict();
  }
  return found;
}

SubproblemResult Search::solve_stump(const Rows& rows, std::int64_t bound) {
  Stump stump = stumps_.best(rows);
  const std::int64_t cost = stump.errors + 2 * objective_.leaf_penalty;
  if (stump.split.feature < 0 || cost >= leaf_cost(rows)) {
    const std::int64_t as_leaf = leaf_cost(rows);
    return {as_leaf <= bound ? leaf(rows) : nullptr, as_leaf};
  }
  if (cost > bound) return {nullptr, cost};
  auto plan = std::make_shared<Plan>();
  plan->cost = cost;
  plan->split = std::move(stump.split);
  plan->deferred = true;
  plan->depth = 1;
  return {plan, cost};
}

SubproblemResult Search::solve_two(const Rows& rows, Budget budget, std::int64_t bound,
                        std::vector<std::int64_t>& lower_of) {
  DepthTwoResult result = depth_two_.solve(rows, static_cast<int>(budget.splits), bound, lower_of);
  if (result.cost > bound) return {nullptr, result.lower};
  auto plan = std::make_shared<Plan>();
  plan->cost = result.cost;
  plan->split = std::move(result.split);
  plan->deferred = true;
  plan->left_stump = result.left_stump;
  plan->right_stump = result.right_stump;
  plan->depth = plan->split.feature < 0 ? 0 : 2;
  return {plan, result.lower};
}

}  // namespace mixedwood::optimal::all_splits
