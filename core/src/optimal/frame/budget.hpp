// How deep a subtree may be, and how many splits it may have.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

#include "mixedwood/optimal.hpp"

namespace mixedwood::optimal {

constexpr std::size_t to_size(std::integral auto i) { return static_cast<std::size_t>(i); }

struct Budget {
  std::int32_t depth = 0;
  std::int64_t splits = 0;

  // All splits that fit into a depth.
  static Budget full(std::int32_t depth) {
    return Budget{depth, std::numeric_limits<std::int64_t>::max()}.normalized();
  }
  // No more splits than fit into the depth, no more depth than splits.
  Budget normalized() const {
    Budget b{std::max(depth, 0), splits};
    if (b.depth < 62) b.splits = std::min(b.splits, (std::int64_t{1} << b.depth) - 1);
    if (b.splits < b.depth) b.depth = static_cast<std::int32_t>(b.splits);
    return b;
  }
  bool within(const Budget& other) const { return depth <= other.depth && splits <= other.splits; }
  bool operator==(const Budget&) const = default;
};

inline Budget budget_of(const SearchLimits& limits) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return Budget{limits.max_depth, limits.max_leaf_nodes.value_or(most) - 1}.normalized();
}

}  // namespace mixedwood::optimal
