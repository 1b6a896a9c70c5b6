// Roots of trees deeper than two, one feature and one division of the splits at a time.
//
// Thresholds follow the same rules as in the depth-two search, but one candidate at a time is
// evaluated, by solving both sides, and its neighbors inherit bounds for every feature that a
// side's own root may use: most of those roots need not be searched again.
#pragma once

#include <map>
#include <vector>

#include "search.hpp"

namespace mixedwood::optimal::all_splits {

class RootSearch {
 public:
  RootSearch(Search& search, const Rows& rows, Budget budget, std::int64_t bound,
             std::vector<std::int64_t>& lower_of);
  SubproblemResult run();

  // A root that is tried. The smaller the better; the plan is kept when it is the best so far.
  void offer(const Split& split, const SubproblemResult& left, const SubproblemResult& right);
  // Solves the sides of a split so that they and their neighbors are decided: exactly, unless the
  // sum is more than `surplus` above the best.
  struct Bounds {
    std::int64_t left = 0, right = 0;
    std::vector<std::int64_t> left_of, right_of;
  };
  void evaluate(const Split& split, Budget left, Budget right, std::int64_t surplus, Bounds& bounds);

  Search& search;
  const Rows& rows;
  Budget budget;
  std::int64_t best;  // only less is of interest
  SubproblemResult found;

 private:
  std::vector<std::int64_t>& lower_of_;
};

class ThresholdRoot {
 public:
  ThresholdRoot(RootSearch& root, std::size_t feature, Budget left, Budget right);

  // The candidate that separates the classes best, and the sum of the two sides' bounds.
  std::int64_t first_look();
  std::int64_t run();
  std::size_t feature() const { return feature_; }
  double separation() const { return separation_; }

 private:
  struct Candidate {
    std::int32_t rank;
    std::int64_t n_left, weight_left, least_left, least_right;
  };
  RootSearch::Bounds bounds_at(std::size_t candidate) const;
  void drop_dominated();
  void evaluate(std::size_t candidate);

  RootSearch& root_;
  std::size_t feature_;
  Budget left_, right_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> alive_;
  std::map<std::size_t, RootSearch::Bounds> done_;
  std::size_t first_ = 0;
  double separation_ = 0.0;
  std::int64_t lower_ = kInfinity;
};

class SubsetRoot {
 public:
  SubsetRoot(RootSearch& root, std::size_t feature, Budget left, Budget right);
  std::int64_t run();

 private:
  void try_likely();
  // Values before `next` are decided. Bounds are of the sides so far.
  void decide(std::size_t next, std::int64_t left, std::int64_t right);
  std::int64_t bound_of(std::uint8_t branch, std::size_t next, std::int64_t allowed);
  Split split() const;

  RootSearch& root_;
  std::size_t feature_;
  Budget left_, right_;
  std::vector<Value> values_;
  std::vector<std::int64_t> after_;
  std::vector<std::uint8_t> branch_;  // 0 left, 1 right
  std::int64_t lower_ = kInfinity;
};

}  // namespace mixedwood::optimal::all_splits
