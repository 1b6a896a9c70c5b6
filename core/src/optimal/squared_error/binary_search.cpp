#include "binary_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace mixedwood::optimal::squared_error {

BinarySearch::BinarySearch(std::span<const std::uint8_t> matrix, std::size_t n_columns,
                           const NumberSamples& samples, const Objective& objective)
    : table_(matrix, n_columns, samples),
      objective_(objective),
      slack_(rounding(samples.weights.size())),
      pairs_(make_pair_sums(table_, objective)),
      small_trees_(make_pair_sums(table_, objective)) {
  all_.words.assign(table_.n_words(), ~Word{0});
  if (table_.n_rows() % 64 != 0) all_.words.back() = (Word{1} << (table_.n_rows() % 64)) - 1;
  all_.measure(table_);
}

Cost BinarySearch::lower_bound(const RowSet& rows, const Budget& wanted) const {
  const Budget budget = wanted.normalized();
  if (budget.depth == 0) return leaf(rows);
  if (budget.depth <= 2)
    if (const auto* known = cache_.extra(rows.key()))
      return best_depth_two(*known, budget.splits, objective_).cost;
  return std::max(simple_bound(rows), cache_.lower_bound(rows.key(), budget));
}

DepthTwoTable BinarySearch::depth_two_table(const RowSet& rows) {
  if (const auto* known = cache_.extra(rows.key())) return *known;
  ++n_explored_;
  table_of_one_.assign(pairs_->n_numbers(), 0.0);
  std::vector<std::uint32_t> list;
  RowSet::for_each(rows.words, [&](std::size_t r) { list.push_back(static_cast<std::uint32_t>(r)); });
  pairs_->add(table_of_one_, list, 1.0, *stop_);
  const DepthTwoTable result = pairs_->solve(table_of_one_, rows.sums, false, *stop_);
  cache_.store_extra(rows.key(), result);
  return result;
}

BinarySearch::Result BinarySearch::solve(const RowSet& rows, Budget wanted, Cost upper) {
  if (stop_->requested(static_cast<std::int64_t>(table_.n_words()))) throw Stopped{};
  if (cache_.bytes() > memory_limit_) cache_.evict();
  const Cost as_leaf = leaf(rows);
  const auto if_good = [&](const Solution& s) {
    return s.cost <= upper ? std::optional(s) : std::nullopt;
  };
  const Solution only_leaf{as_leaf};
  const Budget asked = wanted.normalized();
  if (asked.depth == 0 || !may_split(rows)) return if_good(only_leaf);

  const Cost bound = lower_bound(rows, asked);
  if (bound > upper) return {};
  if (bound >= as_leaf) return if_good(only_leaf);
  if (const auto known = binary::optimum(cache_, rows.key(), asked)) return if_good(*known);

  // With more splits the leaves alone cost more than the upper bound or the single leaf.
  Budget budget = asked;
  if (objective_.leaf_penalty > 0) {
    const Cost most = std::min(upper, as_leaf) - (simple_bound(rows) - objective_.leaf_penalty);
    budget.splits = std::min(budget.splits, most / objective_.leaf_penalty - 1);
    if (budget.splits < 1) return if_good(only_leaf);
    budget = budget.normalized();
  }

  if (budget.depth <= 2)
    return if_good(best_depth_two(depth_two_table(rows), budget.splits, objective_));
  const auto found = budget.depth == 3 ? solve_depth_three(rows, budget, upper, nullptr)
                                       : solve_deeper(rows, budget, upper);
  if (budget != asked) remember(rows, asked, found, found ? found->cost : upper + 1);
  return found;
}

void BinarySearch::remember(const RowSet& rows, const Budget& budget, const Result& found,
                            Cost bound) {
  if (found)
    cache_.store(rows.key(), budget, *found, found->cost);
  else
    cache_.raise(rows.key(), budget, bound);
}

std::pair<Cost, Cost> BinarySearch::bounds_of_parts(const std::vector<Known>& known,
                                                    std::size_t column) const {
  Cost with = 0, without = 0;
  // A leaf of a part may be too small, where it would not be in the whole.
  if (objective_.min_samples_leaf > 1) return {0, 0};
  const std::uint64_t mask = table_.masks[column];
  for (const Known& k : known) {
    if (table_.group_of[k.column] != table_.group_of[column]) continue;
    const std::uint64_t other = table_.masks[k.column];
    if ((other & ~mask) == 0) with = std::max(with, k.with - slack_);
    if ((mask & ~other) == 0) without = std::max(without, k.without - slack_);
    if ((other & mask) == 0) without = std::max(without, k.with - slack_);
  }
  return {with, without};
}

// Every column with trees of depth two on both sides. Columns of a group are visited one after the
// other, so that only rows whose pattern differs are counted again.
BinarySearch::Result BinarySearch::solve_depth_three(const RowSet& rows, Budget budget, Cost upper,
                                                     std::vector<Cost>* child_bounds) {
  Level& here = levels_[2];  // of the children
  ++n_explored_;
  here.own.assign(pairs_->n_numbers(), 0.0);
  here.by_pattern.resize(table_.n_patterns());
  for (auto& list : here.by_pattern) list.clear();
  std::vector<std::uint32_t> list;
  const std::size_t n_groups = table_.groups.size();
  RowSet::for_each(rows.words, [&](std::size_t r) { list.push_back(static_cast<std::uint32_t>(r)); });
  pairs_->add(here.own, list, 1.0, *stop_);
  const DepthTwoTable own = pairs_->solve(here.own, rows.sums, true, *stop_);
  cache_.store_extra(rows.key(), own);
  Solution best = best_depth_two(own, budget.splits, objective_);
  Cost refined = best.cost;
  if (child_bounds) std::ranges::fill(*child_bounds, kInfinity);

  // Groups by their most promising column.
  std::vector<std::vector<std::size_t>> columns(n_groups);
  std::vector<double> promise(n_groups, -1.0);
  for (const auto& c : pairs_->candidates()) {
    const std::size_t g = table_.group_of[c.column];
    columns[g].push_back(c.column);
    promise[g] = std::max(promise[g], c.gain);
  }
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < n_groups; ++g)
    if (!columns[g].empty()) order.push_back(g);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t g) { return promise[g]; });

  for (const std::size_t g : order) {
    const Group& group = table_.groups[g];
    bool sorted = false;
    std::uint64_t running = 0;  // patterns that are counted
    here.known.clear();
    for (const std::size_t f : columns[g]) {
      const Cost allowed = std::min(best.cost - 1, upper);
      divide(table_, rows, f, here.with, here.without);
      const auto [part_with, part_without] = bounds_of_parts(here.known, f);
      Cost bound_with = std::max(simple_bound(here.with), part_with),
           bound_without = std::max(simple_bound(here.without), part_without);
      const auto skip = [&] {
        if (bound_with + bound_without <= allowed) return false;
        refined = std::min(refined, bound_with + bound_without);
        if (child_bounds) (*child_bounds)[f] = bound_with + bound_without;
        return true;
      };
      if (skip()) continue;
      std::optional<DepthTwoTable> with, without;
      if (const auto* e = cache_.extra(here.with.key())) with = *e;
      if (const auto* e = cache_.extra(here.without.key())) without = *e;
      if (!with || !without) {
        if (!sorted) {  // rows of each pattern
          for (const std::uint32_t r : list) here.by_pattern[table_.patterns_of(r)[g]].push_back(r);
          here.running.assign(pairs_->n_numbers(), 0.0);
          sorted = true;
        }
        const std::uint64_t mask = table_.masks[f];
        if (std::popcount(mask ^ running) > std::popcount(mask)) {
          std::ranges::fill(here.running, 0.0);
          running = 0;
        }
        for (std::uint64_t left = mask ^ running; left != 0; left &= left - 1) {
          const std::size_t p = to_size(std::countr_zero(left));
          pairs_->add(here.running, here.by_pattern[group.first_pattern + p],
                      mask >> p & 1 ? 1.0 : -1.0, *stop_);
        }
        running = mask;
        // The side that costs more as a leaf first: it may cost too much alone.
        const bool with_first = leaf(here.with) >= leaf(here.without);
        const Cost share = std::max(leaf(here.with), leaf(here.without));
        const bool together = share < allowed;  // unlikely to be enough
        const auto solve_sides = [&](bool want_with, bool want_without) {
          want_with &= !with;
          want_without &= !without;
          if (!want_with && !want_without) return;
          n_explored_ += want_with + want_without;
          DepthTwoTable found_with, found_without;
          pairs_->solve_parts(here.running, here.with.sums, here.without.sums,
                              want_with ? &found_with : nullptr,
                              want_without ? &found_without : nullptr, *stop_);
          if (want_with) cache_.store_extra(here.with.key(), *(with = found_with));
          if (want_without) cache_.store_extra(here.without.key(), *(without = found_without));
        };
        solve_sides(with_first || together, !with_first || together);
        const auto& first = with_first ? with : without;
        Cost& bound = with_first ? bound_with : bound_without;
        bound = std::max(bound, best_depth_two(*first, 3, objective_).cost);
        if (skip()) {
          here.known.push_back({f, bound_with, bound_without});
          continue;
        }
        solve_sides(true, true);
      }
      here.known.push_back({f, best_depth_two(*with, 3, objective_).cost,
                            best_depth_two(*without, 3, objective_).cost});
      const Solution s = best_depth_three(static_cast<std::int32_t>(f), *with, *without,
                                          budget.splits, objective_);
      refined = std::min(refined, s.cost);
      if (child_bounds) (*child_bounds)[f] = s.cost;
      if (s.cost <= allowed) {
        best = s;
        if (&rows == root_) offer(budget, best);
      }
    }
  }
  const Result result = best.cost <= upper ? Result(best) : std::nullopt;
  remember(rows, budget, result, std::max(upper + 1, refined));
  return result;
}

// More splits than these do not divide the rows further.
std::int64_t BinarySearch::most_splits_of(const RowSet& rows) const {
  return static_cast<std::int64_t>(rows.sums.rows) / objective_.min_samples_leaf - 1;
}

BinarySearch::Result BinarySearch::solve_deeper(const RowSet& rows, Budget budget, Cost upper) {
  Level& here = levels_[budget.depth];
  ++n_explored_;

  // Trees of depth three first: a good tree to beat, and the order of the columns.
  here.child_bounds.resize(table_.n_columns());
  const Budget three = Budget{3, budget.splits}.normalized();
  const RowSet* root = std::exchange(root_, nullptr);
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
  here.known.clear();
  for (std::size_t f = 0; f < table_.n_columns(); ++f)
    if (here.child_bounds[f] < kInfinity) here.order.push_back(f);
  std::ranges::stable_sort(here.order, {}, [&](std::size_t f) { return here.child_bounds[f]; });
  const Cost goal = lower_bound(rows, budget);

  const std::int64_t room =
      budget.depth > 62 ? budget.splits - 1
                        : std::min(budget.splits - 1, (std::int64_t{1} << (budget.depth - 1)) - 1);
  for (const std::size_t f : here.order) {
    if (best.cost <= goal) break;
    divide(table_, rows, f, here.with, here.without);
    // Bounds of parts hold for any budget that is not larger: only where there is one for all.
    const std::int64_t left = budget.splits - 1;
    const std::int64_t last =
        std::min(room, std::max(left - room, most_splits_of(here.with)));
    const std::int64_t first_share =
        std::max(left - room, std::min(last, left - most_splits_of(here.without)));
    const auto [part_with, part_without] = bounds_of_parts(here.known, f);
    Known now{f, kInfinity, kInfinity};
    for (std::int64_t share = first_share; share <= last; ++share) {
      if (stop_->requested()) throw Stopped{};
      const Budget with{budget.depth - 1, share}, without{budget.depth - 1, left - share};
      const Cost allowed = std::min(best.cost - 1, upper);
      Cost bound_with = std::max(part_with, lower_bound(here.with, with)),
           bound_without = std::max(part_without, lower_bound(here.without, without));
      const auto note = [&] {
        now.with = std::min(now.with, bound_with);
        now.without = std::min(now.without, bound_without);
      };
      if (bound_with + bound_without > allowed) {
        refined = std::min(refined, bound_with + bound_without);
        note();
        continue;
      }
      const bool with_first = leaf(here.with) >= leaf(here.without);
      const RowSet &first = with_first ? here.with : here.without,
                   &second = with_first ? here.without : here.with;
      const Budget &budget1 = with_first ? with : without, &budget2 = with_first ? without : with;
      Cost &bound1 = with_first ? bound_with : bound_without,
           &bound2 = with_first ? bound_without : bound_with;
      const auto one = solve(first, budget1, allowed - bound2);
      bound1 = std::max(bound1, one ? one->cost : allowed - bound2 + 1);
      if (!one) {
        bound1 = std::max(bound1, lower_bound(first, budget1));
        refined = std::min(refined, bound1 + bound2);
        note();
        continue;
      }
      const auto two = solve(second, budget2, allowed - one->cost);
      bound2 = std::max(bound2, two ? two->cost
                                    : std::max(allowed - one->cost + 1, lower_bound(second, budget2)));
      note();
      if (!two) {
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
    // With several shares, bounds of one share are not bounds of another.
    if (first_share == last && left - room == room) here.known.push_back(now);
  }
  const Result result = best.cost <= upper ? Result(best) : std::nullopt;
  remember(rows, budget, result, std::max(upper + 1, refined));
  return result;
}

}  // namespace mixedwood::optimal::squared_error
