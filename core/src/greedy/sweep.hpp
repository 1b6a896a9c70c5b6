// The best prefix of a table's values in some order, under limits on the size of the sides.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/stop.hpp"
#include "value_table.hpp"

namespace mixedwood {

struct Cut {
  std::size_t length = 0;     // values of the order that go left; 0: no cut is allowed
  bool missing_left = false;  // where rows without a value go
  // A running measure that grows with the score; scores themselves are asked of the criterion.
  double measure = -std::numeric_limits<double>::infinity();

  bool found() const { return length > 0; }
};

class Sweep {
 public:
  // `whole_rows`: sizes are numbers of rows, so that a value that is present has at least 1.
  Sweep(const Criterion& criterion, double min_leaf, bool whole_rows)
      : criterion_(criterion), min_leaf_(min_leaf), whole_rows_(whole_rows) {}

  // `order` holds positions in the table; empty for the table's own order. Rows without a value
  // take part on the side that is better for the score, or not at all.
  Cut best(const ValueTable& table, std::span<const std::int32_t> order, bool with_missing,
           Stop& stop);
  // Score of a partition given by its left class weights, all rows of the table counted.
  double score(std::span<const double> left, std::span<const double> all) const;

 private:
  template <typename Measure>
  void run(const ValueTable& table, std::span<const std::int32_t> order, bool missing_left,
           double missing_rows, Measure& measure, Cut& best, Stop& stop);

  const Criterion& criterion_;
  double min_leaf_;
  bool whole_rows_;
  std::vector<double> all_, left_, right_, groups_;
};

}  // namespace mixedwood
