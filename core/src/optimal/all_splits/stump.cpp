#include "stump.hpp"

#include <algorithm>

namespace mixedwood::optimal::all_splits {
namespace {

std::int64_t largest(const std::vector<std::int64_t>& counts) {
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

Stump StumpSearch::best(const Rows& rows) {
  Stump best;
  best.errors = rows.errors();
  if (rows.n < 2 * min_samples_leaf_) return best;
  for (std::size_t o = 0; o < features_.list.size(); ++o) {
    if (best.errors == rows.unavoidable) break;
    if (!is_useful(features_, rows, o)) continue;
    if (features_.list[o].nominal)
      try_subsets(rows, o, best);
    else
      try_thresholds(rows, o, best);
  }
  return best;
}

void StumpSearch::try_thresholds(const Rows& rows, std::size_t feature, Stump& best) {
  const Feature& here = features_.list[feature];
  const auto sorted = rows.by(feature);
  left_.assign(rows.counts.size(), 0);
  right_ = rows.counts;
  const auto n = static_cast<std::int64_t>(sorted.size());
  for (std::int64_t i = 0; i + min_samples_leaf_ < n; ++i) {
    const auto row = to_size(sorted[to_size(i)]);
    const auto c = to_size(features_.classes[row]);
    left_[c] += features_.weights[row];
    right_[c] -= features_.weights[row];
    const auto next = to_size(sorted[to_size(i) + 1]);
    if (here.rank[row] == here.rank[next] || i + 1 < min_samples_leaf_) continue;
    const std::int64_t errors = rows.weight - largest(left_) - largest(right_);
    if (errors < best.errors)
      best = {errors, {static_cast<std::int32_t>(feature), here.rank[row], {}}};
  }
}

// For any two predicted classes, each value takes the better one, independently of the others.
void StumpSearch::try_subsets(const Rows& rows, std::size_t feature, Stump& best) {
  const Feature& here = features_.list[feature];
  const std::size_t k = rows.counts.size();
  values_.clear();
  n_rows_.clear();
  counts_.clear();
  for (const std::int32_t id : rows.by(feature)) {
    const auto row = to_size(id);
    if (values_.empty() || values_.back() != here.rank[row]) {
      values_.push_back(here.rank[row]);
      n_rows_.push_back(0);
      counts_.resize(counts_.size() + k, 0);
    }
    ++n_rows_.back();
    counts_[counts_.size() - k + to_size(features_.classes[row])] += features_.weights[row];
  }
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b) {
      if (rows.counts[a] == 0 || rows.counts[b] == 0) continue;
      try_pair(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), feature, rows.n, best);
    }
}

void StumpSearch::try_pair(std::int32_t a, std::int32_t b, std::size_t feature, std::int64_t n,
                           Stump& best) {
  const std::size_t k = counts_.size() / values_.size();
  const auto count = [&](std::size_t v, std::int32_t c) {
    return counts_[v * k + to_size(c)];
  };
  std::int64_t correct = 0, n_left = 0, total = 0;
  for (const std::int64_t c : counts_) total += c;
  std::vector<std::int32_t> left;
  for (std::size_t v = 0; v < values_.size(); ++v) {
    correct += std::max(count(v, a), count(v, b));
    if (count(v, a) > count(v, b)) left.push_back(values_[v]), n_left += n_rows_[v];
  }
  if (total - correct >= best.errors) return;
  if (n_left >= min_samples_leaf_ && n - n_left >= min_samples_leaf_) {
    best = {total - correct, {static_cast<std::int32_t>(feature), 0, std::move(left)}};
    return;
  }
  // Values must be moved so that both sides are large enough: the most correct weight for each
  // number of rows on the left, value after value.
  const auto width = to_size(n) + 1;
  std::vector<std::int64_t> most(width, -1), next;
  std::vector<std::vector<bool>> went_left(values_.size(), std::vector<bool>(width, false));
  most[0] = 0;
  for (std::size_t v = 0; v < values_.size(); ++v) {
    next.assign(width, -1);
    const auto size = to_size(n_rows_[v]);
    for (std::size_t i = 0; i < width; ++i) {
      if (most[i] >= 0) next[i] = most[i] + count(v, b);
      if (i >= size && most[i - size] >= 0 && most[i - size] + count(v, a) > next[i]) {
        next[i] = most[i - size] + count(v, a);
        went_left[v][i] = true;
      }
    }
    most.swap(next);
  }
  std::int64_t chosen = -1;
  for (std::int64_t i = min_samples_leaf_; i + min_samples_leaf_ <= n; ++i)
    if (most[to_size(i)] >= 0 &&
        (chosen < 0 || most[to_size(i)] > most[to_size(chosen)]))
      chosen = i;
  if (chosen < 0 || total - most[to_size(chosen)] >= best.errors) return;
  best.errors = total - most[to_size(chosen)];
  left.clear();
  auto i = to_size(chosen);
  for (std::size_t v = values_.size(); v-- > 0;)
    if (went_left[v][i]) left.push_back(values_[v]), i -= to_size(n_rows_[v]);
  std::reverse(left.begin(), left.end());
  best.split = {static_cast<std::int32_t>(feature), 0, std::move(left)};
}

}  // namespace mixedwood::optimal::all_splits
