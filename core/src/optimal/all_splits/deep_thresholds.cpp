// An ordered feature as the root of a tree deeper than two.
#include <algorithm>

#include "../../criteria/impurity.hpp"
#include "deep_roots.hpp"

namespace mixedwood::optimal::all_splits {

ThresholdRoot::ThresholdRoot(RootSearch& root, std::size_t feature, Budget left, Budget right)
    : root_(root), feature_(feature), left_(left), right_(right) {
  const FeatureTable& features = root_.search.features_;
  const Objective objective = root_.search.objective_;
  const Rows& rows = root_.rows;
  const auto sorted = rows.by(feature);
  const auto& rank = features.list[feature].rank;
  std::vector<std::int64_t> below(rows.counts.size(), 0);
  std::int64_t weight = 0, unavoidable = 0;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const auto row = to_size(sorted[i]);
    below[to_size(features.classes[row])] += features.weights[row];
    weight += features.weights[row];
    unavoidable += features.unavoidable[row];
    if (rank[row] == rank[to_size(sorted[i + 1])]) continue;
    const auto n_left = static_cast<std::int64_t>(i) + 1;
    if (n_left < objective.min_samples_leaf || rows.n - n_left < objective.min_samples_leaf) continue;
    const double separation = gini_purity(below, weight, rows.counts, rows.weight);
    if (candidates_.empty() || separation > separation_) {
      separation_ = separation;
      first_ = candidates_.size();
    }
    candidates_.push_back({rank[row], n_left, weight, unavoidable + objective.leaf_penalty,
                           rows.unavoidable - unavoidable + objective.leaf_penalty});
  }
  alive_.resize(candidates_.size());
  for (std::size_t i = 0; i < alive_.size(); ++i) alive_[i] = i;
}

// More rows on a side: no fewer errors, unless a minimum leaf size kept the smaller side from
// being divided. Fewer rows: fewer errors by their weight at most, always.
RootSearch::Bounds ThresholdRoot::bounds_at(std::size_t at) const {
  const Candidate& here = candidates_[at];
  const bool may_grow = root_.search.objective_.min_samples_leaf <= 1;
  RootSearch::Bounds bounds;
  bounds.left = here.least_left;
  bounds.right = here.least_right;
  const auto above = done_.upper_bound(at);
  if (above != done_.end())
    bounds.left = std::max(bounds.left, above->second.left - (candidates_[above->first].weight_left -
                                                              here.weight_left));
  if (above != done_.end() && may_grow) bounds.right = std::max(bounds.right, above->second.right);
  if (above != done_.begin()) {
    const auto below = std::prev(above);
    bounds.right = std::max(bounds.right, below->second.right - (here.weight_left -
                                                                 candidates_[below->first].weight_left));
    if (may_grow) bounds.left = std::max(bounds.left, below->second.left);
  }
  return bounds;
}

void ThresholdRoot::drop_dominated() {
  std::size_t kept = 0;
  for (const std::size_t at : alive_) {
    const RootSearch::Bounds bounds = bounds_at(at);
    if (bounds.left + bounds.right < root_.best)
      alive_[kept++] = at;
    else
      lower_ = std::min(lower_, bounds.left + bounds.right);
  }
  alive_.resize(kept);
}

void ThresholdRoot::evaluate(std::size_t at) {
  RootSearch::Bounds bounds = bounds_at(at);
  const std::size_t n_features = root_.search.features_.list.size();
  bounds.left_of.assign(n_features, 0);
  bounds.right_of.assign(n_features, 0);
  const bool may_grow = root_.search.objective_.min_samples_leaf <= 1;
  const std::int64_t weight = candidates_[at].weight_left;
  const auto above = done_.upper_bound(at);
  std::int64_t reach_up = candidates_[alive_.back()].weight_left - weight;
  std::int64_t reach_down = weight - candidates_[alive_.front()].weight_left;
  const auto raise = [&](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from,
                         std::int64_t less) {
    for (std::size_t o = 0; o < n_features; ++o) to[o] = std::max(to[o], from[o] - less);
  };
  if (above != done_.end()) {
    const std::int64_t moved = candidates_[above->first].weight_left - weight;
    reach_up = std::min(reach_up, moved);
    raise(bounds.left_of, above->second.left_of, moved);
    if (may_grow) raise(bounds.right_of, above->second.right_of, 0);
  }
  if (above != done_.begin()) {
    const auto below = std::prev(above);
    const std::int64_t moved = weight - candidates_[below->first].weight_left;
    reach_down = std::min(reach_down, moved);
    raise(bounds.right_of, below->second.right_of, moved);
    if (may_grow) raise(bounds.left_of, below->second.left_of, 0);
  }
  Split split;
  split.feature = static_cast<std::int32_t>(feature_);
  split.cut = candidates_[at].rank;
  // Enough to decide everything up to the neighbors, within limits.
  const std::int64_t surplus =
      std::clamp<std::int64_t>(std::max(reach_up, reach_down), 0, root_.best / 2);
  root_.evaluate(split, left_, right_, surplus, bounds);
  lower_ = std::min(lower_, bounds.left + bounds.right);
  done_.emplace(at, std::move(bounds));
  alive_.erase(std::lower_bound(alive_.begin(), alive_.end(), at));
}

std::int64_t ThresholdRoot::first_look() {
  if (candidates_.empty() || root_.search.watch_.has_stopped()) return kInfinity;
  const RootSearch::Bounds bounds = bounds_at(first_);
  if (bounds.left + bounds.right >= root_.best) return bounds.left + bounds.right;
  evaluate(first_);
  return lower_;
}

std::int64_t ThresholdRoot::run() {
  while (true) {
    drop_dominated();
    if (alive_.empty()) return lower_;
    if (root_.search.watch_.stopped()) break;
    evaluate(alive_[alive_.size() / 2]);
  }
  for (const std::size_t at : alive_) {
    const RootSearch::Bounds bounds = bounds_at(at);
    lower_ = std::min(lower_, bounds.left + bounds.right);
  }
  return lower_;
}

}  // namespace mixedwood::optimal::all_splits
