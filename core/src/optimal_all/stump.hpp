// The best single test for the rows of a node, by trying all: one row at a time, no bounds.
#pragma once

#include <vector>

#include "rows.hpp"

namespace mixedwood::all_splits {

struct Stump {
  std::int64_t errors = kNone;
  Test test;  // a leaf, unless a test is better
};

class StumpSearch {
 public:
  StumpSearch(const Options& options, std::int64_t min_leaf)
      : options_(options), min_leaf_(min_leaf) {}

  // Fewest errors; a leaf among equals, then the first option and test.
  Stump best(const Rows& rows);

 private:
  void try_thresholds(const Rows& rows, std::size_t option, Stump& best);
  void try_subsets(const Rows& rows, std::size_t option, Stump& best);
  void try_pair(std::int32_t a, std::int32_t b, std::size_t option, std::int64_t n, Stump& best);

  const Options& options_;
  std::int64_t min_leaf_;
  std::vector<std::int64_t> left_, right_;
  // Per value of a nominal column that occurs: its rank, its rows and its class weights.
  std::vector<std::int32_t> values_;
  std::vector<std::int64_t> n_rows_, counts_;
};

}  // namespace mixedwood::all_splits
