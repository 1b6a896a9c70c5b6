// One pass over the rows at a time: the objective with its gradient, the Hessian, the objective
// along a line.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "../numeric/cholesky.hpp"
#include "../numeric/row_kernel.hpp"
#include "mixedwood/smooth_svm.hpp"

namespace mixedwood::linear {

// Of one row: q = p(r), and C times the factors of its terms.
struct RowTerms {
  double loss;       // C / 2 q^2
  double slope;      // C q s: how the loss grows with r
  double curvature;  // C D
};

RowTerms smooth_row_terms(double r, double c, double alpha);

// The limit form has no branch: which rows count is hard to foresee.
inline RowTerms row_terms(double r, double c, double alpha) {
  if (alpha != 0.0) return smooth_row_terms(r, c, alpha);
  const double slope = r > 0.0 ? c * r : 0.0;
  const double at_zero = r == 0.0 ? 0.5 * c : 0.0;
  return {0.5 * slope * r, slope, r > 0.0 ? c : at_zero};
}

// A point with all that the rows say there.
struct SvmPoint {
  std::vector<double> z, gradient;
  std::vector<double> decisions;  // w.x_i + b of each row
  double objective = 0.0;
};

class SvmRows {
 public:
  SvmRows(const SvmData& data, const SvmSettings& settings, const numeric::RowKernels& kernels);

  std::size_t n_rows() const { return data_.signs.size(); }
  std::size_t n_columns() const { return data_.n_columns; }
  std::size_t size() const { return data_.n_columns + 1; }  // of z

  // Fills everything from point.z. False when asked to stop.
  bool evaluate(SvmPoint& point, Stop& stop) const;
  // The identity and C D zhat zhat^T of every row. False when asked to stop.
  bool add_up_hessian(const SvmPoint& point, numeric::UpperMatrix& hessian, Stop& stop) const;
  // The same matrix times v, and its diagonal, without having it. False when asked to stop.
  bool multiply_hessian(const SvmPoint& point, std::span<const double> v,
                        std::vector<double>& product, Stop& stop) const;
  bool add_up_diagonal(const SvmPoint& point, std::vector<double>& diagonal, Stop& stop) const;
  // The objective at a + step * (b - a).
  double objective_between(const SvmPoint& a, const SvmPoint& b, double step) const;
  // Length of what rounding may add to the gradient at the point.
  double gradient_rounding(const SvmPoint& point) const;

 private:
  double c_of(std::size_t row) const {
    return data_.weights.empty() ? settings_.c : settings_.c * data_.weights[row];
  }
  double curvature_of(const SvmPoint& point, std::size_t row) const {
    const double r = residual(row, point.decisions[row]);
    return row_terms(r, c_of(row), settings_.alpha).curvature;
  }
  double residual(std::size_t row, double decision) const {
    return 1.0 - data_.signs[row] * decision;
  }

  SvmData data_;
  SvmSettings settings_;
  const numeric::RowKernels& kernels_;
  std::size_t block_;  // rows of a block: they stay in the nearest memory
};

}  // namespace mixedwood::linear
