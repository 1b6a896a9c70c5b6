// Sums run over blocks of rows: a block stays in the nearest memory between its decisions and its
// share of the gradient, and totals of blocks round less than one long sum.
#include "svm_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mixedwood::linear {
namespace {

constexpr std::size_t kBlockNumbers = 2048;
constexpr std::size_t kMaxBlock = 256;
constexpr std::size_t kFewColumns = 16;

}  // namespace

RowTerms smooth_row_terms(double r, double c, double alpha) {
  const double t = std::exp(-alpha * std::abs(r));
  const double q = std::max(r, 0.0) + std::log1p(t) / alpha;
  const double small = t / (1.0 + t), large = 1.0 / (1.0 + t);
  const double s = r >= 0.0 ? large : small;
  return {0.5 * c * q * q, c * q * s, c * (s * s + alpha * q * (small * large))};
}

SvmRows::SvmRows(const SvmData& data, const SvmSettings& settings, const numeric::RowKernels& kernels)
    : data_(data),
      settings_(settings),
      kernels_(kernels),
      block_(std::clamp<std::size_t>(kBlockNumbers / (data.n_columns + 1), 16, kMaxBlock)) {}

bool SvmRows::evaluate(SvmPoint& point, Stop& stop) const {
  const std::size_t n = n_rows(), d = n_columns();
  point.decisions.resize(n);
  point.gradient = point.z;
  double penalty = 0.0, losses = 0.0;
  for (double v : point.z) penalty += v * v;
  std::vector<double> sum(d + 1);
  const double* rows[kMaxBlock];
  double factors[kMaxBlock];
  for (std::size_t begin = 0; begin < n; begin += block_) {
    const std::size_t count = std::min(block_, n - begin);
    if (stop.requested(static_cast<std::int64_t>(count * (d + 1)))) return false;
    const double* x = data_.x.data() + begin * d;
    double* decisions = point.decisions.data() + begin;
    kernels_.decide(x, count, d, point.z.data(), decisions);
    std::size_t active = 0;
    double loss = 0.0, offset = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = begin + k;
      const RowTerms terms = row_terms(residual(i, decisions[k]), c_of(i), settings_.alpha);
      loss += terms.loss;
      rows[active] = x + k * d;
      factors[active] = -data_.signs[i] * terms.slope;
      offset += factors[active];
      active += terms.slope != 0.0;
    }
    std::fill(sum.begin(), sum.end(), 0.0);
    kernels_.add_rows(rows, factors, active, d, sum.data());
    sum[d] = offset;
    for (std::size_t j = 0; j <= d; ++j) point.gradient[j] += sum[j];
    losses += loss;
  }
  point.objective = losses + 0.5 * penalty;
  return true;
}

bool SvmRows::add_up_hessian(const SvmPoint& point, numeric::UpperMatrix& hessian, Stop& stop) const {
  const std::size_t n = n_rows(), d = n_columns(), width = hessian.stride;
  hessian.reset();
  // Of many columns the matrix is larger than the rows: it is gone through less often.
  const std::size_t block = std::max<std::size_t>(block_, 64);
  std::vector<double> packed((block + 1) * width, 0.0);
  std::size_t filled = 0;
  const auto flush = [&] {
    kernels_.add_outer(packed.data(), filled, width, width, 1.0, hessian.entries.data(), width);
    const auto cost = static_cast<std::int64_t>(filled * width * width / 8);
    filled = 0;
    return !stop.requested(cost);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const double curvature = curvature_of(point, i);
    if (d > kFewColumns && !(curvature > 0.0)) continue;  // else a row in vain is cheaper
    const double root = std::sqrt(curvature);
    const double* x = data_.x.data() + i * d;
    double* row = packed.data() + filled * width;
    for (std::size_t j = 0; j < d; ++j) row[j] = root * x[j];
    row[d] = root;
    filled += curvature > 0.0;
    if (filled == block && !flush()) return false;
  }
  return flush();
}

bool SvmRows::multiply_hessian(const SvmPoint& point, std::span<const double> v,
                               std::vector<double>& product, Stop& stop) const {
  const std::size_t n = n_rows(), d = n_columns();
  product.assign(v.begin(), v.end());
  const double* rows[kMaxBlock];
  double factors[kMaxBlock];
  for (std::size_t begin = 0; begin < n; begin += block_) {
    const std::size_t count = std::min(block_, n - begin);
    if (stop.requested(static_cast<std::int64_t>(count * (d + 1)))) return false;
    kernels_.decide(data_.x.data() + begin * d, count, d, v.data(), factors);
    for (std::size_t k = 0; k < count; ++k) {
      rows[k] = data_.x.data() + (begin + k) * d;
      factors[k] *= curvature_of(point, begin + k);
      product[d] += factors[k];
    }
    kernels_.add_rows(rows, factors, count, d, product.data());
  }
  return true;
}

bool SvmRows::add_up_diagonal(const SvmPoint& point, std::vector<double>& diagonal,
                              Stop& stop) const {
  const std::size_t d = n_columns();
  diagonal.assign(d + 1, 1.0);
  for (std::size_t i = 0; i < n_rows(); ++i) {
    if (stop.requested(static_cast<std::int64_t>(d + 1))) return false;
    const double curvature = curvature_of(point, i);
    const double* x = data_.x.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) diagonal[j] += curvature * (x[j] * x[j]);
    diagonal[d] += curvature;
  }
  return true;
}

double SvmRows::objective_between(const SvmPoint& a, const SvmPoint& b, double step) const {
  double penalty = 0.0, losses = 0.0;
  for (std::size_t j = 0; j < size(); ++j) {
    const double v = a.z[j] + step * (b.z[j] - a.z[j]);
    penalty += v * v;
  }
  for (std::size_t begin = 0; begin < n_rows(); begin += block_) {
    const std::size_t end = std::min(begin + block_, n_rows());
    double loss = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const double f = a.decisions[i] + step * (b.decisions[i] - a.decisions[i]);
      loss += row_terms(residual(i, f), c_of(i), settings_.alpha).loss;
    }
    losses += loss;
  }
  return losses + 0.5 * penalty;
}

double SvmRows::gradient_rounding(const SvmPoint& point) const {
  // A decision is off by an epsilon of the sum of its terms' sizes; its curvature carries that
  // into the gradient, where the terms are rounded once more.
  const std::size_t d = n_columns();
  std::vector<double> bound(d + 1);
  for (std::size_t j = 0; j <= d; ++j) bound[j] = std::abs(point.z[j]);
  for (std::size_t i = 0; i < n_rows(); ++i) {
    const RowTerms terms =
        row_terms(residual(i, point.decisions[i]), c_of(i), settings_.alpha);
    if (terms.slope == 0.0 && terms.curvature == 0.0) continue;
    const double* x = data_.x.data() + i * d;
    double reach = 1.0 + std::abs(point.z[d]);
    for (std::size_t j = 0; j < d; ++j) reach += std::abs(point.z[j] * x[j]);
    const double factor = terms.slope + terms.curvature * reach;
    for (std::size_t j = 0; j < d; ++j) bound[j] += factor * std::abs(x[j]);
    bound[d] += factor;
  }
  double square = 0.0;
  for (double v : bound) square += v * v;
  return std::numeric_limits<double>::epsilon() * std::sqrt(square);
}

}  // namespace mixedwood::linear
