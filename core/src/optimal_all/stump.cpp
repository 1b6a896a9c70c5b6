#include "stump.hpp"

#include <algorithm>

namespace mixedwood::all_splits {
namespace {

std::int64_t largest(const std::vector<std::int64_t>& counts) {
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

Stump StumpSearch::best(const Rows& rows) {
  Stump best;
  best.errors = rows.errors();
  if (rows.n < 2 * min_leaf_) return best;
  for (std::size_t o = 0; o < options_.list.size(); ++o) {
    if (best.errors == rows.unavoidable) break;
    if (!is_useful(options_, rows, o)) continue;
    if (options_.list[o].nominal)
      try_subsets(rows, o, best);
    else
      try_thresholds(rows, o, best);
  }
  return best;
}

void StumpSearch::try_thresholds(const Rows& rows, std::size_t option, Stump& best) {
  const Option& here = options_.list[option];
  const auto sorted = rows.by(option);
  left_.assign(rows.counts.size(), 0);
  right_ = rows.counts;
  const auto n = static_cast<std::int64_t>(sorted.size());
  for (std::int64_t i = 0; i + min_leaf_ < n; ++i) {
    const auto row = static_cast<std::size_t>(sorted[static_cast<std::size_t>(i)]);
    const auto c = static_cast<std::size_t>(options_.classes[row]);
    left_[c] += options_.weights[row];
    right_[c] -= options_.weights[row];
    const auto next = static_cast<std::size_t>(sorted[static_cast<std::size_t>(i) + 1]);
    if (here.rank[row] == here.rank[next] || i + 1 < min_leaf_) continue;
    const std::int64_t errors = rows.weight - largest(left_) - largest(right_);
    if (errors < best.errors)
      best = {errors, {static_cast<std::int32_t>(option), here.rank[row], {}}};
  }
}

// For any two answers each value chooses the better one, whatever the others choose.
void StumpSearch::try_subsets(const Rows& rows, std::size_t option, Stump& best) {
  const Option& here = options_.list[option];
  const std::size_t k = rows.counts.size();
  values_.clear();
  n_rows_.clear();
  counts_.clear();
  for (const std::int32_t id : rows.by(option)) {
    const auto row = static_cast<std::size_t>(id);
    if (values_.empty() || values_.back() != here.rank[row]) {
      values_.push_back(here.rank[row]);
      n_rows_.push_back(0);
      counts_.resize(counts_.size() + k, 0);
    }
    ++n_rows_.back();
    counts_[counts_.size() - k + static_cast<std::size_t>(options_.classes[row])] +=
        options_.weights[row];
  }
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b) {
      if (rows.counts[a] == 0 || rows.counts[b] == 0) continue;
      try_pair(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), option, rows.n, best);
    }
}

void StumpSearch::try_pair(std::int32_t a, std::int32_t b, std::size_t option, std::int64_t n,
                           Stump& best) {
  const std::size_t k = counts_.size() / values_.size();
  const auto count = [&](std::size_t v, std::int32_t c) {
    return counts_[v * k + static_cast<std::size_t>(c)];
  };
  std::int64_t right_answers = 0, n_left = 0, total = 0;
  for (const std::int64_t c : counts_) total += c;
  std::vector<std::int32_t> left;
  for (std::size_t v = 0; v < values_.size(); ++v) {
    right_answers += std::max(count(v, a), count(v, b));
    if (count(v, a) > count(v, b)) left.push_back(values_[v]), n_left += n_rows_[v];
  }
  if (total - right_answers >= best.errors) return;
  if (n_left >= min_leaf_ && n - n_left >= min_leaf_) {
    best = {total - right_answers, {static_cast<std::int32_t>(option), 0, std::move(left)}};
    return;
  }
  // Values must be moved so that both sides are large enough: the most right answers for each
  // number of rows on the left, value after value.
  const auto width = static_cast<std::size_t>(n) + 1;
  std::vector<std::int64_t> most(width, -1), next;
  std::vector<std::vector<bool>> went_left(values_.size(), std::vector<bool>(width, false));
  most[0] = 0;
  for (std::size_t v = 0; v < values_.size(); ++v) {
    next.assign(width, -1);
    const auto size = static_cast<std::size_t>(n_rows_[v]);
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
  for (std::int64_t i = min_leaf_; i + min_leaf_ <= n; ++i)
    if (most[static_cast<std::size_t>(i)] >= 0 &&
        (chosen < 0 || most[static_cast<std::size_t>(i)] > most[static_cast<std::size_t>(chosen)]))
      chosen = i;
  if (chosen < 0 || total - most[static_cast<std::size_t>(chosen)] >= best.errors) return;
  best.errors = total - most[static_cast<std::size_t>(chosen)];
  left.clear();
  auto i = static_cast<std::size_t>(chosen);
  for (std::size_t v = values_.size(); v-- > 0;)
    if (went_left[v][i]) left.push_back(values_[v]), i -= static_cast<std::size_t>(n_rows_[v]);
  std::reverse(left.begin(), left.end());
  best.test = {static_cast<std::int32_t>(option), 0, std::move(left)};
}

}  // namespace mixedwood::all_splits
