// What trees of few tests cost, given their fewest errors.
#pragma once

#include <algorithm>

#include "cache.hpp"

namespace mixedwood::optimal {

inline Solution best_small(const FewestErrors& errors, std::int64_t max_tests, Cost leaf_cost) {
  Solution best;
  best.cost = errors[0] + leaf_cost;
  for (std::int64_t t = 1; t <= std::min<std::int64_t>(max_tests, 3); ++t) {
    const Cost cost = errors[static_cast<std::size_t>(t)] + leaf_cost * (t + 1);
    if (cost < best.cost) {
      best.cost = cost;
      best.column = kSmallTree;
      best.tests_with = t;
    }
  }
  return best;
}

// A column with small trees on both sides.
inline Solution best_pair(std::int32_t column, const FewestErrors& with, const FewestErrors& without,
                          std::int64_t max_tests, Cost leaf_cost) {
  Solution best;
  best.cost = kNoBound;
  for (std::int64_t a = 0; a <= std::min<std::int64_t>(3, max_tests - 1); ++a)
    for (std::int64_t b = 0; b <= std::min<std::int64_t>(3, max_tests - 1 - a); ++b) {
      const Cost left = with[static_cast<std::size_t>(a)] + leaf_cost * (a + 1);
      const Cost right = without[static_cast<std::size_t>(b)] + leaf_cost * (b + 1);
      if (left + right < best.cost) best = {left + right, column, a, b, left, right};
    }
  return best;
}

}  // namespace mixedwood::optimal
