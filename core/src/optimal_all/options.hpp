// What may be tested: the table seen as a list of options.
//
// An ordered column is one option, whose tests are "rank at most r". Where a column has missing
// values it is two options: missing below all numbers, and missing above them. Together they are
// every threshold with missing on either side, and "is known". A nominal column is one option whose
// tests are subsets; a missing value is one more value.
#pragma once

#include <cstdint>
#include <vector>

#include "mixedwood/optimal_all.hpp"

namespace mixedwood::all_splits {

inline constexpr std::int64_t kNone = std::int64_t{1} << 60;  // more than any cost

struct Option {
  enum class Missing { kAbsent, kBelow, kAbove, kValue };
  std::int32_t column = 0;
  bool nominal = false;
  Missing missing = Missing::kAbsent;
  std::int32_t n_ranks = 0;
  std::vector<std::int32_t> rank;  // of each row that is kept
};

struct Options {
  Options(const AllSplitsProblem& problem);

  std::size_t n_rows() const { return classes.size(); }
  std::vector<Option> list;
  std::vector<std::int32_t> rows;  // of the table: those with weight
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  // Weight that no test can save: rows with the same values as others of a heavier class.
  std::vector<std::int64_t> unavoidable;
  std::int64_t total_weight = 0;
  std::int32_t n_classes = 0;
  bool unit_weights = true;

 private:
  void add_column(const EncodedColumn& column, std::int32_t index);
  void find_unavoidable();
};

// One test. Left: rank <= cut, or the rank is in the (sorted) list.
struct Test {
  std::int32_t option = -1;  // -1: a leaf
  std::int32_t cut = 0;
  std::vector<std::int32_t> left;
};

}  // namespace mixedwood::all_splits
