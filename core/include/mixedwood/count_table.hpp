// Value x class weights of one column at one node.
//
// Everything clever in this library happens on this table: rows are the values of a column,
// columns are the classes, an entry is the weight (count) of the rows of the data that have
// both. Searches see only values and classes that are present; `DenseCountTable` remembers where
// they came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/index.hpp"

namespace mixedwood {

class CountTable {
 public:
  // Takes the entries, row by row.
  CountTable(std::vector<double> entries, int n_values, int n_classes);
  // Borrows the entries; they must outlive the table.
  CountTable(std::span<const double> entries, int n_values, int n_classes);

  CountTable(CountTable&&) noexcept = default;
  CountTable& operator=(CountTable&&) noexcept = default;
  CountTable(const CountTable&) = delete;
  CountTable& operator=(const CountTable&) = delete;

  int n_values() const { return n_values_; }
  int n_classes() const { return n_classes_; }
  double operator()(int value, int cls) const { return row(value)[at(cls)]; }
  std::span<const double> row(int value) const {
    const auto width = static_cast<std::size_t>(n_classes_);
    return entries_.subspan(static_cast<std::size_t>(value) * width, width);
  }
  double row_total(int value) const { return row_totals_[at(value)]; }
  std::span<const double> row_totals() const { return row_totals_; }
  std::span<const double> class_totals() const { return class_totals_; }
  double total() const { return total_; }

 private:
  void add_up();

  std::vector<double> owned_;
  std::span<const double> entries_;
  int n_values_ = 0;
  int n_classes_ = 0;
  std::vector<double> row_totals_;
  std::vector<double> class_totals_;
  double total_ = 0.0;
};

// The values and classes of a raw table that carry weight.
struct DenseCountTable {
  CountTable table;
  std::vector<int> values;      // row of the raw table, for each row of `table`
  std::vector<int> classes;     // column of the raw table, for each column of `table`; a class that
                                // vanishes beside the others in rescaling is left out
  std::vector<int> weightless;  // rows so light beside the rest that no score can feel them
  int exponent = 0;             // raw weight = weight in `table` * 2^exponent
};

// Checks a raw table (finite, not negative), drops empty rows and columns, and rescales extreme
// weights by a power of two so that squares and sums neither overflow nor vanish.
// `may_rescale` is false when a criterion of unknown scaling must see the weights as they are.
DenseCountTable keep_present(std::span<const double> counts, std::size_t n_rows,
                          std::size_t n_columns, bool may_rescale = true);

}  // namespace mixedwood
