// The candidate of a column by criterion and partitioner.
#pragma once

#include <cstdint>
#include <vector>

#include "block_sweep.hpp"
#include "candidate.hpp"
#include "mixedwood/coded_table.hpp"
#include "mixedwood/grow.hpp"
#include "quick_partition.hpp"
#include "sweep.hpp"
#include "value_table.hpp"
#include "wide_sweep.hpp"

namespace mixedwood {

class Search {
 public:
  Search(const GrowSettings& settings, Stop& stop)
      : settings_(settings),
        min_leaf_(settings.min_samples_leaf - (settings.fractional() ? kRoundingOfShares : 0.0)),
        sweep_(*settings.criterion, min_leaf_, !settings.fractional()),
        wide_(*settings.criterion, min_leaf_),
        blocks_(min_leaf_),
        quick_(settings.criterion->traits().impurity),
        stop_(stop) {}

  // No candidate when the column cannot be split. `thorough` asks for the partitioner where the
  // quick search would do for a comparison. Changes the table: at a nominal column, rows without a
  // value become one more value (code -1), unless they are shared out among the children.
  Candidate best(ValueTable& table, const CodedColumn& column, std::uint64_t seed, bool thorough);
  // The same for an ordered column from its cells, without a table in between; for impurity gains.
  // `varies` tells whether the column can be split here or below.
  Candidate ordered(const std::uint32_t* cells, std::span<const double> counts,
                    const CodedColumn& column, bool& varies);
  // Likewise from its buckets; a column that cannot beat a score need not be looked at closely.
  Candidate wide(const NodeRows& node, const std::uint32_t* buckets, std::span<const double> counts,
                 const CodedColumn& column, double to_beat);
  // Likewise from rows that lie in the column's order.
  Candidate in_order(const NodeRows& node, std::span<const double> counts,
                     const CodedColumn& column, bool& varies);

 private:
  // Shares of a row add up to its weight, but for rounding.
  static constexpr double kRoundingOfShares = 1e-6;

  Candidate ordered(const ValueTable& table, const CodedColumn& column);
  Candidate interval(const Cut& cut, std::int32_t last_left, std::int32_t first_right,
                     bool missing, const CodedColumn& column) const;
  Candidate nominal(const ValueTable& table, std::uint64_t seed, bool thorough);
  Candidate in_order_of(const ValueTable& table, const std::vector<double>& keys);
  Candidate by_partitioner(const ValueTable& table, std::uint64_t seed);
  Candidate quickly(const ValueTable& table, bool thorough);
  bool merge_pure_values(const ValueTable& table, bool thorough);
  Candidate in_halves(const ValueTable& table, double score) const;
  Candidate with_larger_sides(const ValueTable& table, const Sides& sides);
  Candidate multiway(const ValueTable& table) const;
  Candidate from_sides(const ValueTable& table, const Sides& sides, double score) const;
  bool large_enough(const ValueTable& table, const Sides& sides) const;

  const GrowSettings& settings_;
  double min_leaf_;  // rows, or their weight where it is shared out
  Sweep sweep_;
  WideSweep wide_;
  BlockSweep blocks_;
  QuickPartition quick_;
  Stop& stop_;
  // The table with pure values put together, and where each value went.
  ValueTable merged_;
  std::vector<std::int32_t> merged_place_;
};

}  // namespace mixedwood
