// Branch and bound over all thresholds and all subsets of the raw columns, for the least squared error.
//
// Below a node whose children are leaves the best subset of a nominal column is a prefix in the order
// of the means (Fisher 1958). Higher up this fails: every subset counts. Everywhere a tree costs no
// less with more rows, so that a cut bounds the left sides of all cuts above it and the right sides
// of all below.
#pragma once

#include <memory>
#include <vector>

#include "../all_splits/rows.hpp"
#include "../frame/bound_cache.hpp"
#include "mixedwood/stop.hpp"
#include "sums.hpp"

namespace mixedwood::optimal::squared_error {

using all_splits::FeatureTable;
using all_splits::Split;

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;
struct Plan {
  Cost cost = 0;
  Split split;  // no feature: a leaf
  PlanPtr left, right;
};

struct RawRows {
  all_splits::Rows rows;
  Sums sums;
};

class RawSearch {
 public:
  RawSearch(const FeatureTable& features, std::vector<Sums> sums, double ticks,
            const Objective& objective);

  struct Found {
    PlanPtr plan;     // a best tree of cost `upper` or less, or none
    Cost lower = 0;   // of any tree
  };
  Found solve(const RawRows& rows, Budget budget, Cost upper) {
    return solve(rows, budget, upper, objective_.min_samples_leaf);
  }
  PlanPtr leaf(const RawRows& rows) const;
  // Best first by the gain of stumps.
  PlanPtr greedy(const RawRows& rows, Budget budget);
  // The same splits, and greedy trees in place of the leaves.
  PlanPtr extend(const RawRows& rows, const PlanPtr& plan, Budget budget);

  void start(Stop& stop, std::int64_t memory_limit) {
    stop_ = &stop;
    memory_limit_ = memory_limit;
    n_explored_ = 0;
  }
  RawRows all() const;
  void divide(const RawRows& rows, const Split& split, RawRows& left, RawRows& right);
  std::int64_t n_explored() const { return n_explored_; }
  const auto& cache() const { return cache_; }
  Cost slack() const { return slack_; }

 private:
  using Cache = BoundCache<PlanPtr>;
  struct Stump {
    double gain = -1.0;
    Split split;
  };
  struct Value {
    std::int32_t rank = 0;
    Sums sums;
  };
  // The search for the first split of one node.
  struct Job;

  Found solve(const RawRows& rows, Budget budget, Cost upper, std::int64_t least_rows);
  Found solve_deeper(const RawRows& rows, Budget budget, Cost upper, std::int64_t least_rows);
  void search_cuts(Job& job, std::size_t from, std::size_t to, Cost left_bound, Cost right_bound);
  void search_subsets(Job& job, std::size_t next, std::vector<std::uint8_t>& side, Cost left_bound,
                      Cost right_bound);
  void try_split(Job& job, Split split, const RawRows& left, const RawRows& right, Cost left_bound,
                 Cost right_bound);
  // A lower bound of the trees of these rows and of all sets that they are a part of.
  Cost bound_of_part(const Job& job, const RawRows& rows, const Budget& budget, Cost upper);

  Stump best_stump(const RawRows& rows, std::size_t feature, std::int64_t least_rows);
  Stump best_subset_of_size(const std::vector<Value>& values, const Sums& all,
                            std::int64_t least_rows);
  std::vector<Value> values_of(const RawRows& rows, std::size_t feature) const;
  void sum_up(RawRows& rows) const;
  std::vector<std::uint64_t> words_of(const RawRows& rows) const;
  Cost cost_of_leaf(const Sums& sums) const {
    return sums.squares - to_ticks(sums.gain(), ticks_) + objective_.leaf_penalty;
  }

  const FeatureTable& features_;
  std::vector<Sums> sums_;
  double ticks_;
  Objective objective_;
  Cost slack_;
  Cache cache_, relaxed_cache_;  // the second: leaves of any size, where they have a least size
  std::vector<std::uint8_t> side_;
  Stop* stop_ = nullptr;
  std::int64_t memory_limit_ = 0, n_explored_ = 0;
};

}  // namespace mixedwood::optimal::squared_error
