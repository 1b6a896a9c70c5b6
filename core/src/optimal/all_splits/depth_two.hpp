// The best tree of at most two or three splits and depth two: every split of every feature as the
// root, with the best second split on each side, without dividing any rows.
//
// An ordered root: sixteen thresholds at a time are evaluated exactly. With more rows a side has
// no fewer errors, and with fewer rows fewer by at most their weight, so that the evaluated neighbors bound
// every threshold between them; those that cannot be better any more are dropped, and the next
// sixteen are spread over the rest. What nominal columns offer as second splits is known for all
// thresholds after one scan, since a value's own choice is updated when one row changes sides.
//
// A nominal root: values are given to the two sides one after the other, heaviest first. A side has
// at least the errors of the values it already has; each undecided value adds its own errors.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rows.hpp"

namespace mixedwood::optimal::all_splits {

// A stop that stays: afterwards every search returns with the bounds it has.
class Watch {
 public:
  explicit Watch(Stop& stop) : stop_(stop) {}
  bool stopped(std::int64_t cost = 1) {
    return out_of_memory_ || (done_ = done_ || stop_.requested(cost));
  }
  bool has_stopped() const { return done_ || out_of_memory_; }
  void run_out_of_memory() { out_of_memory_ = true; }
  bool out_of_memory() const { return out_of_memory_; }

 private:
  Stop& stop_;
  bool done_ = false, out_of_memory_ = false;
};

struct DepthTwoResult {
  std::int64_t cost = kInfinity;  // kInfinity: nothing within the bound
  Split split;                  // of the root; a leaf has feature -1
  std::int64_t lower = 0;     // of any tree within the budget; equals the cost when proven
  bool left_stump = false, right_stump = false;  // may that side have a split?
};

class DepthTwo {
 public:
  DepthTwo(const FeatureTable& features, Objective objective, Watch& watch);
  ~DepthTwo();

  // Trees of 2 or 3 splits that cost at most `bound`. `lower_of[o]` is a proven lower bound of trees
  // whose root splits feature o, before and, raised, after. An empty side of the root counts as one
  // of the ways to split it there, so that the bounds may be carried over to other sets of rows.
  DepthTwoResult solve(const Rows& rows, int max_splits, std::int64_t bound,
                       std::vector<std::int64_t>& lower_of);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mixedwood::optimal::all_splits
