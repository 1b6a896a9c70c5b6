// The candidate of a column by criterion and partitioner.
#pragma once

#include <cstdint>
#include <vector>

#include "sorted_scan.hpp"
#include "candidate.hpp"
#include "mixedwood/encoded_table.hpp"
#include "mixedwood/grow.hpp"
#include "approximate_partition.hpp"
#include "threshold_scan.hpp"
#include "column_counts.hpp"
#include "bucketed_scan.hpp"

namespace mixedwood {

class Search {
 public:
  Search(const GrowSettings& settings, Stop& stop)
      : settings_(settings),
        min_leaf_(settings.min_samples_leaf - (settings.fractional() ? kRoundingOfFractions : 0.0)),
        scan_(*settings.criterion, min_leaf_, !settings.fractional()),
        buckets_(*settings.criterion, min_leaf_),
        blocks_(min_leaf_),
        approximate_(settings.criterion->traits().impurity),
        stop_(stop) {}

  // No candidate when the column cannot be split. `thorough` demands the partitioner where the
  // approximate search would do for a comparison. Changes the table: at a nominal column, rows without a
  // value become one more value (code -1), unless they are distributed over the children.
  Candidate best(ColumnCounts& table, const EncodedColumn& column, std::uint64_t seed, bool thorough);
  // The same for an ordered column from its cells, without a table in between; for impurity gains.
  // `varies` is whether the column can be split here or below.
  Candidate ordered(const std::uint32_t* cells, std::span<const double> counts,
                    const EncodedColumn& column, bool& varies);
  // Likewise from its buckets; a column that cannot beat a score need not be looked at closely.
  Candidate wide(const NodeRows& node, const std::uint32_t* buckets, std::span<const double> counts,
                 const EncodedColumn& column, double to_beat);
  // Likewise from rows that lie in the column's order.
  Candidate in_order(const NodeRows& node, std::span<const double> counts,
                     const EncodedColumn& column, bool& varies);

 private:
  // Fractions of a row add up to its weight, but for rounding.
  static constexpr double kRoundingOfFractions = 1e-6;

  Candidate ordered(const ColumnCounts& table, const EncodedColumn& column);
  Candidate interval(const Cut& cut, std::int32_t last_left, std::int32_t first_right,
                     bool missing, const EncodedColumn& column) const;
  Candidate nominal(const ColumnCounts& table, std::uint64_t seed, bool thorough);
  Candidate in_order_of(const ColumnCounts& table, const std::vector<double>& keys);
  Candidate by_partitioner(const ColumnCounts& table, std::uint64_t seed);
  Candidate by_approximate_search(const ColumnCounts& table, bool thorough);
  bool merge_pure_values(const ColumnCounts& table, bool thorough);
  Candidate in_halves(const ColumnCounts& table, double score) const;
  Candidate with_larger_sides(const ColumnCounts& table, const Sides& sides);
  Candidate multiway(const ColumnCounts& table) const;
  Candidate from_sides(const ColumnCounts& table, const Sides& sides, double score) const;
  bool large_enough(const ColumnCounts& table, const Sides& sides) const;

  const GrowSettings& settings_;
  double min_leaf_;  // rows, or their weight where rows are fractional
  ThresholdScan scan_;
  BucketedScan buckets_;
  SortedScan blocks_;
  ApproximatePartition approximate_;
  Stop& stop_;
  // The table with pure values put together, and where each value went.
  ColumnCounts merged_;
  std::vector<std::int32_t> merged_place_;
};

}  // namespace mixedwood
