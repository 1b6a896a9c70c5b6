// The best prefix of a table's values in some order, under limits on the size of the sides.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/stop.hpp"
#include "column_counts.hpp"

namespace mixedwood {

struct Cut {
  // The last value that goes left and the first that goes right, as places in the order, or as
  // codes where a histogram was scanned; -1 for none. The order is cut between them.
  std::int32_t last_left = -1, first_right = -1;
  bool missing_left = false;  // where rows without a value go
  // A running purity that grows with the score; scores themselves come from the criterion.
  double purity = -std::numeric_limits<double>::infinity();
  double score = 0.0;  // by the criterion
  // The part of the node's Gini impurity that is removed; only for criteria that are no impurity
  // gains, whose scores are not compared with chance.
  double gini_share = 0.0;

  bool found() const { return last_left >= 0; }
};

class ThresholdScan {
 public:
  // `whole_rows`: sizes are numbers of rows, so that a value that is present has at least 1.
  ThresholdScan(const Criterion& criterion, double min_leaf, bool whole_rows)
      : criterion_(criterion), min_leaf_(min_leaf), whole_rows_(whole_rows) {}

  // `order` holds positions in the table; empty for the table's own order. Rows without a value
  // take part on the side that is better for the score, or not at all.
  Cut best(const ColumnCounts& table, std::span<const std::int32_t> order, bool with_missing,
           Stop& stop);
  // The same for the cells of a column, (code + 1) x class, of a node with `counts` of all classes.
  // For impurity gains only. `n_seen` is the number of values, up to two.
  Cut best(const std::uint32_t* cells, std::int32_t n_values, std::span<const double> counts,
           Stop& stop, int& n_seen);
  // Score of a partition given by its left class weights, all rows of the table counted.
  double score(std::span<const double> left, std::span<const double> all) const;

 private:
  template <typename Running, typename Values>
  void run(Values values, std::span<const double> missing, double missing_rows, bool missing_left,
           double rows, Running& running, Cut& best, Stop& stop);

  void add_up_rest(const ColumnCounts& table, std::span<const std::int32_t> order,
                   std::span<const double> last);
  double score_of(std::span<const double> left, std::span<const double> right,
                  std::span<const double> all) const;

  const Criterion& criterion_;
  double min_leaf_;
  bool whole_rows_;
  std::vector<double> all_, left_, right_, missing_, best_left_, best_right_, groups_;
  std::vector<double> rest_;  // value x class, where it is asked for; see `add_up_rest`
};

}  // namespace mixedwood
