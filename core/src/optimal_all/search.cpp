#include "search.hpp"

#include <algorithm>

#include "deep_roots.hpp"

namespace mixedwood::all_splits {

Budget Budget::of(int depth, std::int64_t tests) {
  const std::int64_t room = (std::int64_t{1} << std::min(depth, 60)) - 1;
  tests = std::min(tests, room);
  return {static_cast<int>(std::min<std::int64_t>(depth, tests)), tests};
}

std::int64_t table_bytes(const Options& options) {
  return static_cast<std::int64_t>(options.n_rows() * options.list.size()) * 8;
}

// Ranks and sorted rows; the rows of both sides on every level; items of the depth-two search.
std::int64_t search_bytes(const Options& options, int depth) {
  const auto cells = static_cast<std::int64_t>(options.n_rows() * options.list.size());
  const std::int64_t number = options.total_weight > 32767 ? 4 : 2;
  return table_bytes(options) + cells * (4 * std::max(depth - 1, 1) + 2 * number + 4);
}

Search::Search(const Options& options, const AllSplitsSettings& settings, Watch& watch)
    : options_(options),
      limits_{settings.leaf_cost, settings.min_leaf},
      watch_(watch),
      depth_two_(options, limits_, watch),
      stumps_(options, settings.min_leaf),
      cache_(options.n_rows(),
             std::max<std::int64_t>(
                 0, settings.memory_limit - search_bytes(options, settings.max_depth))),
      side_(options.n_rows(), 0) {}

PlanPtr Search::leaf(const Rows& rows) const {
  auto plan = std::make_shared<Plan>();
  plan->cost = leaf_cost(rows);
  return plan;
}

Found Search::solve(const Rows& rows, Budget budget, std::int64_t bound,
                    std::vector<std::int64_t>* lower_of) {
  const std::int64_t as_leaf = leaf_cost(rows);
  const std::int64_t least_split = rows.unavoidable + 2 * limits_.leaf_cost;
  if (budget.depth == 0 || as_leaf <= least_split || rows.n < 2 * limits_.min_leaf)
    return {as_leaf <= bound ? leaf(rows) : nullptr, as_leaf};
  if (least_split > bound) return {nullptr, least_split};
  std::int64_t lower = least_split;
  const bool keep = budget.depth > 1 && rows.n > 8;
  if (keep) {
    if (const Cache::Entry* entry = cache_.find(rows))
      for (const Known& known : entry->known) {
        if (known.depth < budget.depth || known.tests < budget.tests) continue;
        lower = std::max(lower, known.lower);
        if (known.depth == budget.depth && known.tests == budget.tests && known.best != nullptr)
          return {known.lower <= bound ? known.best : nullptr, known.lower};
      }
    if (lower > bound) return {nullptr, lower};
  }
  if (watch_.has_stopped()) return {as_leaf <= bound ? leaf(rows) : nullptr, lower};
  ++n_explored_;
  std::vector<std::int64_t> own;
  if (lower_of == nullptr) {
    own.assign(options_.list.size(), 0);
    lower_of = &own;
  }
  Found found = budget.depth == 1   ? solve_stump(rows, bound)
                : budget.depth == 2 ? solve_two(rows, budget, bound, *lower_of)
                                    : solve_deep(rows, budget, bound, *lower_of);
  found.lower = std::max(found.lower, lower);
  if (keep && !watch_.has_stopped())
    cache_.store(rows, {budget.depth, budget.tests, found.lower, found.plan});
  return found;
}

Found Search::solve_stump(const Rows& rows, std::int64_t bound) {
  Stump stump = stumps_.best(rows);
  const std::int64_t cost = stump.errors + 2 * limits_.leaf_cost;
  if (stump.test.option < 0 || cost >= leaf_cost(rows)) {
    const std::int64_t as_leaf = leaf_cost(rows);
    return {as_leaf <= bound ? leaf(rows) : nullptr, as_leaf};
  }
  if (cost > bound) return {nullptr, cost};
  auto plan = std::make_shared<Plan>();
  plan->cost = cost;
  plan->test = std::move(stump.test);
  plan->deferred = true;
  plan->depth = 1;
  return {plan, cost};
}

Found Search::solve_two(const Rows& rows, Budget budget, std::int64_t bound,
                        std::vector<std::int64_t>& lower_of) {
  DepthTwoResult result =
      depth_two_.solve(rows, static_cast<int>(budget.tests), bound, lower_of);
  if (result.cost > bound) return {nullptr, result.lower};
  auto plan = std::make_shared<Plan>();
  plan->cost = result.cost;
  plan->test = std::move(result.test);
  plan->deferred = true;
  plan->left_stump = result.left_stump;
  plan->right_stump = result.right_stump;
  plan->depth = plan->test.option < 0 ? 0 : 2;
  return {plan, result.lower};
}

Found Search::solve_deep(const Rows& rows, Budget budget, std::int64_t bound,
                         std::vector<std::int64_t>& lower_of) {
  while (sides_.size() <= static_cast<std::size_t>(budget.depth)) sides_.emplace_back();
  RootSearch root(*this, rows, budget, bound, lower_of);
  return root.run();
}

}  // namespace mixedwood::all_splits
