// An ordered feature as the root of a depth-two tree.
#include <cstdlib>

#include "pair_search.hpp"

namespace mixedwood::optimal::all_splits {

template <typename T>
void PairSearch<T>::find_candidates(std::size_t feature) {
  const auto sorted = rows_->by(feature);
  const auto& rank = features_.list[feature].rank;
  const auto k = to_size(std::max(classes_.n, 2));
  candidates_.clear();
  class_counts_.clear();
  std::vector<std::int64_t> left(k, 0), all(k, 0);
  for (std::size_t c = 0; c < classes_.number.size(); ++c)
    if (classes_.number[c] >= 0) all[to_size(classes_.number[c])] = rows_->counts[c];
  std::int64_t weight = 0;
  std::int32_t place = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto row = to_size(sorted[i]);
    const auto c = to_size(features_.classes[row]);
    left[to_size(classes_.number[c])] += features_.weights[row];
    weight += features_.weights[row];
    place_[row] = place;
    if (i + 1 == sorted.size() || rank[row] == rank[to_size(sorted[i + 1])]) continue;
    ++place;
    Candidate candidate;
    candidate.rank = rank[row];
    candidate.n_left = static_cast<std::int64_t>(i) + 1;
    candidate.weight_left = weight;
    std::int64_t largest_left = 0, largest_right = 0;
    for (std::size_t j = 0; j < k; ++j) {
      largest_left = std::max(largest_left, left[j]);
      largest_right = std::max(largest_right, all[j] - left[j]);
    }
    candidate.left.leaf = candidate.left.stump = weight - largest_left;
    candidate.right.leaf = candidate.right.stump = rows_->weight - weight - largest_right;
    candidates_.push_back(candidate);
    class_counts_.insert(class_counts_.end(), left.begin(), left.end());
  }
}

template <typename T>
void PairSearch<T>::scan_nominal(std::size_t root, std::size_t second) {
  if (classes_.n <= 2)
    scan_two_classes(root, features_.list[second]);
  else
    scan_many_classes(root, features_.list[second]);
}

// Errors of a side are (weight - sum over values of |class 1 - class 0|) / 2.
template <typename T>
void PairSearch<T>::scan_two_classes(std::size_t root, const Feature& second) {
  std::vector<std::int64_t> left(to_size(second.n_ranks), 0), right = left;
  const auto signed_weight = [&](std::size_t row) {
    const auto c = to_size(features_.classes[row]);
    return classes_.number[c] == 0 ? -features_.weights[row] : features_.weights[row];
  };
  for (const std::int32_t id : rows_->ids) {
    const auto row = to_size(id);
    right[to_size(second.rank[row])] += signed_weight(row);
  }
  std::int64_t apart_left = 0, apart_right = 0;
  for (const std::int64_t r : right) apart_right += std::abs(r);
  const auto sorted = rows_->by(root);
  std::size_t next = 0;
  for (std::size_t i = 0; i < sorted.size() && next < candidates_.size(); ++i) {
    const auto row = to_size(sorted[i]);
    const auto v = to_size(second.rank[row]);
    const std::int64_t w = signed_weight(row);
    apart_left += std::abs(left[v] + w) - std::abs(left[v]);
    apart_right += std::abs(right[v] - w) - std::abs(right[v]);
    left[v] += w;
    right[v] -= w;
    Candidate& candidate = candidates_[next];
    if (static_cast<std::int64_t>(i) + 1 != candidate.n_left) continue;
    const std::int64_t weight_right = rows_->weight - candidate.weight_left;
    candidate.left.stump = std::min(candidate.left.stump, (candidate.weight_left - apart_left) / 2);
    candidate.right.stump = std::min(candidate.right.stump, (weight_right - apart_right) / 2);
    ++next;
  }
}

// For every pair of classes the sum over values of the better one; a row touches its class's pairs.
template <typename T>
void PairSearch<T>::scan_many_classes(std::size_t root, const Feature& second) {
  const auto k = to_size(classes_.n);
  std::vector<std::int64_t> left(to_size(second.n_ranks) * k, 0), right = left;
  std::vector<std::int64_t> pair_left(k * k, 0), pair_right = pair_left;
  const auto class_of = [&](std::size_t row) {
    return to_size(classes_.number[to_size(features_.classes[row])]);
  };
  const auto add = [&](std::vector<std::int64_t>& counts, std::vector<std::int64_t>& pairs,
                       std::size_t v, std::size_t c, std::int64_t w) {
    std::int64_t* count = counts.data() + v * k;
    for (std::size_t b = 0; b < k; ++b) {
      if (b == c) continue;
      const std::size_t pair = std::min(b, c) * k + std::max(b, c);
      pairs[pair] += std::max(count[c] + w, count[b]) - std::max(count[c], count[b]);
    }
    count[c] += w;
  };
  for (const std::int32_t id : rows_->ids) {
    const auto row = to_size(id);
    add(right, pair_right, to_size(second.rank[row]), class_of(row), features_.weights[row]);
  }
  const auto sorted = rows_->by(root);
  std::size_t next = 0;
  for (std::size_t i = 0; i < sorted.size() && next < candidates_.size(); ++i) {
    const auto row = to_size(sorted[i]);
    const auto v = to_size(second.rank[row]);
    add(left, pair_left, v, class_of(row), features_.weights[row]);
    add(right, pair_right, v, class_of(row), -features_.weights[row]);
    Candidate& candidate = candidates_[next];
    if (static_cast<std::int64_t>(i) + 1 != candidate.n_left) continue;
    const std::int64_t most_left = *std::max_element(pair_left.begin(), pair_left.end());
    const std::int64_t most_right = *std::max_element(pair_right.begin(), pair_right.end());
    const std::int64_t weight_right = rows_->weight - candidate.weight_left;
    candidate.left.stump = std::min(candidate.left.stump, candidate.weight_left - most_left);
    candidate.right.stump = std::min(candidate.right.stump, weight_right - most_right);
    ++next;
  }
}

template <typename T>
void PairSearch<T>::evaluate(const std::vector<std::size_t>& chosen) {
  // Lanes beyond the last repeat it.
  Roots<T> roots, coarse;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t last = std::min(lane, chosen.size() - 1);
    roots.cut[lane] = static_cast<T>(chosen[last] + 1);
    coarse.cut[lane] = static_cast<T>(last + 1);
  }
  bucket_.resize(candidates_.size() + 1);
  std::size_t passed = 0;
  for (std::size_t place = 0; place < bucket_.size(); ++place) {
    if (passed < chosen.size() && place > chosen[passed]) ++passed;
    bucket_[place] = static_cast<std::int32_t>(passed);
  }
  items_.set_cuts(&bucket_, static_cast<std::int32_t>(chosen.size()) + 1);
  Side<T> left, right;
  run(roots, coarse, false, left, right);
  if (watch_.has_stopped()) return;
  const auto k = to_size(std::max(classes_.n, 2));
  std::vector<std::int64_t> counts(k), others(k);
  for (std::size_t lane = 0; lane < chosen.size(); ++lane) {
    for (std::size_t j = 0; j < k; ++j) counts[j] = class_counts_[chosen[lane] * k + j];
    for (std::size_t c = 0; c < classes_.number.size(); ++c)
      if (classes_.number[c] >= 0) {
        const auto j = to_size(classes_.number[c]);
        others[j] = rows_->counts[c] - counts[j];
      }
    Candidate& candidate = candidates_[chosen[lane]];
    candidate.ordered_left = errors_of(left, lane, counts, false).stump;
    candidate.ordered_right = errors_of(right, lane, others, false).stump;
  }
}

// These are bounds without a minimum leaf size, which only raises costs.
template <typename T>
std::pair<std::int64_t, std::int64_t> PairSearch<T>::drop_dominated(
    std::vector<std::size_t>& alive) const {
  std::int64_t dropped = kInfinity, least_kept = kInfinity;
  std::size_t kept = 0, above = 0;
  const Candidate* below = nullptr;
  std::size_t below_at = 0;
  for (const std::size_t at : alive) {
    for (; below_at < at; ++below_at)
      if (candidates_[below_at].ordered_left >= 0) below = &candidates_[below_at];
    above = std::max(above, at + 1);
    while (above < candidates_.size() && candidates_[above].ordered_left < 0) ++above;
    const Candidate& here = candidates_[at];
    SideErrors left = here.left, right = here.right;
    std::int64_t ordered_left = 0, ordered_right = 0;
    if (below != nullptr) {
      ordered_left = below->ordered_left;
      ordered_right = below->ordered_right - (here.weight_left - below->weight_left);
    }
    if (above < candidates_.size()) {
      const Candidate& over = candidates_[above];
      ordered_left =
          std::max(ordered_left, over.ordered_left - (over.weight_left - here.weight_left));
      ordered_right = std::max(ordered_right, over.ordered_right);
    }
    left.stump = std::min(left.stump, ordered_left);
    right.stump = std::min(right.stump, ordered_right);
    const std::int64_t bound = cost(left, right);
    if (bound < best_) {
      alive[kept++] = at;
      least_kept = std::min(least_kept, bound);
    } else {
      dropped = std::min(dropped, bound);
    }
  }
  alive.resize(kept);
  return {dropped, least_kept};
}

template <typename T>
std::int64_t PairSearch<T>::thresholds(std::size_t feature, int max_batches) {
  find_candidates(feature);
  items_.prepare(place_, static_cast<std::int32_t>(candidates_.size()) + 1);
  for (const std::size_t second : nominal_) {
    if (watch_.stopped(rows_->n)) return 0;
    scan_nominal(feature, second);
  }
  std::vector<std::size_t> alive, chosen, rest;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (candidates_[i].n_left >= objective_.min_samples_leaf &&
        rows_->n - candidates_[i].n_left >= objective_.min_samples_leaf)
      alive.push_back(i);
  std::int64_t lower = kInfinity;
  for (int batch = 0;; ++batch) {
    const auto [dropped, kept] = drop_dominated(alive);
    lower = std::min(lower, dropped);
    if (alive.empty()) return lower;
    if (batch == max_batches || watch_.has_stopped()) return std::min(lower, kept);
    const std::size_t n = std::min(kLanes, alive.size());
    chosen.clear();
    for (std::size_t i = 0; i < n; ++i) chosen.push_back(alive[(2 * i + 1) * alive.size() / (2 * n)]);
    evaluate(chosen);
    if (watch_.has_stopped()) continue;
    for (const std::size_t at : chosen) {
      const Candidate& here = candidates_[at];
      const SideErrors left{here.left.leaf, std::min(here.left.stump, here.ordered_left)};
      const SideErrors right{here.right.leaf, std::min(here.right.stump, here.ordered_right)};
      lower = std::min(
          lower, offer({static_cast<std::int32_t>(feature), here.rank, {}}, left, right));
    }
    rest.clear();
    std::set_difference(alive.begin(), alive.end(), chosen.begin(), chosen.end(),
                        std::back_inserter(rest));
    alive.swap(rest);
  }
}

template std::int64_t PairSearch<std::int16_t>::thresholds(std::size_t, int);
template std::int64_t PairSearch<std::int32_t>::thresholds(std::size_t, int);
template std::int64_t PairSearch<std::int64_t>::thresholds(std::size_t, int);

}  // namespace mixedwood::optimal::all_splits
