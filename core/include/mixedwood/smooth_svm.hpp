// The smooth support vector machine ("SSVM: A Smooth Support Vector Machine", Lee and Mangasarian):
//   Phi(w, b) = sum of C_i / 2 p(1 - y_i (w.x_i + b))^2 + (|w|^2 + b^2) / 2,   C_i = c * weight_i,
// with p(x) = max(x, 0) + log(1 + exp(-alpha |x|)) / alpha, or its limit max(x, 0). The function is
// strictly convex; Newton's method with Armijo's rule reaches its one minimum from anywhere.
// Rows are taken as they are: whoever calls has scaled them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/index.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// Rows of n_columns numbers each, end to end; the constant 1 is not among them.
struct SvmData {
  std::span<const double> x;
  std::span<const std::int8_t> signs;  // -1, +1
  std::span<const double> weights;     // empty: 1
  std::size_t n_columns = 0;
};

struct SvmSettings {
  double c = 1.0;
  double alpha = 0.0;  // 0: the limit form
  double tolerance = 1e-8;  // converged when |gradient| <= tolerance * (1 + |z|)
  int max_iterations = 100;
  int max_halvings = 30;
};

struct SvmFit {
  std::vector<double> z;  // w, then b
  double objective = 0;
  double gradient_norm = 0;
  int iterations = 0;
  bool converged = false;
  std::vector<double> steps;  // the length of each step, 1 for Newton's
};

// Without a start it is 0; of very many rows, the minimum of a fixed sample of them, whose steps are
// not counted. Where rounding keeps the gradient above the tolerance (a very large c), a gradient as small as
// rounding allows counts as converged. When `stop` asks to stop, the best point so far comes back,
// not converged; before the first look at all rows that is the start, with an infinite objective.
SvmFit fit_smooth_svm(const SvmData& data, const SvmSettings& settings,
                      std::span<const double> start /* may be empty */, Stop& stop);

// w.x + b of each row, rounded as the fit rounds it. z is w, then b.
std::vector<double> svm_decisions(std::span<const double> x, std::size_t n_rows,
                                  std::span<const double> z);

struct SvmDerivatives {
  double objective = 0;
  std::vector<double> gradient;
  std::vector<double> hessian;  // in full, row by row
};

// What the method sees at z; in the limit form the Hessian is the generalised one.
SvmDerivatives svm_derivatives(const SvmData& data, const SvmSettings& settings,
                               std::span<const double> z);

}  // namespace mixedwood
