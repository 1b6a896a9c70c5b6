#include "search.hpp"

#include <functional>

namespace mixedwood::rebinarise {

// A tree with j leaves names j classes at most, and gets all others wrong.
std::int64_t Search::floor_of(Weights weights, std::int64_t excess, std::int64_t rows,
                              Budget budget) {
  std::int64_t floor = leaf_cost(weights);
  if (budget.depth == 0 || rows < 2 * settings_.min_leaf) return floor;
  const std::int64_t leaves = budget.nodes + 1;
  std::int64_t left = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  sorted_.assign(weights.begin(), weights.end());
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  for (std::size_t j = 0; j < sorted_.size(); ++j) {
    const auto used = static_cast<std::int64_t>(j) + 1;
    if (used > leaves) break;
    left -= sorted_[j];
    if (used > 1) floor = std::min(floor, used * settings_.leaf_cost + std::max(left, excess));
    if (left <= excess && used > 1) break;
  }
  return floor;
}

void Search::add_row(RowSet& set, std::int32_t row) const {
  const auto r = static_cast<std::size_t>(row);
  set.rows.push_back(row);
  set.weights[static_cast<std::size_t>(table_.classes[r])] += table_.weights[r];
  set.excess += table_.excess[r];
  set.hash ^= keys_[r];
}

RowSet Search::all_rows() const {
  RowSet set;
  set.weights.assign(table_.n_classes, 0);
  set.rows.reserve(table_.n_rows);
  for (std::size_t row = 0; row < table_.n_rows; ++row)
    add_row(set, static_cast<std::int32_t>(row));
  return set;
}

std::pair<RowSet, RowSet> Search::split(const RowSet& set, const NodeTest& test) {
  std::pair<RowSet, RowSet> sides;
  sides.first.weights.assign(table_.n_classes, 0);
  sides.second.weights.assign(table_.n_classes, 0);
  const std::int32_t* codes = table_.columns[static_cast<std::size_t>(test.column)].codes.data();
  for (const std::int32_t value : test.values) is_listed_[static_cast<std::size_t>(value)] = 1;
  for (const std::int32_t row : set.rows) {
    const std::int32_t code = codes[row];
    const bool yes = test.values.empty()
                         ? code > test.after && code <= test.upto
                         : code >= 0 && is_listed_[static_cast<std::size_t>(code)] != 0;
    add_row(yes ? sides.first : sides.second, row);
  }
  for (const std::int32_t value : test.values) is_listed_[static_cast<std::size_t>(value)] = 0;
  return sides;
}

TreePtr Search::solve(const RowSet& set, Budget budget, std::int64_t most) {
  if (stop_.requested()) throw Stopped{};
  if (most < 0) return nullptr;
  ++n_explored_;
  const std::int64_t as_leaf = leaf_cost(set.weights);
  const auto rows = static_cast<std::int64_t>(set.rows.size());
  std::int64_t floor = floor_of(set.weights, set.excess, rows, budget);
  if (floor > most) return nullptr;
  if (floor == as_leaf) return leaf(set);
  const RowMemo::Known known = memo_.find(set, budget);
  if (known.best) return known.best->cost <= most ? known.best : nullptr;
  floor = std::max(floor, known.lower_bound);
  if (floor > most) return nullptr;
  if (floor == as_leaf) return leaf(set);
  return budget.depth == 1 ? best_stump(set, most) : best_branch(set, budget, most, false);
}

TreePtr Search::best_stump(const RowSet& set, std::int64_t most) {
  std::int64_t least = leaf_cost(set.weights), yes_cost = 0;
  NodeTest test;
  each_test(set, [&](const SeenTest& seen, Weights no) {
    const std::int64_t cost = leaf_cost(seen.yes);
    if (cost + leaf_cost(no) >= least) return;
    least = cost + leaf_cost(no);
    yes_cost = cost;
    test = tests_.kept(seen);
  });
  const TreePtr best =
      test.column < 0 ? leaf(set) : branch(test, leaf_of(yes_cost), leaf_of(least - yes_cost));
  memo_.add(set, {1, 1}, best, least);
  return least <= most ? best : nullptr;
}

std::vector<Option> Search::options_of(const RowSet& set, Budget budget) {
  const Budget below = normal(budget.depth - 1, budget.nodes - 1);
  const auto n = static_cast<std::int64_t>(set.rows.size());
  std::vector<Option> options;
  each_test(set, [&](const SeenTest& seen, Weights no) {
    const std::int64_t floor =
        floor_of(seen.yes, seen.yes_excess, seen.yes_rows, below) +
        floor_of(no, set.excess - seen.yes_excess, n - seen.yes_rows, below);
    options.push_back({tests_.kept(seen), leaf_cost(seen.yes) + leaf_cost(no), floor});
  });
  // Good trees first; of equals, the first.
  std::stable_sort(options.begin(), options.end(),
                   [](const Option& a, const Option& b) { return a.stump < b.stump; });
  return options;
}

TreePtr Search::best_branch(const RowSet& set, Budget budget, std::int64_t most, bool is_root) {
  const std::vector<Option> options = options_of(set, budget);
  const std::int64_t as_leaf = leaf_cost(set.weights);
  TreePtr best = as_leaf <= most ? leaf(set) : nullptr;
  if (!options.empty() && options[0].stump <= most && options[0].stump < as_leaf) {
    const auto [yes, no] = split(set, options[0].test);
    best = branch(options[0].test, leaf(yes), leaf(no));
  }
  if (is_root && best) keep(best);
  std::int64_t refined = as_leaf;
  std::size_t at = 0;
  try {
    for (; at < options.size(); ++at)
      try_option(set, options[at], budget, most, is_root, best, refined);
  } catch (const Stopped&) {
    if (is_root) {  // nothing is below what the tests that were not finished may still give
      root_floor_ = best ? best->cost : std::max(most + 1, refined);
      for (; at < options.size(); ++at) root_floor_ = std::min(root_floor_, options[at].floor);
    }
    throw;
  }
  memo_.add(set, budget, best, best ? best->cost : std::max(most + 1, refined));
  return best;
}

void Search::try_option(const RowSet& set, const Option& option, Budget budget, std::int64_t most,
                        bool is_root, TreePtr& best, std::int64_t& refined) {
  const auto limit = [&] { return best ? best->cost - 1 : most; };
  if (option.floor > limit()) {
    refined = std::min(refined, option.floor);
    return;
  }
  const auto [yes, no] = split(set, option.test);
  const std::int64_t most_below = std::min(most_nodes(budget.depth - 1), budget.nodes - 1);
  const bool yes_first = leaf_cost(yes.weights) >= leaf_cost(no.weights);
  const RowSet& first = yes_first ? yes : no;
  const RowSet& second = yes_first ? no : yes;
  for (std::int64_t share = budget.nodes - 1 - most_below; share <= most_below; ++share) {
    const Budget for_first = normal(budget.depth - 1, share);
    const Budget for_second = normal(budget.depth - 1, budget.nodes - 1 - share);
    const std::int64_t least_second = lower_bound(second, for_second);
    const TreePtr one = solve(first, for_first, limit() - least_second);
    const TreePtr other = one ? solve(second, for_second, limit() - one->cost) : nullptr;
    if (!other) {  // a failed search has left a better bound behind
      const std::int64_t least_first = one ? one->cost : lower_bound(first, for_first);
      const std::int64_t both = least_first + (one ? lower_bound(second, for_second) : least_second);
      refined = std::min(refined, std::max(both, limit() + 1));
      continue;
    }
    best = yes_first ? branch(option.test, one, other) : branch(option.test, other, one);
    if (is_root) keep(best);
  }
}

}  // namespace mixedwood::rebinarise
