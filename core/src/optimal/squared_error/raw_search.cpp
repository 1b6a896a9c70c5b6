#include "raw_search.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "../../hash.hpp"

namespace mixedwood::optimal::squared_error {

struct RawSearch::Job {
  const RawRows& rows;
  std::size_t feature = 0;
  Budget left, right;
  std::int64_t least_rows = 1;
  Cost upper = 0;
  PlanPtr best;
  Cost refined = kInfinity;  // no split that was tried costs less
  std::vector<std::int32_t> cuts;  // of an ordered feature: the last rank on the left
  std::vector<Value> values;       // of a nominal one

  Cost allowed() const { return best ? std::min(upper, best->cost - 1) : upper; }
};

RawSearch::RawSearch(const FeatureTable& features, std::vector<Sums> sums, double ticks,
                     const Objective& objective)
    : features_(features),
      sums_(std::move(sums)),
      ticks_(ticks),
      objective_(objective),
      slack_(rounding(sums_.size())),
      cache_(sizeof(Plan)),
      relaxed_cache_(sizeof(Plan)),
      side_(sums_.size(), 0) {}

void RawSearch::sum_up(RawRows& rows) const {
  rows.sums = {};
  for (const std::int32_t id : rows.rows.ids) rows.sums.add(sums_[to_size(id)]);
}

RawRows RawSearch::all() const {
  RawRows rows{all_rows(features_), {}};
  sum_up(rows);
  return rows;
}

void RawSearch::divide(const RawRows& rows, const Split& split, RawRows& left, RawRows& right) {
  all_splits::mark(features_, rows.rows, split, side_);
  all_splits::divide(features_, rows.rows, side_, left.rows, right.rows);
  sum_up(left);
  sum_up(right);
  // What it costs to divide: the rows by every feature.
  if (stop_->requested(static_cast<std::int64_t>(4 * rows.rows.ids.size() * features_.list.size())))
    throw Stopped{};
}

std::vector<std::uint64_t> RawSearch::words_of(const RawRows& rows) const {
  std::vector<std::uint64_t> words((sums_.size() + 63) / 64, 0);
  for (const std::int32_t id : rows.rows.ids)
    words[to_size(id) / 64] |= std::uint64_t{1} << (to_size(id) % 64);
  return words;
}

PlanPtr RawSearch::leaf(const RawRows& rows) const {
  return std::make_shared<const Plan>(Plan{cost_of_leaf(rows.sums), {}, nullptr, nullptr});
}

// Splits at one feature

std::vector<RawSearch::Value> RawSearch::values_of(const RawRows& rows, std::size_t feature) const {
  const auto& rank = features_.list[feature].rank;
  std::vector<Value> values;
  for (const std::int32_t id : rows.rows.by(feature)) {
    const auto row = to_size(id);
    if (values.empty() || values.back().rank != rank[row]) values.push_back({rank[row], {}});
    values.back().sums.add(sums_[row]);
  }
  return values;
}

RawSearch::Stump RawSearch::best_stump(const RawRows& rows, std::size_t feature,
                                       std::int64_t least_rows) {
  std::vector<Value> values = values_of(rows, feature);
  const bool nominal = features_.list[feature].nominal;
  if (nominal)
    std::ranges::stable_sort(values, {}, [](const Value& v) { return v.sums.sum / v.sums.weight; });
  const Sums& all = rows.sums;
  const auto least = static_cast<double>(least_rows);
  Stump best;
  double most = -1.0;  // of any size
  Sums left;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    left.add(values[i].sums);
    const double gain = left.gain() + gain_of(all.weight - left.weight, all.sum - left.sum);
    most = std::max(most, gain);
    if (gain <= best.gain || left.rows < least || all.rows - left.rows < least) continue;
    best.gain = gain;
    best.split = {static_cast<std::int32_t>(feature), values[i].rank, {}};
  }
  if (!nominal) return best;
  if (best.gain >= 0) {
    for (const Value& v : values) {
      best.split.left.push_back(v.rank);
      if (v.rank == best.split.cut) break;
    }
    std::ranges::sort(best.split.left);
  }
  // With a least size the best subset of all may be too small, and others need not be prefixes.
  if (least_rows > 1 && best.gain < most) {
    Stump of_size = best_subset_of_size(values, all, least_rows);
    if (of_size.gain > best.gain) {
      best = std::move(of_size);
      best.split.feature = static_cast<std::int32_t>(feature);
    }
  }
  return best;
}

// One value after the other to either side. The gain of a side is at most that of its parts.
RawSearch::Stump RawSearch::best_subset_of_size(const std::vector<Value>& values, const Sums& all,
                                                std::int64_t least_rows) {
  const auto least = static_cast<double>(least_rows);
  std::vector<double> gain_left(values.size() + 1, 0.0);  // of the values from here on, each alone
  for (std::size_t i = values.size(); i-- > 0;)
    gain_left[i] = gain_left[i + 1] + values[i].sums.gain();
  Stump best;
  std::vector<std::int32_t> chosen;
  const auto visit = [&](const auto& self, std::size_t i, const Sums& left, const Sums& right) -> void {
    if (stop_->requested()) throw Stopped{};
    const double rest = all.rows - left.rows - right.rows;
    if (left.rows + rest < least || right.rows + rest < least) return;
    const double gain = left.gain() + right.gain();
    // A little more than the sum of parts, which rounding may have made too small.
    if ((gain + gain_left[i]) * (1.0 + 1e-12) <= best.gain) return;
    if (i == values.size()) {
      if (gain <= best.gain) return;
      best.gain = gain;
      best.split.left = chosen;
      return;
    }
    Sums more = left;
    more.add(values[i].sums);
    chosen.push_back(values[i].rank);
    self(self, i + 1, more, right);
    chosen.pop_back();
    if (i == 0) return;  // the sides are alike
    more = right;
    more.add(values[i].sums);
    self(self, i + 1, left, more);
  };
  visit(visit, 0, {}, {});
  std::ranges::sort(best.split.left);
  return best;
}

// Trees

RawSearch::Found RawSearch::solve(const RawRows& rows, Budget wanted, Cost upper,
                                  std::int64_t least_rows) {
  if (stop_->requested(static_cast<std::int64_t>(rows.rows.ids.size()))) throw Stopped{};
  if (cache_.bytes() > memory_limit_) cache_.evict();
  if (relaxed_cache_.bytes() > memory_limit_) relaxed_cache_.evict();
  Budget budget = wanted;
  budget.splits = std::min(budget.splits, static_cast<std::int64_t>(rows.sums.rows) / least_rows - 1);
  budget = budget.normalized();
  const Cost as_leaf = cost_of_leaf(rows.sums), penalty = objective_.leaf_penalty;
  const auto if_good = [&](PlanPtr plan) -> Found {
    const Cost cost = plan->cost;
    if (cost > upper) return {nullptr, cost};
    return {std::move(plan), cost};
  };
  if (penalty > 0) {
    budget.splits = std::min(budget.splits, std::min(upper, as_leaf) / penalty - 1);
    if (as_leaf > upper && budget.splits < 1) return {nullptr, upper + 1};
    budget = budget.normalized();
  }
  if (budget.depth <= 0 || as_leaf <= 2 * penalty) return if_good(leaf(rows));
  if (penalty > upper) return {nullptr, penalty};

  const auto words = words_of(rows);
  const Cache::Key key{words, hash_of(words)};
  Cache& cache = least_rows < objective_.min_samples_leaf ? relaxed_cache_ : cache_;
  const Budget asked = wanted.normalized();
  Cost bound = penalty;
  for (const auto* e = cache.first(key); e != nullptr; e = cache.next(*e)) {
    if (e->solved && e->budget == asked) return if_good(e->plan);
    if (asked.within(e->budget)) bound = std::max(bound, e->lower_bound);
  }
  if (bound > upper) return {nullptr, bound};
  ++n_explored_;
  const Found found = solve_deeper(rows, budget, upper, least_rows);
  if (found.plan)
    cache.store(key, asked, found.plan, found.plan->cost);
  else
    cache.raise(key, asked, found.lower);
  return found;
}

RawSearch::Found RawSearch::solve_deeper(const RawRows& rows, Budget budget, Cost upper,
                                         std::int64_t least_rows) {
  // Stumps: they are trees, and the order of features.
  std::vector<Stump> stumps(features_.list.size());
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < stumps.size(); ++f) {
    if (!is_useful(features_, rows.rows, f)) continue;
    if (stop_->requested(static_cast<std::int64_t>(8 * rows.rows.ids.size()))) throw Stopped{};
    stumps[f] = best_stump(rows, f, least_rows);
    // Where leaves must be large a stump may not exist, but no other tree does then either.
    if (stumps[f].gain >= 0) order.push_back(f);
  }
  PlanPtr best = leaf(rows);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t f) { return stumps[f].gain; });
  if (!order.empty()) {
    RawRows left, right;
    const Split& split = stumps[order.front()].split;
    divide(rows, split, left, right);
    PlanPtr one = leaf(left), other = leaf(right);
    if (const Cost cost = one->cost + other->cost; cost < best->cost)
      best = std::make_shared<const Plan>(Plan{cost, split, std::move(one), std::move(other)});
  }
  Cost refined = best->cost;
  if (budget.depth > 1) {
    const std::int64_t left = budget.splits - 1;
    const std::int64_t room =
        budget.depth > 62 ? left : std::min(left, (std::int64_t{1} << (budget.depth - 1)) - 1);
    for (const std::size_t f : order) {
      for (std::int64_t share = left - room; share <= room; ++share) {
        Job job{rows, f, {budget.depth - 1, share}, {budget.depth - 1, left - share}, least_rows,
                upper, best, kInfinity, {}, {}};
        job.left = job.left.normalized();
        job.right = job.right.normalized();
        std::vector<Value> values = values_of(rows, f);
        const Cost none = objective_.leaf_penalty;
        if (features_.list[f].nominal) {
          // Prefixes in the order of the means are often good, and a good tree cuts the search.
          std::ranges::stable_sort(values, {}, [](const Value& v) { return v.sums.sum / v.sums.weight; });
          Split split{static_cast<std::int32_t>(f), 0, {}};
          for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            split.left.push_back(values[i].rank);
            Split sorted = split;
            std::ranges::sort(sorted.left);
            RawRows part, rest;
            divide(rows, sorted, part, rest);
            try_split(job, std::move(sorted), part, rest, none, none);
          }
          job.refined = kInfinity;
          std::ranges::stable_sort(values, std::greater<>{}, [](const Value& v) { return v.sums.weight; });
          job.values = std::move(values);
          std::vector<std::uint8_t> side(job.values.size(), 0);
          search_subsets(job, 0, side, 0, 0);
        } else {
          double before = 0;
          for (std::size_t i = 0; i + 1 < values.size(); ++i) {
            before += values[i].sums.rows;
            if (before >= static_cast<double>(least_rows) &&
                rows.sums.rows - before >= static_cast<double>(least_rows))
              job.cuts.push_back(values[i].rank);
          }
          search_cuts(job, 0, job.cuts.size(), none, none);
        }
        best = job.best;
        refined = std::min(refined, job.refined);
      }
    }
  }
  if (best->cost <= upper) return {best, best->cost};
  return {nullptr, std::max(upper + 1, std::min(refined, best->cost))};
}

Cost RawSearch::bound_of_part(const Job& job, const RawRows& rows, const Budget& budget, Cost upper) {
  // Leaves of any size: with more rows, more leaves are large enough.
  return solve(rows, budget, upper, job.least_rows > 1 ? 1 : job.least_rows).lower;
}

void RawSearch::try_split(Job& job, Split split, const RawRows& left, const RawRows& right,
                          Cost left_bound, Cost right_bound) {
  const Cost allowed = job.allowed();
  const auto least = static_cast<double>(job.least_rows);
  if (left.sums.rows < least || right.sums.rows < least) return;
  if (left_bound + right_bound > allowed) {
    job.refined = std::min(job.refined, left_bound + right_bound);
    return;
  }
  Found one = solve(left, job.left, allowed - right_bound, job.least_rows);
  if (!one.plan) {
    job.refined = std::min(job.refined, std::max(one.lower, left_bound) + right_bound);
    return;
  }
  Found other = solve(right, job.right, allowed - one.plan->cost, job.least_rows);
  if (!other.plan) {
    job.refined = std::min(job.refined, one.plan->cost + std::max(other.lower, right_bound));
    return;
  }
  const Cost cost = one.plan->cost + other.plan->cost;
  job.refined = std::min(job.refined, cost);
  job.best = std::make_shared<const Plan>(
      Plan{cost, std::move(split), std::move(one.plan), std::move(other.plan)});
}

// Cuts from `from` to before `to`: the left sides contain rows that cost `left_bound`, the right
// sides rows that cost `right_bound`.
void RawSearch::search_cuts(Job& job, std::size_t from, std::size_t to, Cost left_bound,
                            Cost right_bound) {
  if (from >= to) return;
  if (left_bound + right_bound > job.allowed()) {
    job.refined = std::min(job.refined, left_bound + right_bound);
    return;
  }
  const std::size_t middle = from + (to - from) / 2;
  const Split split{static_cast<std::int32_t>(job.feature), job.cuts[middle], {}};
  Cost left_here = left_bound, right_here = right_bound;
  {
    RawRows left, right;
    divide(job.rows, split, left, right);
    left_here = std::max(left_here, bound_of_part(job, left, job.left, job.allowed() - right_bound));
    right_here = std::max(right_here, bound_of_part(job, right, job.right, job.allowed() - left_bound));
    try_split(job, split, left, right, left_here, right_here);
  }
  search_cuts(job, from, middle, left_bound, std::max(right_bound, right_here - slack_));
  search_cuts(job, middle + 1, to, std::max(left_bound, left_here - slack_), right_bound);
}

// Values before `next` have a side, 1 or 2. Each side costs at least what its values cost so far.
void RawSearch::search_subsets(Job& job, std::size_t next, std::vector<std::uint8_t>& side,
                               Cost left_bound, Cost right_bound) {
  if (stop_->requested()) throw Stopped{};
  if (left_bound + right_bound > job.allowed()) {
    job.refined = std::min(job.refined, left_bound + right_bound);
    return;
  }
  const auto ranks_on = [&](std::uint8_t which) {
    Split split{static_cast<std::int32_t>(job.feature), 0, {}};
    for (std::size_t i = 0; i < side.size(); ++i)
      if (side[i] == which) split.left.push_back(job.values[i].rank);
    std::ranges::sort(split.left);
    return split;
  };
  if (next == side.size()) {
    Split split = ranks_on(1);
    if (split.left.size() == side.size()) return;
    RawRows left, right;
    divide(job.rows, split, left, right);
    try_split(job, std::move(split), left, right, left_bound, right_bound);
    return;
  }
  for (const std::uint8_t which : {std::uint8_t{1}, std::uint8_t{2}}) {
    if (next == 0 && which == 2) break;  // both sides are equal: all divisions of the splits are tried
    side[next] = which;
    Cost left_here = left_bound, right_here = right_bound;
    if (next + 1 < side.size()) {  // else both sides are solved anyway
      RawRows part, rest;
      divide(job.rows, ranks_on(which), part, rest);
      Cost& here = which == 1 ? left_here : right_here;
      const Cost other = which == 1 ? right_bound : left_bound;
      here = std::max(here, bound_of_part(job, part, which == 1 ? job.left : job.right,
                                          job.allowed() - other) - slack_);
    }
    search_subsets(job, next + 1, side, left_here, right_here);
    side[next] = 0;
  }
}

namespace {
std::int64_t n_splits(const Plan& plan) {
  return plan.split.feature < 0 ? 0 : 1 + n_splits(*plan.left) + n_splits(*plan.right);
}
}  // namespace

PlanPtr RawSearch::extend(const RawRows& rows, const PlanPtr& plan, Budget budget) {
  if (plan->split.feature < 0) return greedy(rows, budget.normalized());
  RawRows left, right;
  divide(rows, plan->split, left, right);
  // What the tree has already is not taken by the leaves that grow first.
  const std::int64_t kept = n_splits(*plan->right);
  PlanPtr one = extend(left, plan->left, {budget.depth - 1, budget.splits - 1 - kept});
  PlanPtr other = extend(right, plan->right, {budget.depth - 1, budget.splits - 1 - n_splits(*one)});
  const Cost cost = one->cost + other->cost;
  return std::make_shared<const Plan>(Plan{cost, plan->split, std::move(one), std::move(other)});
}

PlanPtr RawSearch::greedy(const RawRows& rows, Budget budget) {
  if (budget.depth <= 0 || budget.splits <= 0) return leaf(rows);
  Stump best;
  for (std::size_t f = 0; f < features_.list.size(); ++f) {
    if (!is_useful(features_, rows.rows, f)) continue;
    if (stop_->requested(static_cast<std::int64_t>(rows.rows.ids.size()))) throw Stopped{};
    // Prefixes only: a least size may need a search of all subsets.
    Stump stump = best_stump(rows, f, 1);
    if (stump.gain <= best.gain) continue;
    double with = 0;
    for (const Value& v : values_of(rows, f))
      if (features_.list[f].nominal ? std::ranges::binary_search(stump.split.left, v.rank)
                                    : v.rank <= stump.split.cut)
        with += v.sums.rows;
    const auto least = static_cast<double>(objective_.min_samples_leaf);
    if (with >= least && rows.sums.rows - with >= least) best = std::move(stump);
  }
  if (best.gain <= rows.sums.gain()) return leaf(rows);
  RawRows left, right;
  divide(rows, best.split, left, right);
  const bool left_first = cost_of_leaf(left.sums) >= cost_of_leaf(right.sums);
  // The side with more to gain takes what it needs.
  Budget below{budget.depth - 1, budget.splits - 1};
  PlanPtr one = greedy(left_first ? left : right, below.normalized());
  below.splits -= n_splits(*one);
  PlanPtr other = greedy(left_first ? right : left, below.normalized());
  if (!left_first) std::swap(one, other);
  const Cost cost = one->cost + other->cost;
  if (cost >= cost_of_leaf(rows.sums)) return leaf(rows);
  return std::make_shared<const Plan>(
      Plan{cost, std::move(best.split), std::move(one), std::move(other)});
}

}  // namespace mixedwood::optimal::squared_error
