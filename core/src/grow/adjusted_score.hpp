// What the split of a column can be expected to score on new rows: its score less what chance gives
// to a column of its kind (Selection::kAdjusted).
//
// A search that may put every value on either side fits noise the better, the more values there are
// and the fewer rows each has: a column that identifies rows reaches the best score there is. So
// columns are compared by adjusted scores, made of two corrections.
//
// Sides fitted to the classes are cross-fitted: each row is placed by the other rows of its value.
// Each of those is kept with probability kKept, and those kept vote for a side with the gradient of
// the Gini impurity, which is how good groups are made. Their sum is taken to be normal. A value
// without other rows goes left as often as all rows do. This gives the expected table of side and
// class, and the score is multiplied by the Gini gain of that table over the gain of the table
// counted, with a minus where rows go to the side that suits them worse. If the column does not
// depend on the classes, the expected table is the one of independence on average, whatever the
// number of values: with z standard normal, E[z Phi(c z)] = c E[phi(c z)], so what a value's rows
// gain and what leaving out the row itself loses cancel. If values have many rows and are far from
// the border, it is the table counted.
//
// The place of the cut is fitted as well, in an order made by the classes or not (thresholds,
// random orders): the expected largest chi-square statistic of all cuts under independence is taken
// off, as far as it exceeds that of one cut. For one value against the rest it is that of as many
// splits; for one branch per value the score is reduced by the expected gain of such a table, which
// also bounds that of more than two groups of values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "candidate.hpp"
#include "mixedwood/grow.hpp"
#include "column_counts.hpp"

namespace mixedwood {

class AdjustedScore {
 public:
  // `copies`: how often a row comes in the sample, on average over its rows. `frequencies`: weights
  // are whole numbers, and a row of weight 2 counts as two rows. `mean_weight`: of a row, for where
  // rows are shared out and counted by their weight.
  AdjustedScore(const GrowSettings& settings, double copies, bool frequencies, double mean_weight)
      : settings_(settings),
        traits_(settings.criterion->traits()),
        copies_(copies),
        frequencies_(frequencies),
        row_weight_(settings.fractional() ? mean_weight : 1.0) {}

  // Of the split of a nominal column. `distinct`: rows of each value of the table, copies not
  // counted; empty where that is not known. Notes the part of the Gini impurity that it removes.
  double nominal(const ColumnCounts& table, Candidate& found, std::span<const double> distinct);
  // Of a threshold: at most `n_values` different values at a node with these class weights.
  double threshold(const Candidate& found, std::size_t n_values, double n_rows,
                   std::span<const double> counts);
  // Whether the rank of a nominal column, at a node with these rows and class weights, is larger
  // than columns that do not depend on the classes reach, but for a few.
  bool beyond_chance(const Candidate& found, double n_rows, std::span<const double> counts) const;

 private:
  void find_sides(const ColumnCounts& table, const Candidate& found);
  void add_up_groups(const ColumnCounts& table, std::size_t n_groups);
  void find_direction(std::size_t n_classes);
  void expect(const ColumnCounts& table, std::span<const double> distinct);
  double expected_gain(const ColumnCounts& table) const;
  // How many rows these are, copies counted.
  double count(double rows, double weight) const {
    return frequencies_ ? weight : rows / row_weight_;
  }
  double excess(std::size_t n_values, double degrees);
  double less_excess(double score, double excess, double n_rows, double share,
                     std::span<const double> counts, double degrees) const;

  const GrowSettings& settings_;
  CriterionTraits traits_;
  double copies_;
  bool frequencies_;
  double row_weight_;
  std::vector<std::int32_t> side_;         // of each value of the table
  std::vector<double> groups_, expected_;  // side (or group) x class
  std::vector<double> direction_;          // of each class: evidence of a row for side 0
  double degrees_ = 1.0, factor_ = 1.0;    // the last ones asked for
};

}  // namespace mixedwood
