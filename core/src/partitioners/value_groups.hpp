// Groups of values by C4.5's greedy merging (Quinlan 1993, chapter 7).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mixedwood/stop.hpp"

namespace mixedwood::partitioners {

// What is merged: class weights of values, row by row, all of them positive in sum.
struct ValuesToGroup {
  std::span<const double> entries;
  std::size_t n_classes = 0;
  double missing = 0.0;           // weight of rows without a value: one more branch of the split
  std::span<const double> sizes;  // of each value; with `min_size`, what a branch should have
  double min_size = 0.0;
};

// The group of each value, numbered by first values; false in `complete` when stopped early.
//
// First, values whose rows are all of one class are put together by class. Then, while there are
// more than two groups, the two whose merging gives the largest gain ratio become one, as long as
// the ratio rises. A split needs two groups of the least size: while fewer than three have it, the
// heaviest is left alone, and while fewer than two have it, merging goes on whatever the ratio.
// Of equal pairs the first one is merged.
std::vector<int> group_by_gain_ratio(const ValuesToGroup& values, Stop& stop, bool& complete);

}  // namespace mixedwood::partitioners
