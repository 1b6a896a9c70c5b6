// Sums of gradients in whole numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixedwood/gradient.hpp"
#include "workers.hpp"

namespace mixedwood {

// Of one output in one bin. The second number holds the hessians and, in its low bits, the rows.
struct Sum {
  std::int64_t gradient = 0;
  std::int64_t hessian_and_rows = 0;

  Sum& operator+=(const Sum& other) {
    gradient += other.gradient;
    hessian_and_rows += other.hessian_and_rows;
    return *this;
  }
  Sum& operator-=(const Sum& other) {
    gradient -= other.gradient;
    hessian_and_rows -= other.hessian_and_rows;
    return *this;
  }
};

// What whole numbers stand for. All rows together never overflow.
class Scale {
 public:
  // std::invalid_argument when a derivative is not finite or a hessian below zero.
  Scale(const GradientData& data, Workers& workers);
  // Of rows whose derivatives are at most as large.
  Scale(double gradient, double hessian, std::size_t n_rows) { set(gradient, hessian, n_rows); }

  Sum sum(double gradient, double hessian) const {
    return {rounded(gradient * to_gradient_), (rounded(hessian * to_hessian_) << row_bits_) | 1};
  }
  double gradient(const Sum& sum) const {
    return static_cast<double>(sum.gradient) * from_gradient_;
  }
  double hessian(const Sum& sum) const {
    return static_cast<double>(sum.hessian_and_rows >> row_bits_) * from_hessian_;
  }
  std::int64_t rows(const Sum& sum) const { return sum.hessian_and_rows & row_mask_; }

 private:
  void set(double gradient, double hessian, std::size_t n_rows);
  // Without a call into the library of mathematics, which this would be slow for.
  static std::int64_t rounded(double x) {
    return static_cast<std::int64_t>(x < 0.0 ? x - 0.5 : x + 0.5);
  }

  double to_gradient_ = 1.0, from_gradient_ = 1.0, to_hessian_ = 1.0, from_hessian_ = 1.0;
  int row_bits_ = 1;
  std::int64_t row_mask_ = 1;
};

// Bin x output.
using Sums = std::vector<Sum>;

// Where the sums of each column are. Columns with target statistics have as many blocks
// of sums as the rows have parts, one after another.
class SumLayout {
 public:
  SumLayout(const BinnedSchema& table, const GradientSettings& settings, std::size_t n_outputs);

  std::size_t size() const { return size_; }
  // Of one output.
  std::size_t n_cells() const { return n_cells_; }
  std::size_t n_parts() const { return n_parts_; }
  bool in_parts(std::size_t column) const { return in_parts_[column]; }
  // The first sum of each column, for the rows of a part.
  const std::size_t* first(std::size_t part) const { return first_.data() + part * n_columns_; }

 private:
  std::size_t n_columns_, n_parts_ = 1, size_ = 0, n_cells_ = 0;
  std::vector<bool> in_parts_;
  std::vector<std::size_t> first_;  // part x column
};

// Adds up the gradients of rows in the bins of every column.
class Adder {
 public:
  // `part_of_row` is empty if there is one part.
  Adder(const BinnedTable& table, const GradientData& data, const Scale& scale,
        const SumLayout& layout, std::span<const std::uint8_t> part_of_row, Workers& workers);

  Sums add_up(std::span<const std::int32_t> rows) const;
  // Takes off the rows one by one; for few rows.
  void take_off(std::span<const std::int32_t> rows, Sums& sums) const;
  // Adds the rows to the sums of one column, and marks the parts of each bin that have rows.
  void add_column(std::span<const std::int32_t> rows, std::size_t column, Sum* sums,
                  std::uint8_t* parts_of_bin) const;
  Sum total(std::span<const std::int32_t> rows, std::size_t output) const;

 private:
  // Of some of the columns; taken off in place of added if so asked.
  template <bool kParts, bool kTakeOff, typename Bin>
  void add_rows(const Bin* bins, std::span<const std::int32_t> rows, std::size_t first_column,
                std::size_t last_column, Sums& sums) const;

  const BinnedTable& table_;
  std::size_t n_outputs_;
  const SumLayout& layout_;
  std::span<const std::uint8_t> part_of_row_;
  Workers& workers_;
  std::unique_ptr<Sum[]> of_row_;  // row x output; only rows to learn from
};

}  // namespace mixedwood
