// The search over whole trees: a root, and the best trees of its two sides, each proven.
//
// Every call returns a valid lower bound, and a tree if there is one within the given bound. After a
// stop both are still valid, only further apart.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../frame/bound_cache.hpp"
#include "depth_two.hpp"
#include "stump.hpp"

namespace mixedwood::optimal::all_splits {

// A tree without the rows of its leaves. `deferred`: the splits of the sides, one at most on each,
// are found again when the tree is written.
struct Plan {
  std::int64_t cost = 0;
  Split split;
  std::shared_ptr<const Plan> left, right;
  bool deferred = false, left_stump = false, right_stump = false;
  int depth = 0;
};
using PlanPtr = std::shared_ptr<const Plan>;
PlanPtr join(const Split& split, PlanPtr left, PlanPtr right);

struct SubproblemResult {
  PlanPtr plan;            // none: nothing within the bound
  std::int64_t lower = 0;  // the plan's cost if it is proven best
  std::int64_t cost() const { return plan ? plan->cost : kInfinity; }
};

// Bytes of a table, and of a table together with the search. The rest of the memory is the cache's.
std::int64_t table_bytes(const FeatureTable& features);
std::int64_t search_bytes(const FeatureTable& features, int depth);

class Search {
 public:
  using Cache = BoundCache<PlanPtr>;

  Search(const FeatureTable& features, const Objective& objective, std::int64_t cache_bytes,
         Watch& watch);

  // Best tree within the budget that costs at most `bound`. `lower_of`: see DepthTwo::solve.
  SubproblemResult solve(const Rows& rows, Budget budget, std::int64_t bound,
                         std::vector<std::int64_t>* lower_of = nullptr);
  // One best split at a time by Gini. With `look_ahead` the last two levels are optimal instead.
  PlanPtr greedy_tree(const Rows& rows, Budget budget, bool look_ahead);

  std::int64_t n_explored() const { return n_explored_; }
  const Cache& cache() const { return cache_; }
  std::int64_t leaf_cost(const Rows& rows) const { return rows.errors() + objective_.leaf_penalty; }
  PlanPtr leaf(const Rows& rows) const;

 private:
  friend class RootSearch;
  friend class ThresholdRoot;
  friend class SubsetRoot;

  Cache::Key key_of(const Rows& rows);
  SubproblemResult solve_stump(const Rows& rows, std::int64_t bound);
  SubproblemResult solve_two(const Rows& rows, Budget budget, std::int64_t bound,
                             std::vector<std::int64_t>& lower_of);

  const FeatureTable& features_;
  Objective objective_;
  Watch& watch_;
  DepthTwo depth_two_;
  StumpSearch stumps_;
  Cache cache_;
  std::int64_t cache_bytes_;
  std::vector<std::uint64_t> key_;
  std::int64_t n_explored_ = 0;
  std::vector<std::uint8_t> side_;
  // Sides of the root that is tried, per depth: each is used until the next root of that depth.
  struct Sides {
    Rows left, right;
  };
  std::deque<Sides> sides_;
};

}  // namespace mixedwood::optimal::all_splits
