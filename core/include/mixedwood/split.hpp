// The main entry point: the best grouping of the values of one nominal column, from its counts.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/registry.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

struct SplitRequest {
  std::span<const double> counts;  // row by row
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::string criterion;
  const Criterion* custom_criterion = nullptr;  // used instead of the name when given
  std::shared_ptr<const Partitioner> partitioner;
  std::span<const double> costs;  // n_columns x n_columns, or empty
  std::uint64_t seed = 0;
  bool ordered = false;
};

struct Split {
  std::vector<std::int32_t> group;  // of each row: 0, 1, ...; -1 for rows without weight
  int n_groups = 0;
  double score = 0.0;
  double impurity = 0.0;         // weighted mean impurity of the groups
  double impurity_before = 0.0;  // of the undivided node
  bool exact = false;
  bool complete = true;
  double bound = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int32_t> superclass;
  std::string partitioner;  // what really searched, where `auto` chose
};

// Bad input: std::invalid_argument. Interrupted by `stop`'s hook: the result is not to be used.
Split best_split(const SplitRequest& request, Stop& stop);

// Scores a given grouping (-1 for rows that stay out) under a criterion.
// Only an interrupt stops it.
Split score_grouping(const SplitRequest& request, std::span<const std::int32_t> group, Stop& stop);

}  // namespace mixedwood
