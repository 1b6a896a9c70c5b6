// The table as the search for trees with tests made anew at every node reads it: codes throughout.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/rebinarise.hpp"

namespace mixedwood::rebinarise {

// All columns as codes; -1 is a missing value.
struct NodeColumn {
  enum class Kind { kCutHere, kOrdered, kNominal };
  Kind kind = Kind::kNominal;
  std::vector<std::int32_t> codes;
  std::int32_t n_codes = 0;
  std::vector<double> numbers;  // kCutHere: the distinct numbers; kOrdered: upper end of each code
  std::int64_t n_bins = 2;
};

struct NodeTable {
  NodeTable(const std::vector<RebinariseColumn>& given, std::span<const std::int32_t> classes,
            std::span<const std::int64_t> weights, std::size_t n_classes);

  std::vector<NodeColumn> columns;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  // Rows that are equal in all columns stay together in every tree, which gets all but those of
  // their heaviest class wrong. That weight is booked on the first of them.
  std::vector<std::int64_t> excess;
  std::size_t n_rows = 0, n_classes = 0;
};

}  // namespace mixedwood::rebinarise
