// The table as a list of features.
//
// An ordered column is one feature, whose splits are "rank at most r". A column with missing values
// is two features: missing below all numbers, and missing above them. Together they give every
// threshold with missing values on either side, and "is known". A nominal column is one feature whose
// splits are subsets; missing is one more value.
#pragma once

#include <cstdint>
#include <vector>

#include "../frame/budget.hpp"

namespace mixedwood::optimal::all_splits {

struct Feature {
  enum class Missing { kAbsent, kBelow, kAbove, kValue };
  std::int32_t column = 0;
  bool nominal = false;
  Missing missing = Missing::kAbsent;
  std::int32_t n_ranks = 0;
  std::vector<std::int32_t> rank;  // of each row that is kept
};

struct FeatureTable {
  FeatureTable(const EncodedTable& table, const Samples& samples);

  std::size_t n_rows() const { return classes.size(); }
  std::vector<Feature> list;
  std::vector<std::int32_t> rows;  // of the table: those with weight
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;
  // Weight that no tree classifies correctly.
  std::vector<std::int64_t> unavoidable;
  std::int64_t total_weight = 0;
  std::int32_t n_classes = 0;

 private:
  void add_column(const EncodedColumn& column, std::int32_t index);
};

// Left: rank <= cut, or the rank is in the (sorted) list.
struct Split {
  std::int32_t feature = -1;  // -1: a leaf
  std::int32_t cut = 0;
  std::vector<std::int32_t> left;
};

}  // namespace mixedwood::optimal::all_splits
