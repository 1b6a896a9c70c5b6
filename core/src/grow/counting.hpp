// From rows to counts. Two ways, whichever is cheaper for a column at a node:
//   - a histogram over all values of the column, for nodes with many rows. Histograms are kept with
//     nodes that wait, so that the largest child's is its parent's less its siblings' (only where
//     every row weighs 1: whole numbers subtract without rounding);
//   - only the node's own values, for nodes with few rows: counted in place, or sorted where there
//     are too many different values for that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "block_counts.hpp"
#include "mixedwood/encoded_table.hpp"
#include "column_counts.hpp"

namespace mixedwood {

// The rows of a node, side by side with their classes and weights (empty: 1 each).
struct NodeRows {
  std::span<const std::int32_t> rows, classes;
  std::span<const double> weights;
  // Shared out among children: a row counts by its weight.
  bool fractional = false;
  // Where the rows lie in the order of the one column that varies: their place in the common list,
  // and its counts. Else null.
  std::size_t begin = 0;
  const BlockCounts* blocks = nullptr;
  // Rows that were counted elsewhere, where nothing but their histogram is here. Else 0.
  std::size_t n_counted = 0;
  // Where those have weights: the weight and the number of rows of each cell. Else null.
  const double* cell_weights = nullptr;
  const double* cell_rows = nullptr;

  std::size_t size() const { return rows.size() + n_counted; }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

// Which classes a node has; columns of its tables are those.
struct PresentClasses {
  std::vector<std::int32_t> classes;   // present -> class
  std::vector<std::int32_t> position;  // class -> present, or -1
};

// Counts of several columns of one node; the narrow ones come first. Empty: not kept.
using Histogram = std::vector<std::uint32_t>;

class Counter {
 public:
  Counter(const std::vector<EncodedColumn>& columns, std::int32_t n_classes);

  // Histogram of the columns that are narrow beside `n_rows`, for the columns asked for.
  Histogram count(const NodeRows& node, std::span<const std::int32_t> columns,
                  std::size_t n_rows) const;
  // GrowPruneLoop a parent's histogram into that of its largest child.
  void subtract(Histogram& parent, const Histogram& sibling, std::size_t n_rows) const;
  bool worth_keeping(std::size_t n_rows) const { return length(n_rows) > 0; }
  // Where a column begins in a histogram of all columns, and how long that is.
  std::size_t offset(std::size_t column) const { return offset_[column]; }
  std::size_t full_length() const { return full_length_; }

  // The table of one column. `kept` may be empty.
  void tabulate(const NodeRows& node, std::size_t column, const PresentClasses& present,
                const Histogram& kept, ColumnCounts& table);
  // The same as plain counts, (code + 1) x class, where the column is narrow enough for that and
  // every row weighs 1; else null. Valid until the next call.
  const std::uint32_t* cells(const NodeRows& node, std::size_t column, const Histogram& kept);
  // Likewise in buckets of neighbouring values, (bucket + 1) x class, for columns that have them.
  const std::uint32_t* buckets(const NodeRows& node, std::size_t column, const Histogram& kept);

 private:
  std::size_t width(std::size_t column) const;
  std::size_t kept_width(std::size_t column) const;
  bool is_kept(std::size_t column, const Histogram& kept) const;
  std::size_t length(std::size_t n_rows) const;
  void from_histogram(const std::uint32_t* counts, std::size_t column,
                      const PresentClasses& present, ColumnCounts& table) const;
  void from_weighed(const NodeRows& node, std::size_t column, const PresentClasses& present,
                    ColumnCounts& table) const;
  const std::uint32_t* count_one(const NodeRows& node, std::size_t column);
  void by_touching(const NodeRows& node, std::size_t column, const PresentClasses& present,
                   ColumnCounts& table);
  void by_weight(const NodeRows& node, std::size_t column, const PresentClasses& present,
                 ColumnCounts& table);
  void by_sorting(const NodeRows& node, std::size_t column, const PresentClasses& present,
                  ColumnCounts& table);

  const std::vector<EncodedColumn>& columns_;
  std::size_t n_classes_;
  std::vector<std::int32_t> by_width_;  // columns, narrow first
  std::vector<std::size_t> offset_;     // of a column in a kept histogram
  std::size_t full_length_ = 0;
  // Buffers.
  std::vector<std::uint32_t> counts_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> touched_;  // cells; all zero between calls
  std::vector<std::uint64_t> marks_;    // which values are touched; likewise
  std::vector<std::uint64_t> keys_, other_keys_;
};

}  // namespace mixedwood
