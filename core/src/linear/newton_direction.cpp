// By Cholesky's factor, unless there are thousands of columns, or many and far fewer rows. Then the
// matrix, let alone its factor, costs more than going through the rows many times: conjugate
// gradients, scaled by the diagonal, and no further than the gradient is worth.
#include "newton_direction.hpp"

#include <algorithm>
#include <cmath>

#include "../numeric/linear_algebra.hpp"
#include "../simd/kernels.hpp"

namespace mixedwood::linear {
namespace {

bool is_wide(const SvmRows& rows) {
  return rows.size() > 5000 || (rows.size() > 2000 && 2 * rows.n_rows() < rows.size());
}

}  // namespace

NewtonDirection::NewtonDirection(const SvmRows& rows) : rows_(rows) {
  if (!is_wide(rows)) hessian_.emplace(rows.size());
}

std::vector<double> NewtonDirection::find(const SvmPoint& point, Stop& stop) {
  if (!hessian_) return conjugate_gradients(point, stop);
  if (!rows_.add_up_hessian(point, *hessian_, stop)) return {};
  if (!numeric::factorise(*hessian_, simd::kernels().rows, stop)) return {};
  std::vector<double> direction(point.gradient);
  numeric::solve(*hessian_, direction);
  return direction;
}

std::vector<double> NewtonDirection::conjugate_gradients(const SvmPoint& point,
                                                         Stop& stop) const {
  const std::size_t m = rows_.size();
  std::vector<double> diagonal, product, x(m, 0.0), scaled(m), residual(point.gradient);
  if (!rows_.add_up_diagonal(point, diagonal, stop)) return {};
  const auto scale = [&] {
    for (std::size_t j = 0; j < m; ++j) scaled[j] = residual[j] / diagonal[j];
    return dot(residual, scaled);
  };
  double size = scale();
  std::vector<double> search(scaled);
  // The nearer the goal, the more exact: convergence stays faster than linear.
  const double start = std::sqrt(dot(residual, residual));
  const double enough = start * std::min(0.001, std::sqrt(start / (1.0 + point.objective)));
  for (std::size_t k = 0; k < m && std::sqrt(dot(residual, residual)) > enough; ++k) {
    if (!rows_.multiply_hessian(point, search, product, stop)) return {};
    const double step = size / dot(search, product);
    if (!std::isfinite(step)) break;
    add_scaled(x, step, search);
    add_scaled(residual, -step, product);
    const double before = size;
    size = scale();
    for (std::size_t j = 0; j < m; ++j) search[j] = scaled[j] + size / before * search[j];
  }
  return x;
}

}  // namespace mixedwood::linear
