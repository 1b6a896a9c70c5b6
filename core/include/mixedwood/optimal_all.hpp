// Trees that are proven best over every threshold of every ordered column and every subset of every
// nominal column: nothing is binarised first.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "mixedwood/proof.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

struct AllSplitsProblem {
  const EncodedTable* table = nullptr;
  std::span<const std::int32_t> classes;
  std::span<const std::int64_t> weights;  // empty: every row weighs 1; rows of weight 0 are dropped
  std::int32_t n_classes = 0;
};

struct AllSplitsSettings {
  std::int32_t max_depth = 2;
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();  // tests, not leaves
  std::int64_t leaf_cost = 0;
  std::int64_t min_leaf = 1;  // rows
  std::int64_t upper_bound = std::numeric_limits<std::int64_t>::max();  // inclusive
  std::int64_t memory_limit = std::numeric_limits<std::int64_t>::max();  // bytes
};

// Node 0 is the root. A leaf has column -1. Rows that answer a test with yes go to child `yes`:
// low < x <= high, or a code listed between value_offset[i] and value_offset[i + 1].
struct AllSplitsResult {
  std::vector<std::int32_t> column, yes, no, label;
  std::vector<double> low, high;
  std::vector<std::int32_t> value_offset, value_code;
  std::vector<std::uint8_t> missing_yes;
  std::int64_t cost = -1;         // -1: no tree was found within the upper bound
  std::int64_t lower_bound = 0;   // of the cost of any tree within the limits
  ProofStatus status = ProofStatus::kOptimal;
  std::int64_t n_explored = 0;    // subproblems that were searched
  std::int64_t n_cached = 0;      // and kept
  double seconds = 0.0;
};

// Cost of a tree: weight of the rows it answers wrongly + leaf_cost x leaves.
AllSplitsResult optimal_all_splits(const AllSplitsProblem& problem,
                                   const AllSplitsSettings& settings, Stop& stop);

}  // namespace mixedwood
