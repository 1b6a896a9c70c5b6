// One pass over the rows at a time: the objective with its gradient, the Hessian, the objective
// along a line.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cholesky.hpp"
#include "mixedwood/smooth_svm.hpp"
#include "row_kernel.hpp"

namespace mixedwood::linear {

// Of one row: q = p(r), and C times the factors of its terms.
struct RowTerms {
  double loss;       // C / 2 q^2
  double slope;      // C q s: how the loss grows with r
  double curvature;  // C D
};

// p(r) and its two derivatives in terms of r, in the smooth or the limit form.
RowTerms row_terms(double r, double c, double alpha);

// A point with all that the rows say there.
struct SvmPoint {
  std::vector<double> z, gradient;
  std::vector<double> decisions;  // w.x_i + b of each row
  double objective = 0.0;
};

class SvmRows {
 public:
  SvmRows(const SvmData& data, const SvmSettings& settings, const RowKernels& kernels);

  std::size_t n_rows() const { return data_.signs.size(); }
  std::size_t n_columns() const { return data_.n_columns; }
  std::size_t size() const { return data_.n_columns + 1; }  // of z

  // Fills everything from point.z. False when asked to stop.
  bool evaluate(SvmPoint& point, Stop& stop) const;
  // The identity and C D zhat zhat^T of every row. False when asked to stop.
  bool add_up_hessian(const SvmPoint& point, UpperMatrix& hessian, Stop& stop) const;
  // The objective at a + step * (b - a).
  double objective_between(const SvmPoint& a, const SvmPoint& b, double step) const;
  // Length of what rounding may add to the gradient at the point.
  double gradient_rounding(const SvmPoint& point) const;

 private:
  double c_of(std::size_t row) const {
    return data_.weights.empty() ? settings_.c : settings_.c * data_.weights[row];
  }
  double residual(std::size_t row, double decision) const {
    return data_.signs[row] > 0 ? 1.0 - decision : 1.0 + decision;
  }

  SvmData data_;
  SvmSettings settings_;
  const RowKernels& kernels_;
  std::size_t block_;  // rows of a block: they stay in the nearest memory
};

}  // namespace mixedwood::linear
