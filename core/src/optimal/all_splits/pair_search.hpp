// What the two kinds of root share in the depth-two search. `T` holds any sum of weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "depth_two.hpp"
#include "pair_items.hpp"
#include "stump.hpp"

namespace mixedwood::optimal::all_splits {

// Subsets of more values than this may be too many to go through.
inline constexpr std::size_t kManyValues = 12;

// Fewest errors of one side of a root, as a leaf and with one more split.
struct SideErrors {
  std::int64_t leaf = 0, stump = 0;
};

template <typename T>
class PairSearch {
 public:
  PairSearch(const FeatureTable& features, Objective objective, Watch& watch)
      : features_(features), objective_(objective), watch_(watch), items_(features),
        stumps_(features, objective.min_samples_leaf), place_(features.n_rows(), 0),
        side_(features.n_rows(), 0), second_(features.n_rows(), 0) {}

  DepthTwoResult solve(const Rows& rows, int max_splits, std::int64_t bound,
                       std::vector<std::int64_t>& lower_of);

 private:
  // Each returns a proven lower bound of trees whose root splits the feature.
  // Maximum number of batches of thresholds that are evaluated.
  std::int64_t thresholds(std::size_t feature, int max_batches = std::numeric_limits<int>::max());
  std::int64_t subsets(std::size_t feature);

  // Thresholds: candidates are the places after which the value changes.
  struct Candidate {
    std::int32_t rank = 0;          // of the value below
    std::int64_t n_left = 0, weight_left = 0;
    SideErrors left, right;         // the stump: by nominal columns alone
    std::int64_t ordered_left = -1, ordered_right = -1;  // by ordered ones; -1: not evaluated
  };
  void find_candidates(std::size_t feature);
  void scan_nominal(std::size_t root, std::size_t second);
  void scan_two_classes(std::size_t root, const Feature& second);
  void scan_many_classes(std::size_t root, const Feature& second);
  void evaluate(const std::vector<std::size_t>& chosen);
  // Drops those that cannot be better than the best. Least bound of the dropped and of the kept.
  std::pair<std::int64_t, std::int64_t> drop_dominated(std::vector<std::size_t>& alive) const;

  // Subsets: which of the first values go right.
  using Assignment = std::vector<std::uint8_t>;
  struct Bounds {
    SideErrors left, right;
  };
  void find_values(std::size_t feature);
  void evaluate(const std::vector<Assignment>& chosen, std::vector<Bounds>& out);
  std::vector<Assignment> likely() const;
  // Every value to the side whose split suits it better, new splits for the sides, and so on.
  void alternate(std::size_t feature, Assignment here);
  std::vector<std::int64_t> errors_by_value(const Rows& side);
  std::int64_t offer(std::size_t feature, const Assignment& all_values, const Bounds& sides);

  // Cost of a root with such sides, and which sides have a split.
  std::int64_t cost(const SideErrors& left, const SideErrors& right) const {
    const std::int64_t c = objective_.leaf_penalty;
    const std::int64_t l0 = left.leaf + c, l1 = std::min(l0, left.stump + 2 * c);
    const std::int64_t r0 = right.leaf + c, r1 = std::min(r0, right.stump + 2 * c);
    return max_splits_ >= 3 ? l1 + r1 : std::min(l1 + r0, l0 + r1);
  }
  // Checks the minimum leaf size, keeps the root if it is the best so far, and returns its cost.
  std::int64_t offer(Split split, SideErrors left, SideErrors right);
  void run(const Roots<T>& roots, const Roots<T>& coarse, bool nominal_too, Side<T>& left,
           Side<T>& right);
  SideErrors errors_of(const Side<T>& side, std::size_t lane,
                       const std::vector<std::int64_t>& counts, bool with_values) const;

  const FeatureTable& features_;
  Objective objective_;
  Watch& watch_;
  PairItems<T> items_;
  StumpSearch stumps_;
  Scratch<T> scratch_;
  std::vector<std::int32_t> place_;
  std::vector<std::uint8_t> side_, second_;
  Rows left_rows_, right_rows_;

  const Rows* rows_ = nullptr;
  PresentClasses classes_{Rows{}};
  std::vector<std::size_t> ordered_, nominal_;  // useful second features
  int max_splits_ = 3;
  std::int64_t best_ = 0;  // only less is of interest
  DepthTwoResult found_;
  std::vector<Candidate> candidates_;
  std::vector<std::int64_t> class_counts_;      // left of each candidate, class after class
  std::vector<Value> values_;                   // with counts of the classes that occur
  std::vector<std::int32_t> bucket_;
};

}  // namespace mixedwood::optimal::all_splits
