// The search over whole trees: a root, and the best trees of its two sides, each proven.
//
// Every call answers with a lower bound that holds, and with a tree when one is within the bound it
// was given. A stop leaves all of this true; only the two numbers are then further apart.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "cache.hpp"
#include "depth_two.hpp"
#include "stump.hpp"

namespace mixedwood::all_splits {

struct Found {
  PlanPtr plan;            // none: nothing within the bound
  std::int64_t lower = 0;  // the plan's cost when it is proven best
  std::int64_t cost() const { return plan ? plan->cost : kNone; }
};

struct Budget {
  int depth = 0;
  std::int64_t tests = 0;
  // No more tests than the depth has room for, no more depth than tests.
  static Budget of(int depth, std::int64_t tests);
};

// What a table takes, and what it takes with the search over it, in bytes. The rest of the memory is
// the cache's.
std::int64_t table_bytes(const Options& options);
std::int64_t search_bytes(const Options& options, int depth);

class Search {
 public:
  Search(const Options& options, const AllSplitsSettings& settings, Watch& watch);

  // Best tree within the budget that costs at most `bound`. `lower_of`: see DepthTwo::solve.
  Found solve(const Rows& rows, Budget budget, std::int64_t bound,
              std::vector<std::int64_t>* lower_of = nullptr);

  std::int64_t n_explored() const { return n_explored_; }
  std::int64_t n_cached() const { return cache_.size(); }
  std::int64_t leaf_cost(const Rows& rows) const { return rows.errors() + limits_.leaf_cost; }
  PlanPtr leaf(const Rows& rows) const;

 private:
  friend class RootSearch;
  friend class ThresholdRoot;
  friend class SubsetRoot;

  Found solve_stump(const Rows& rows, std::int64_t bound);
  Found solve_two(const Rows& rows, Budget budget, std::int64_t bound,
                  std::vector<std::int64_t>& lower_of);
  Found solve_deep(const Rows& rows, Budget budget, std::int64_t bound,
                   std::vector<std::int64_t>& lower_of);

  const Options& options_;
  Limits limits_;
  Watch& watch_;
  DepthTwo depth_two_;
  StumpSearch stumps_;
  Cache cache_;
  std::int64_t n_explored_ = 0;
  std::vector<std::uint8_t> side_;
  // Sides of the root that is tried, per depth: each is used until the next root of that depth.
  struct Sides {
    Rows left, right;
  };
  std::deque<Sides> sides_;
};

}  // namespace mixedwood::all_splits
