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

namespace mixedwood::all_splits {

// Subsets of more values than this may be too many to go through.
inline constexpr std::size_t kManyValues = 12;

// Fewest errors of one side of a root, as a leaf and with one more test.
struct SideErrors {
  std::int64_t leaf = 0, stump = 0;
};

template <typename T>
class PairSearch {
 public:
  PairSearch(const Options& options, Limits limits, Watch& watch)
      : options_(options), limits_(limits), watch_(watch), items_(options),
        stumps_(options, limits.min_leaf), place_(options.n_rows(), 0),
        side_(options.n_rows(), 0), answer_(options.n_rows(), 0) {}

  DepthTwoResult solve(const Rows& rows, int max_tests, std::int64_t bound,
                       std::vector<std::int64_t>& lower_of);

 private:
  // Each returns a proven lower bound of trees whose root tests the option.
  // At most so many batches of thresholds are evaluated.
  std::int64_t thresholds(std::size_t option, int max_batches = std::numeric_limits<int>::max());
  std::int64_t subsets(std::size_t option);

  // Thresholds: candidates are the places after which the value changes.
  struct Candidate {
    std::int32_t rank = 0;          // of the value below
    std::int64_t n_left = 0, weight_left = 0;
    SideErrors left, right;         // the stump: by nominal columns alone
    std::int64_t ordered_left = -1, ordered_right = -1;  // by ordered ones; -1: not evaluated
  };
  void find_candidates(std::size_t option);
  void sweep_nominal(std::size_t root, std::size_t second);
  void sweep_two_classes(std::size_t root, const Option& second);
  void sweep_many_classes(std::size_t root, const Option& second);
  void evaluate(const std::vector<std::size_t>& chosen);
  // Drops those that cannot be better than the best. Least bound of the dropped and of the kept.
  std::pair<std::int64_t, std::int64_t> drop_hopeless(std::vector<std::size_t>& alive) const;

  // Subsets: which of the first values go right.
  using Assignment = std::vector<std::uint8_t>;
  struct Value {
    std::int32_t rank = 0;
    std::int64_t n_rows = 0, weight = 0, errors = 0;
    std::vector<std::int64_t> counts;
  };
  struct Bounds {
    SideErrors left, right;
  };
  void find_values(std::size_t option);
  void evaluate(const std::vector<Assignment>& chosen, std::vector<Bounds>& out);
  std::vector<Assignment> likely() const;
  // Every value to the side whose test suits it better, new tests for the sides, and so on.
  void alternate(std::size_t option, Assignment here);
  std::vector<std::int64_t> errors_by_value(const Rows& side);
  std::int64_t offer(std::size_t option, const Assignment& all_values, const Bounds& sides);

  // Cost of a root with such sides, and which sides have a test.
  std::int64_t cost(const SideErrors& left, const SideErrors& right) const {
    const std::int64_t c = limits_.leaf_cost;
    const std::int64_t l0 = left.leaf + c, l1 = std::min(l0, left.stump + 2 * c);
    const std::int64_t r0 = right.leaf + c, r1 = std::min(r0, right.stump + 2 * c);
    return max_tests_ >= 3 ? l1 + r1 : std::min(l1 + r0, l0 + r1);
  }
  // Exact under a minimum leaf size; then the best so far, if it is. Returns the cost.
  std::int64_t offer(Test test, SideErrors left, SideErrors right);
  void run(const Roots<T>& roots, const Roots<T>& coarse, bool nominal_too, Side<T>& left,
           Side<T>& right);
  SideErrors errors_of(const Side<T>& side, std::size_t lane,
                       const std::vector<std::int64_t>& counts, bool with_values) const;

  const Options& options_;
  Limits limits_;
  Watch& watch_;
  PairItems<T> items_;
  StumpSearch stumps_;
  Scratch<T> scratch_;
  std::vector<std::int32_t> place_;
  std::vector<std::uint8_t> side_, answer_;
  Rows left_rows_, right_rows_;

  const Rows* rows_ = nullptr;
  PresentClasses classes_{Rows{}};
  std::vector<std::size_t> ordered_, nominal_;  // useful second options
  int max_tests_ = 3;
  std::int64_t best_ = 0;  // only less is of interest
  DepthTwoResult found_;
  std::vector<Candidate> candidates_;
  std::vector<std::int64_t> class_counts_;      // left of each candidate, class after class
  std::vector<Value> values_;
  std::vector<std::int32_t> bucket_;
};

}  // namespace mixedwood::all_splits
