// A nominal feature as the root of a depth-two tree.
#include "pair_search.hpp"

namespace mixedwood::optimal::all_splits {

template <typename T>
void PairSearch<T>::find_values(std::size_t feature) {
  const auto& rank = features_.list[feature].rank;
  values_ = values_of(features_, *rows_, feature);
  for (Value& value : values_) {
    std::vector<std::int64_t> present(to_size(std::max(classes_.n, 2)), 0);
    for (std::size_t c = 0; c < value.counts.size(); ++c)
      if (classes_.number[c] >= 0) present[to_size(classes_.number[c])] = value.counts[c];
    value.counts = std::move(present);
  }
  std::stable_sort(values_.begin(), values_.end(),
                   [](const Value& a, const Value& b) { return a.weight > b.weight; });
  std::vector<std::int32_t> place(to_size(features_.list[feature].n_ranks), 0);
  for (std::size_t v = 0; v < values_.size(); ++v)
    place[to_size(values_[v].rank)] = static_cast<std::int32_t>(v);
  for (const std::int32_t id : rows_->ids) {
    const auto row = to_size(id);
    place_[row] = place[to_size(rank[row])];
  }
}

// Fewest errors on the values that each assignment has decided: 0 left, 1 right, 2 neither.
template <typename T>
void PairSearch<T>::evaluate(const std::vector<Assignment>& chosen, std::vector<Bounds>& out) {
  Roots<T> roots;
  roots.subsets = true;
  roots.left.assign(values_.size() * kLanes, 0);
  roots.right.assign(values_.size() * kLanes, 0);
  for (std::size_t lane = 0; lane < chosen.size(); ++lane)
    for (std::size_t v = 0; v < chosen[lane].size(); ++v) {
      if (chosen[lane][v] == 0) roots.left[v * kLanes + lane] = -1;
      if (chosen[lane][v] == 1) roots.right[v * kLanes + lane] = -1;
    }
  Side<T> left, right;
  run(roots, roots, true, left, right);
  out.assign(chosen.size(), {});
  if (watch_.has_stopped()) return;
  const auto k = to_size(std::max(classes_.n, 2));
  for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
    std::vector<std::int64_t> counts[2] = {std::vector<std::int64_t>(k, 0),
                                           std::vector<std::int64_t>(k, 0)};
    for (std::size_t v = 0; v < chosen[lane].size(); ++v)
      if (chosen[lane][v] < 2)
        for (std::size_t j = 0; j < k; ++j) counts[chosen[lane][v]][j] += values_[v].counts[j];
    out[lane].left = errors_of(left, lane, counts[0], true);
    out[lane].right = errors_of(right, lane, counts[1], true);
  }
}

// Prefixes of the values sorted by their fraction of the commonest class: often among the best.
template <typename T>
auto PairSearch<T>::likely() const -> std::vector<Assignment> {
  std::vector<std::int64_t> sums(values_[0].counts.size(), 0);
  for (const Value& value : values_)
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += value.counts[j];
  const auto common = to_size(std::max_element(sums.begin(), sums.end()) - sums.begin());
  const std::vector<std::size_t> order = order_by_fraction(values_, common);
  std::vector<Assignment> prefixes;
  Assignment assignment(values_.size(), 1);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    assignment[order[i]] = 0;
    prefixes.push_back(assignment);
  }
  return prefixes;
}

// Errors that one side's best split would make on each value of the root's feature, wherever the value
// goes now.
template <typename T>
std::vector<std::int64_t> PairSearch<T>::errors_by_value(const Rows& side) {
  const Stump stump = stumps_.best(side);
  std::int32_t label[2] = {side.label(), side.label()};
  if (stump.split.feature >= 0) {
    mark(features_, *rows_, stump.split, second_);
    std::vector<std::int64_t> counts[2];
    for (auto& c : counts) c.assign(side.counts.size(), 0);
    for (const std::int32_t id : side.ids) {
      const auto row = to_size(id);
      counts[second_[row]][to_size(features_.classes[row])] += features_.weights[row];
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      label[i] = static_cast<std::int32_t>(
          std::max_element(counts[i].begin(), counts[i].end()) - counts[i].begin());
  }
  std::vector<std::int64_t> errors(values_.size(), 0);
  for (const std::int32_t id : rows_->ids) {
    const auto row = to_size(id);
    const std::int32_t predicted = label[stump.split.feature >= 0 ? second_[row] : 0];
    if (features_.classes[row] != predicted) errors[to_size(place_[row])] += features_.weights[row];
  }
  return errors;
}

template <typename T>
void PairSearch<T>::alternate(std::size_t feature, Assignment here) {
  std::vector<Bounds> bounds;
  std::int64_t before = kInfinity;
  while (!watch_.stopped(rows_->n)) {
    evaluate(std::vector<Assignment>{here}, bounds);
    if (watch_.has_stopped()) return;
    const std::int64_t now = cost(bounds[0].left, bounds[0].right);
    if (now >= before) return;
    before = now;
    offer(feature, here, bounds[0]);
    for (const std::int32_t id : rows_->ids) {
      const auto row = to_size(id);
      side_[row] = here[to_size(place_[row])] == 0;
    }
    divide(features_, *rows_, side_, left_rows_, right_rows_);
    if (left_rows_.n == 0 || right_rows_.n == 0) return;
    const std::vector<std::int64_t> left = errors_by_value(left_rows_);
    const std::vector<std::int64_t> right = errors_by_value(right_rows_);
    for (std::size_t v = 0; v < here.size(); ++v) here[v] = left[v] > right[v];
  }
}

template <typename T>
std::int64_t PairSearch<T>::subsets(std::size_t feature) {
  find_values(feature);
  items_.prepare(place_, static_cast<std::int32_t>(values_.size()));
  std::vector<Assignment> chosen;
  std::vector<Bounds> bounds;
  const std::size_t n_values = values_.size();
  // Errors of each value on its own, then of all after it.
  for (std::size_t first = 0; first < n_values; first += 2 * kLanes) {
    chosen.clear();
    for (std::size_t v = first; v < std::min(first + 2 * kLanes, n_values); v += 2) {
      Assignment two(v + 1, 2);
      two[v] = 0;
      if (v + 1 < n_values) two.push_back(1);
      chosen.push_back(std::move(two));
    }
    evaluate(chosen, bounds);
    if (watch_.has_stopped()) return 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      values_[first + 2 * i].errors = bounds[i].left.stump;
      if (first + 2 * i + 1 < n_values) values_[first + 2 * i + 1].errors = bounds[i].right.stump;
    }
  }
  std::vector<std::int64_t> after(n_values + 1, 0);
  for (std::size_t v = n_values; v-- > 0;) after[v] = after[v + 1] + values_[v].errors;

  // Sides may change places, so the heaviest value goes left.
  std::vector<std::pair<std::int64_t, Assignment>> open;  // with lower bounds
  const std::int64_t least_cost = after[0] + 2 * objective_.leaf_penalty;
  open.emplace_back(least_cost, Assignment{0});
  if (n_values > 4)
    for (Assignment& prefix : likely()) open.emplace_back(least_cost, std::move(prefix));
  if (n_values > kManyValues && !watch_.has_stopped())
    alternate(feature, likely()[(n_values - 1) / 2]);
  std::int64_t lower = kInfinity;
  while (!open.empty()) {
    const std::size_t n = std::min(kLanes, open.size());
    chosen.clear();
    for (std::size_t i = open.size() - n; i < open.size(); ++i) chosen.push_back(open[i].second);
    evaluate(chosen, bounds);
    if (watch_.has_stopped()) {
      for (const auto& [bound, unused] : open) lower = std::min(lower, bound);
      return lower;
    }
    open.resize(open.size() - n);
    for (std::size_t i = 0; i < n; ++i) {
      Assignment& here = chosen[i];
      const std::int64_t bound = cost(bounds[i].left, bounds[i].right) + after[here.size()];
      if (here.size() == n_values) {
        lower = std::min(lower, offer(feature, here, bounds[i]));
      } else if (bound >= best_) {
        lower = std::min(lower, bound);
      } else {
        for (const std::uint8_t branch : {std::uint8_t{0}, std::uint8_t{1}}) {
          open.emplace_back(bound, here);
          open.back().second.push_back(branch);
        }
      }
    }
  }
  return lower;
}

template <typename T>
std::int64_t PairSearch<T>::offer(std::size_t feature, const Assignment& all_values,
                                  const Bounds& sides) {
  if (std::find(all_values.begin(), all_values.end(), 1) == all_values.end())
    return kInfinity;  // nothing goes right
  Split split;
  split.feature = static_cast<std::int32_t>(feature);
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (all_values[v] == 0) split.left.push_back(values_[v].rank);
  std::sort(split.left.begin(), split.left.end());
  return offer(std::move(split), sides.left, sides.right);
}

template std::int64_t PairSearch<std::int16_t>::subsets(std::size_t);
template std::int64_t PairSearch<std::int32_t>::subsets(std::size_t);
template std::int64_t PairSearch<std::int64_t>::subsets(std::size_t);

}  // namespace mixedwood::optimal::all_splits
