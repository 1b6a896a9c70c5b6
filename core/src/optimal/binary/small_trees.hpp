// The best of the trees of few splits, given their errors.
#pragma once

#include <algorithm>

#include "../frame/bound_cache.hpp"
#include "depth_two.hpp"

namespace mixedwood::optimal::binary {

// A tree by its first split; what lies below is found among the solutions of the children.
inline constexpr std::int32_t kLeafOnly = -1, kSmallTree = -2;  // the latter: depth two at most
struct Solution {
  Cost cost = 0;
  std::int32_t column = kLeafOnly;
  std::int64_t splits_with = 0, splits_without = 0;  // of a small tree: the first is all
  Cost cost_with = 0, cost_without = 0;
};

using Cache = BoundCache<Solution, DepthTwoTable>;

// Cost of a tree by its number of splits.
inline Cost cost_of(const DepthTwoTable& errors, std::int64_t splits, const Objective& o) {
  return o.error_penalty * errors[to_size(splits)] + o.leaf_penalty * (splits + 1);
}

inline Solution best_depth_two(const DepthTwoTable& errors, std::int64_t max_splits,
                               const Objective& objective) {
  Solution best{cost_of(errors, 0, objective)};
  for (std::int64_t n = 1; n <= std::min<std::int64_t>(max_splits, 3); ++n)
    if (const Cost cost = cost_of(errors, n, objective); cost < best.cost)
      best = {cost, kSmallTree, n};
  return best;
}

// A column with trees of depth two on both sides.
inline Solution best_depth_three(std::int32_t column, const DepthTwoTable& with,
                                 const DepthTwoTable& without, std::int64_t max_splits,
                                 const Objective& objective) {
  Solution best{kInfinity};
  for (std::int64_t a = 0; a <= std::min<std::int64_t>(3, max_splits - 1); ++a)
    for (std::int64_t b = 0; b <= std::min<std::int64_t>(3, max_splits - 1 - a); ++b) {
      const Cost left = cost_of(with, a, objective), right = cost_of(without, b, objective);
      if (left + right < best.cost) best = {left + right, column, a, b, left, right};
    }
  return best;
}

}  // namespace mixedwood::optimal::binary
