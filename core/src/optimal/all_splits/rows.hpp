// The rows at a node, sorted by every feature, and how they are divided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features.hpp"

namespace mixedwood::optimal::all_splits {

struct Rows {
  std::int32_t n = 0;
  std::int64_t weight = 0;
  std::int64_t unavoidable = 0;
  std::vector<std::int64_t> counts;   // weight per class
  std::vector<std::int32_t> ids;      // ascending
  std::vector<std::int32_t> sorted;   // feature after feature, each n rows by rank, then id

  std::span<const std::int32_t> by(std::size_t feature) const {
    return {sorted.data() + feature * to_size(n), to_size(n)};
  }
  // Errors of a leaf.
  std::int64_t errors() const;
  std::int32_t label() const;
};

Rows all_rows(const FeatureTable& features);

// Rows with a side of 1 go left. `left` and `right` are reused: no new memory if they are large.
void divide(const FeatureTable& features, const Rows& rows, const std::vector<std::uint8_t>& side,
            Rows& left, Rows& right);

// 1 where the split sends a row of the node left; other rows are not touched.
void mark(const FeatureTable& features, const Rows& rows, const Split& split,
          std::vector<std::uint8_t>& side);

// A value of a nominal feature among the rows of a node.
struct Value {
  std::int32_t rank = 0;
  std::int64_t n_rows = 0, weight = 0, errors = 0;  // the last: that no tree can avoid
  std::vector<std::int64_t> counts;                 // weight per class
};
std::vector<Value> values_of(const FeatureTable& features, const Rows& rows, std::size_t feature);
// Positions of values sorted by their fraction of a class: good subsets are often prefixes.
std::vector<std::size_t> order_by_fraction(const std::vector<Value>& values, std::size_t cls);

// Does the feature offer a split here that no feature before it offers? Features that are one column
// with missing below and above are the same if nothing is missing.
bool is_useful(const FeatureTable& features, const Rows& rows, std::size_t feature);

// The split of a node as one of the table. Whether the left rows are the true branch: they are, except
// for "is known" if missing is below.
bool write_split(const FeatureTable& features, const EncodedTable& table, const Rows& rows,
                 const Split& split, const Rows& left, SplitTree::Node& node);

}  // namespace mixedwood::optimal::all_splits
