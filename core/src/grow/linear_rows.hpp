// The rows of a node as linear models see them, and the way back to the columns of the table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "candidate.hpp"
#include "counting.hpp"
#include "mixedwood/column_scale.hpp"
#include "mixedwood/encoded_table.hpp"
#include "mixedwood/linear_model.hpp"

namespace mixedwood {

// Numbers are scaled to mean 0 and variance 1 at the node; a missing number is the mean. Columns
// that do not vary stay out, and so do those whose scale cannot be distinguished from rounding.
class LinearRows {
 public:
  // `nominal`: values of nominal columns too, as long as a hyperplane has at most `max_weights`.
  void read(const std::vector<EncodedColumn>& columns, std::span<const std::int32_t> which,
            const NodeRows& node, bool nominal, std::size_t max_weights);
  bool empty() const { return n_weights_ <= 1; }
  std::size_t n_weights() const { return n_weights_; }

  MixedRows all() const { return view(numbers_, places_); }
  // Some of the rows, by their positions; valid until the next call.
  MixedRows some(std::span<const std::int32_t> positions);

  // The columns of the same matrix, for models that decide themselves.
  NodeColumns node_columns(const NodeRows& node) const;

  // Turns a hyperplane into terms of the table's columns, the largest first, and the constant.
  void terms_of(std::span<const double> hyperplane, std::vector<LinearTerm>& terms,
                double& intercept) const;

 private:
  struct Number {
    std::int32_t column;
    double mean, deviation;
    ColumnScale scale;
  };
  struct Nominal {
    std::int32_t column;
    std::size_t first;                // of its places
    std::vector<std::int32_t> codes;  // -1: missing
    std::vector<double> fractions;       // of the rows
  };

  bool read_number(const EncodedColumn& column, std::int32_t c, const NodeRows& node);
  bool read_nominal(const EncodedColumn& column, std::int32_t c, const NodeRows& node,
                    Nominal& found) const;
  MixedRows view(std::span<const double> numbers, std::span<const std::int32_t> places) const {
    return {numbers, places, numbers_read_.size() + 1, nominal_read_.size(), n_weights_};
  }

  std::vector<Number> numbers_read_;
  std::vector<Nominal> nominal_read_;
  std::size_t n_weights_ = 0;
  std::vector<double> numbers_, some_numbers_;
  std::vector<std::int32_t> places_, some_places_;
  std::vector<std::vector<double>> scaled_;  // numbers, column by column
};

}  // namespace mixedwood
