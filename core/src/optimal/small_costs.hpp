// What trees of few tests cost, given their fewest errors.
#pragma once

#include <algorithm>

#include "cache.hpp"

namespace mixedwood::optimal {

struct Prices {
  Cost error = 1, leaf = 0;
};

inline Solution best_small(const FewestErrors& errors, std::int64_t max_tests,
                           const Prices& prices) {
  Solution best;
  best.cost = prices.error * errors[0] + prices.leaf;
  for (std::int64_t t = 1; t <= std::min<std::int64_t>(max_tests, 3); ++t) {
    const Cost cost =
        prices.error * errors[static_cast<std::size_t>(t)] + prices.leaf * (t + 1);
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
                          std::int64_t max_tests, const Prices& prices) {
  Solution best;
  best.cost = kNoBound;
  for (std::int64_t a = 0; a <= std::min<std::int64_t>(3, max_tests - 1); ++a)
    for (std::int64_t b = 0; b <= std::min<std::int64_t>(3, max_tests - 1 - a); ++b) {
      const Cost left = prices.error * with[static_cast<std::size_t>(a)] + prices.leaf * (a + 1);
      const Cost right =
          prices.error * without[static_cast<std::size_t>(b)] + prices.leaf * (b + 1);
      if (left + right < best.cost) best = {left + right, column, a, b, left, right};
    }
  return best;
}

}  // namespace mixedwood::optimal
