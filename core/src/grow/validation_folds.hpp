// Rows of a node that hyperplanes are not fitted to, in turn.
#pragma once

#include <cstdint>
#include <vector>

#include "counting.hpp"

namespace mixedwood {

struct ValidationFolds {
  std::vector<std::int32_t> sample;  // positions of rows of the node
  std::vector<std::int32_t> part;    // that each row of the sample is left out with; -1: never
  std::int32_t n_parts = 0;          // 0: too few rows
};

// Each class in its own proportion; copies of a row stay together. One fold is a third of the rows,
// left out once. At most `most_rows` are drawn.
ValidationFolds assign_folds(const NodeRows& node, std::int32_t n_folds, std::int64_t most_rows,
                        std::uint64_t seed);

}  // namespace mixedwood
