#include "search.hpp"

#include <functional>

namespace mixedwood::optimal::per_node {

// A tree with j leaves predicts at most j classes.
std::int64_t Search::simple_bound(Weights weights, std::int64_t unavoidable, std::int64_t rows,
                              Budget budget) {
  std::int64_t bound = leaf_cost(weights);
  if (budget.depth == 0 || rows < 2 * objective_.min_samples_leaf) return bound;
  const std::int64_t leaves = budget.splits + 1;
  std::int64_t left = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  sorted_.assign(weights.begin(), weights.end());
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  for (std::size_t j = 0; j < sorted_.size(); ++j) {
    const auto used = static_cast<std::int64_t>(j) + 1;
    if (used > leaves) break;
    left -= sorted_[j];
    if (used > 1) bound = std::min(bound, used * objective_.leaf_penalty + std::max(left, unavoidable));
    if (left <= unavoidable && used > 1) break;
  }
  return bound;
}

void Search::add_row(RowSet& set, std::int32_t row) const {
  const auto r = to_size(row);
  set.rows.push_back(row);
  table_.add_weight(r, set.weights.data());
  set.unavoidable += table_.unavoidable[r];
}

RowSet Search::all_rows() const {
  RowSet set;
  set.weights.assign(table_.n_classes, 0);
  set.rows.reserve(table_.n_rows);
  for (std::size_t row = 0; row < table_.n_rows; ++row)
    add_row(set, static_cast<std::int32_t>(row));
  make_key(set);
  return set;
}

// Few rows as a list, many as bits; which of them depends on the number of rows.
void Search::make_key(RowSet& set) const {
  const std::size_t n = set.rows.size();
  const bool list = n * 32 < table_.n_rows;
  set.key.assign(1 + (list ? (n + 1) / 2 : table_.n_rows / 64 + 1), 0);
  set.key[0] = n | static_cast<std::uint64_t>(set.depth) << 48;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint64_t>(set.rows[i]);
    if (list)
      set.key[1 + i / 2] |= row << (32 * (i % 2));
    else
      set.key[1 + row / 64] |= std::uint64_t{1} << (row % 64);
  }
  set.hash = hash_of(set.key);
}

void Search::remember(const RowSet& set, Budget budget, const TreePtr& best, std::int64_t bound) {
  if (best)
    cache_.store(key_of(set), budget, best, best->cost);
  else
    cache_.raise(key_of(set), budget, bound);
  if (cache_.bytes() > memory_limit_) cache_.evict();
}

std::pair<RowSet, RowSet> Search::divide(const RowSet& set, const NodeSplit& split) {
  std::pair<RowSet, RowSet> sides;
  sides.first.weights.assign(table_.n_classes, 0);
  sides.second.weights.assign(table_.n_classes, 0);
  sides.first.depth = sides.second.depth = std::min(set.depth + 1, splits_.last_depth());
  const std::int32_t* codes = table_.columns[to_size(split.column)].codes.data();
  for (const std::int32_t value : split.values) is_listed_[to_size(value)] = 1;
  for (const std::int32_t row : set.rows) {
    const std::int32_t code = codes[row];
    const bool if_true = split.values.empty()
                         ? code > split.after && code <= split.upto
                         : code >= 0 && is_listed_[to_size(code)] != 0;
    add_row(if_true ? sides.first : sides.second, row);
  }
  for (const std::int32_t value : split.values) is_listed_[to_size(value)] = 0;
  make_key(sides.first);
  make_key(sides.second);
  return sides;
}

TreePtr Search::solve(const RowSet& set, Budget budget, std::int64_t most) {
  if (stop_.requested()) throw Stopped{};
  if (most < 0) return nullptr;
  ++n_explored_;
  const std::int64_t as_leaf = leaf_cost(set.weights);
  const auto rows = static_cast<std::int64_t>(set.rows.size());
  std::int64_t bound = simple_bound(set.weights, set.unavoidable, rows, budget);
  if (bound > most) return nullptr;
  if (bound == as_leaf) return leaf(set);
  for (const auto* e = cache_.first(key_of(set)); e != nullptr; e = cache_.next(*e)) {
    if (!budget.within(e->budget)) continue;
    bound = std::max(bound, e->lower_bound);
    if (e->solved && e->plan->size.within(budget))
      return e->plan->cost <= most ? e->plan : nullptr;
  }
  if (bound > most) return nullptr;
  if (bound == as_leaf) return leaf(set);
  return budget.depth == 1 ? best_stump(set, most) : best_branch(set, budget, most, false);
}

TreePtr Search::best_stump(const RowSet& set, std::int64_t most) {
  std::int64_t least = leaf_cost(set.weights), true_cost = 0;
  NodeSplit split;
  each_split(set, [&](const CandidateView& seen, Weights if_false) {
    const std::int64_t cost = leaf_cost(seen.if_true);
    if (cost + leaf_cost(if_false) >= least) return;
    least = cost + leaf_cost(if_false);
    true_cost = cost;
    split = splits_.kept(seen);
  });
  const TreePtr best =
      split.column < 0 ? leaf(set) : branch(split, leaf_of(true_cost), leaf_of(least - true_cost));
  remember(set, {1, 1}, best, least);
  return least <= most ? best : nullptr;
}

std::vector<Candidate> Search::candidates_of(const RowSet& set, Budget budget) {
  const Budget below = Budget{budget.depth - 1, budget.splits - 1}.normalized();
  const auto n = static_cast<std::int64_t>(set.rows.size());
  std::vector<Candidate> candidates;
  each_split(set, [&](const CandidateView& seen, Weights if_false) {
    const std::int64_t bound =
        simple_bound(seen.if_true, seen.true_unavoidable, seen.true_rows, below) +
        simple_bound(if_false, set.unavoidable - seen.true_unavoidable, n - seen.true_rows, below);
    candidates.push_back({splits_.kept(seen), leaf_cost(seen.if_true) + leaf_cost(if_false), bound});
  });
  // Good trees first; of equals, the first.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.stump < b.stump; });
  return candidates;
}

TreePtr Search::best_branch(const RowSet& set, Budget budget, std::int64_t most, bool is_root) {
  const std::vector<Candidate> candidates = candidates_of(set, budget);
  const std::int64_t as_leaf = leaf_cost(set.weights);
  TreePtr best = as_leaf <= most ? leaf(set) : nullptr;
  if (!candidates.empty() && candidates[0].stump <= most && candidates[0].stump < as_leaf) {
    const auto [if_true, if_false] = divide(set, candidates[0].split);
    best = branch(candidates[0].split, leaf(if_true), leaf(if_false));
  }
  if (is_root && best) offer(best);
  std::int64_t refined = as_leaf;
  std::size_t at = 0;
  try {
    for (; at < candidates.size(); ++at)
      try_candidate(set, candidates[at], budget, most, is_root, best, refined);
  } catch (const Stopped&) {
    if (is_root) {  // no tree costs less than the bounds of unfinished candidates
      root_bound_ = best ? best->cost : std::max(most + 1, refined);
      for (; at < candidates.size(); ++at) root_bound_ = std::min(root_bound_, candidates[at].bound);
    }
    throw;
  }
  remember(set, budget, best, best ? best->cost : std::max(most + 1, refined));
  return best;
}

void Search::try_candidate(const RowSet& set, const Candidate& candidate, Budget budget, std::int64_t most,
                        bool is_root, TreePtr& best, std::int64_t& refined) {
  const auto limit = [&] { return best ? best->cost - 1 : most; };
  if (candidate.bound > limit()) {
    refined = std::min(refined, candidate.bound);
    return;
  }
  const auto [if_true, if_false] = divide(set, candidate.split);
  const std::int64_t most_below = std::min(Budget::full(budget.depth - 1).splits, budget.splits - 1);
  const bool true_first = leaf_cost(if_true.weights) >= leaf_cost(if_false.weights);
  const RowSet& first = true_first ? if_true : if_false;
  const RowSet& second = true_first ? if_false : if_true;
  for (std::int64_t share = budget.splits - 1 - most_below; share <= most_below; ++share) {
    const Budget for_first = Budget{budget.depth - 1, share}.normalized();
    const Budget for_second = Budget{budget.depth - 1, budget.splits - 1 - share}.normalized();
    const std::int64_t least_second = lower_bound(second, for_second);
    const TreePtr one = solve(first, for_first, limit() - least_second);
    const TreePtr other = one ? solve(second, for_second, limit() - one->cost) : nullptr;
    if (!other) {  // a failed search has left a better bound behind
      const std::int64_t least_first = one ? one->cost : lower_bound(first, for_first);
      const std::int64_t both = least_first + (one ? lower_bound(second, for_second) : least_second);
      refined = std::min(refined, std::max(both, limit() + 1));
      continue;
    }
    best = true_first ? branch(candidate.split, one, other) : branch(candidate.split, other, one);
    if (is_root) offer(best);
  }
}

}  // namespace mixedwood::optimal::per_node
