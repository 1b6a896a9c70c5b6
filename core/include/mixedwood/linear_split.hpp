// Linear splits, laid out for adding up. Whoever adds up with this, routing or growing, puts a row on
// the same side of a split, to the last bit.
//
// The sum begins with the intercept; then come numbers, places in orders, and values, each in the
// order of the terms. No row has two values of a column, so that its values are one look-up. What
// does not come out finite is done again with care: an infinite number decides alone, two of
// opposite signs leave no value, a weight of zero counts for nothing whatever the number, and a sum
// that only overflowed on the way has the sign that it should have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/tree.hpp"

namespace mixedwood {

// The terms of one split, as in TreeView.
struct LinearTerms {
  std::span<const std::int32_t> column, value;
  std::span<const double> weight, fill;
  double intercept = 0.0;
};
LinearTerms terms_of(const TreeView& tree, std::int32_t node);

class LinearSplits {
 public:
  // A split that check_tree lets through. `columns` says what the columns are; its rows do not
  // matter. Returns the number of the split, counted from 0.
  std::uint32_t add(const LinearTerms& terms, const TableView& columns);

  // Of some rows; NaN where the sum is undefined. A row goes to child 0 if its sum is above zero.
  void sums(std::uint32_t split, const TableView& table, std::span<const std::int32_t> rows,
            std::span<double> out) const;

 private:
  struct Number {  // or place
    double weight, fill;
    std::int32_t column;
  };
  struct Values {
    std::int32_t column;
    std::int32_t n_listed;  // codes in codes_; kTable if weights_ has one for every code
    std::size_t codes, weights;  // where they begin
  };
  struct Split {
    double intercept;
    std::size_t numbers, places, end_of_places;
    std::size_t values, end_of_values;
  };
  static constexpr std::int32_t kTable = -1;
  void add_values(const LinearTerms& terms, const TableView& columns);
  static double place_of(const Number& number, const ColumnView& column, std::size_t row);
  double weight_of(const Values& values, const ColumnView& column, std::size_t row) const;
  double careful_sum(const Split& split, const TableView& table, std::size_t row) const;

  std::vector<Split> splits_;
  std::vector<Number> numbers_;  // of a split: numbers, then places
  std::vector<Values> values_;
  std::vector<std::int32_t> codes_;
  std::vector<double> weights_;
};

}  // namespace mixedwood
