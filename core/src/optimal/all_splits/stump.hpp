// The best single split for the rows of a node, by trying all: one row at a time, no bounds.
#pragma once

#include <vector>

#include "rows.hpp"

namespace mixedwood::optimal::all_splits {

struct Stump {
  std::int64_t errors = kInfinity;
  Split split;  // a leaf, unless a split is better
};

class StumpSearch {
 public:
  StumpSearch(const FeatureTable& features, std::int64_t min_samples_leaf)
      : features_(features), min_samples_leaf_(min_samples_leaf) {}

  // Fewest errors; a leaf among equals, then the first feature and split.
  Stump best(const Rows& rows);

 private:
  void try_thresholds(const Rows& rows, std::size_t feature, Stump& best);
  void try_subsets(const Rows& rows, std::size_t feature, Stump& best);
  void try_pair(std::int32_t a, std::int32_t b, std::size_t feature, std::int64_t n, Stump& best);

  const FeatureTable& features_;
  std::int64_t min_samples_leaf_;
  std::vector<std::int64_t> left_, right_;
  // Per value of a nominal column that occurs: its rank, its rows and its class weights.
  std::vector<std::int32_t> values_;
  std::vector<std::int64_t> n_rows_, counts_;
};

}  // namespace mixedwood::optimal::all_splits
