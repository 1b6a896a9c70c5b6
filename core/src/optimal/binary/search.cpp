#include "search.hpp"

#include <algorithm>
#include <utility>

namespace mixedwood::optimal::binary {

Search::Search(const BinaryProblem& problem, const Objective& objective,
               const BinarySwitches& switches)
    : table_(problem, pair_kernels(switches), switches.merge_rows, objective.min_samples_leaf > 1),
      objective_(objective),
      switches_(switches),
      depth_two_(table_, objective, switches) {
  all_.words.assign(table_.everything().begin(), table_.everything().end());
  all_.measure(table_);
  has_unavoidable_ =
      switches.equivalent_points && table_.weight_in(all_.words, table_.unavoidable()) > 0;
}

// Without the cache: one leaf, and rows that no tree classifies correctly.
Cost Search::simple_bound(std::span<const Word> rows) const {
  Cost bound = objective_.leaf_penalty;
  if (has_unavoidable_)
    bound += objective_.error_penalty * table_.weight_in(rows, table_.unavoidable());
  return bound;
}

Cost Search::lower_bound(const Rows& rows, const Budget& wanted) const {
  const Budget budget = wanted.normalized();
  if (budget.depth == 0) return leaf(rows);
  Cost bound = simple_bound(rows.words);
  if (switches_.cache) {
    bound = std::max(bound, cache_.lower_bound(rows.key(), budget));
    if (budget.depth <= 2)
      if (const auto* e = cache_.extra(rows.key()))
        return best_depth_two(*e, budget.splits, objective_).cost;
  }
  if (switches_.similarity)
    if (const auto a = archives_.find(budget.depth); a != archives_.end())
      bound = std::max(bound, a->second.lower_bound(rows, budget));
  return bound;
}

DepthTwoTable Search::depth_two_table(const Rows& rows) {
  if (switches_.cache)
    if (const auto* known = cache_.extra(rows.key())) return *known;
  ++n_explored_;
  const DepthTwoTable result = depth_two_.counter(rows.words).solve(rows.words, false, *stop_);
  if (switches_.cache) cache_.store_extra(rows.key(), result);
  return result;
}

Search::Result Search::solve(const Rows& rows, Budget wanted, Cost upper) {
  if (stop_->requested(static_cast<std::int64_t>(table_.n_words()))) throw Stopped{};
  if (cache_.bytes() + static_cast<std::int64_t>(depth_two_.bytes()) > memory_limit_) cache_.evict();
  const Cost as_leaf = leaf(rows);
  const auto if_good = [&](const Solution& s) {
    return s.cost <= upper ? std::optional(s) : std::nullopt;
  };
  const Solution only_leaf{as_leaf};
  const Budget asked = wanted.normalized();
  // A split saves at most all errors and costs a leaf.
  if (asked.depth == 0 || objective_.error_penalty * rows.errors <= objective_.leaf_penalty ||
      rows.n_rows < 2 * objective_.min_samples_leaf)
    return if_good(only_leaf);

  const Cost bound = lower_bound(rows, asked);
  if (bound > upper) return {};
  if (bound >= as_leaf) return if_good(only_leaf);
  if (switches_.cache)
    if (const auto known = optimum(cache_, rows.key(), asked)) return if_good(*known);

  // With more splits the leaves alone cost more than the upper bound or the single leaf.
  Budget budget = asked;
  if (objective_.leaf_penalty > 0) {
    const Cost most = std::min(upper, as_leaf) - (simple_bound(rows.words) - objective_.leaf_penalty);
    budget.splits = std::min(budget.splits, most / objective_.leaf_penalty - 1);
    if (budget.splits < 1) return if_good(only_leaf);
    budget = budget.normalized();
  }

  if (budget.depth <= 2)
    return if_good(best_depth_two(depth_two_table(rows), budget.splits, objective_));
  const auto found = budget.depth == 3 ? solve_depth_three(rows, budget, upper, nullptr)
                                       : solve_deeper(rows, budget, upper);
  const Cost learned = found ? found->cost : upper + 1;
  if (budget != asked) remember(rows, asked, found, learned);
  if (switches_.similarity)
    archives_
        .try_emplace(asked.depth, table_, objective_.error_penalty, objective_.min_samples_leaf > 1)
        .first->second.add(rows, asked, learned);
  return found;
}

void Search::remember(const Rows& rows, const Budget& budget, const Result& found, Cost bound) {
  if (!switches_.cache) return;
  if (found)
    cache_.store(rows.key(), budget, *found, found->cost);
  else
    cache_.raise(rows.key(), budget, bound);
}

// Every column with trees of depth two on both sides, from counts of pairs.
Search::Result Search::solve_depth_three(const Rows& rows, Budget budget, Cost upper,
                                         std::vector<Cost>* child_bounds) {
  const bool use_cache = switches_.cache && &rows != root_;
  const bool similarity = switches_.similarity;
  const Cost leaf_penalty = objective_.leaf_penalty, price = objective_.error_penalty;
  const std::size_t m = table_.n_columns();
  Level& here = levels_[2];  // of the children
  ++n_explored_;

  PairCounter& counter = depth_two_.counter(rows.words);
  const DepthTwoTable own = counter.solve(rows.words, true, *stop_);
  if (switches_.cache) cache_.store_extra(rows.key(), own);
  Solution best = best_depth_two(own, budget.splits, objective_);
  Cost refined = best.cost;
  const Cost full = best_depth_two(own, 3, objective_).cost;

  std::vector<Cost> bound_with(m, leaf_penalty), bound_without(m, leaf_penalty);
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < m; ++f) {
    if (child_bounds) (*child_bounds)[f] = kInfinity;
    if (!counter.may_split(f)) continue;
    order.push_back(f);
    if (!similarity) continue;
    // Each child is a part of the whole set.
    bound_with[f] = std::max(leaf_penalty, full - price * (rows.weight - counter.weight(f)));
    bound_without[f] = std::max(leaf_penalty, full - price * counter.weight(f));
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t f) { return counter.errors_after(f); });

  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t f = order[at];
    const Cost allowed = std::min(best.cost - 1, upper);
    Cost bound = bound_with[f] + bound_without[f];
    if (bound <= allowed) {
      divide_words(table_, rows.words, f, here.with.words, here.without.words);
      if (has_unavoidable_)
        bound = std::max(bound_with[f], simple_bound(here.with.words)) +
                std::max(bound_without[f], simple_bound(here.without.words));
    }
    if (bound > allowed) {
      refined = std::min(refined, bound);
      if (child_bounds) (*child_bounds)[f] = bound;
      continue;
    }
    DepthTwoTable with, without;
    bool need_with = true, need_without = true;
    if (use_cache) {
      here.with.hash = hash_of(here.with.words);
      here.without.hash = hash_of(here.without.words);
      if (const auto* e = cache_.extra(here.with.key())) {
        with = *e;
        need_with = false;
      }
      if (const auto* e = cache_.extra(here.without.key())) {
        without = *e;
        need_without = false;
      }
    }
    if (need_with || need_without) {
      n_explored_ += need_with + need_without;
      counter.children(f, here.with.words, here.without.words, need_with ? &with : nullptr,
                       need_without ? &without : nullptr, *stop_);
      if (use_cache) {
        if (need_with) cache_.store_extra(here.with.key(), with);
        if (need_without) cache_.store_extra(here.without.key(), without);
      }
    }
    const Solution s =
        best_depth_three(static_cast<std::int32_t>(f), with, without, budget.splits, objective_);
    refined = std::min(refined, s.cost);
    if (child_bounds) (*child_bounds)[f] = s.cost;
    if (s.cost <= allowed) {
      best = s;
      if (&rows == root_) offer(budget, best);
    }
    if (!similarity || objective_.min_samples_leaf > 1 || !counter.has_pairs()) continue;
    // Bounds of these two children, less their surplus weight, hold for the columns that follow.
    const Cost t1 = best_depth_two(with, 3, objective_).cost;
    const Cost t0 = best_depth_two(without, 3, objective_).cost;
    const Cost w1 = counter.weight(f), total = rows.weight;
    for (std::size_t next = at + 1; next < order.size(); ++next) {
      const std::size_t g = order[next];
      const Cost both = counter.weight(f, g), g1 = counter.weight(g);
      bound_with[g] =
          std::max({bound_with[g], t1 - price * (w1 - both), t0 - price * (total - w1 - g1 + both)});
      bound_without[g] = std::max({bound_without[g], t1 - price * both, t0 - price * (g1 - both)});
    }
  }
  const Result result = best.cost <= upper ? Result(best) : std::nullopt;
  remember(rows, budget, result, std::max(upper + 1, refined));
  return result;
}

Search::Result Search::solve_deeper(const Rows& rows, Budget budget, Cost upper) {
  Level& here = levels_[budget.depth];
  const std::size_t m = table_.n_columns();
  ++n_explored_;

  // Trees of depth three first: a good tree to beat, and the order of the columns.
  here.child_bounds.resize(m);
  const Budget three = Budget{3, budget.splits}.normalized();
  const Rows* root = std::exchange(root_, nullptr);
  Solution best{leaf(rows)};
  try {
    if (const auto s = solve_depth_three(rows, three, kInfinity, &here.child_bounds);
        s && s->cost < best.cost)
      best = *s;
  } catch (...) {
    root_ = root;
    throw;
  }
  root_ = root;
  const bool is_root = &rows == root_;
  Cost refined = best.cost;
  here.order.clear();
  for (std::size_t f = 0; f < m; ++f)
    if (here.child_bounds[f] < kInfinity) here.order.push_back(f);
  std::ranges::stable_sort(here.order, {}, [&](std::size_t f) { return here.child_bounds[f]; });
  const Cost goal = lower_bound(rows, budget);

  const std::int64_t room =
      budget.depth > 62 ? budget.splits - 1
                        : std::min(budget.splits - 1, (std::int64_t{1} << (budget.depth - 1)) - 1);
  for (const std::size_t f : here.order) {
    if (best.cost <= goal) break;
    divide(table_, rows, f, here.with, here.without);
    // Neither side can use more splits than divide its rows.
    const std::int64_t left = budget.splits - 1;
    const std::int64_t last = std::min(
        room, std::max(left - room, here.with.n_rows / objective_.min_samples_leaf - 1));
    const std::int64_t first_share = std::max(
        left - room, std::min(last, left - (here.without.n_rows / objective_.min_samples_leaf - 1)));
    for (std::int64_t share = first_share; share <= last; ++share) {
      if (stop_->requested()) throw Stopped{};
      const Budget with{budget.depth - 1, share}, without{budget.depth - 1, left - share};
      const Cost allowed = std::min(best.cost - 1, upper);
      Cost bound_with = lower_bound(here.with, with),
           bound_without = lower_bound(here.without, without);
      if (bound_with + bound_without > allowed) {
        refined = std::min(refined, bound_with + bound_without);
        continue;
      }
      // The side with more errors is more likely to exceed what is allowed.
      const bool with_first = here.with.errors >= here.without.errors;
      const Rows &first = with_first ? here.with : here.without,
                 &second = with_first ? here.without : here.with;
      const Budget &budget1 = with_first ? with : without, &budget2 = with_first ? without : with;
      Cost &bound1 = with_first ? bound_with : bound_without,
           &bound2 = with_first ? bound_without : bound_with;
      const auto one = solve(first, budget1, allowed - bound2);
      bound1 = std::max(bound1, one ? one->cost : allowed - bound2 + 1);
      if (!one) {
        refined = std::min(refined, std::max(bound1, lower_bound(first, budget1)) + bound2);
        continue;
      }
      const auto two = solve(second, budget2, allowed - one->cost);
      if (!two) {
        bound2 = std::max({bound2, allowed - one->cost + 1, lower_bound(second, budget2)});
        refined = std::min(refined, bound1 + bound2);
        continue;
      }
      best = {one->cost + two->cost,
              static_cast<std::int32_t>(f),
              share,
              left - share,
              with_first ? one->cost : two->cost,
              with_first ? two->cost : one->cost};
      if (is_root) offer(budget, best);
    }
  }
  const Result result = best.cost <= upper ? Result(best) : std::nullopt;
  remember(rows, budget, result, std::max(upper + 1, refined));
  return result;
}

}  // namespace mixedwood::optimal::binary
