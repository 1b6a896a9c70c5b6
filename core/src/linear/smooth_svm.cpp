#include "mixedwood/smooth_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "mixedwood/random.hpp"
#include "../numeric/armijo.hpp"
#include "../simd/kernels.hpp"
#include "newton_direction.hpp"
#include "svm_rows.hpp"

namespace mixedwood {
namespace {

using linear::NewtonDirection;
using linear::SvmPoint;
using linear::SvmRows;
using numeric::UpperMatrix;

constexpr double kArmijo = 0.05;  // the share of the promised decrease that a step must bring

double length(std::span<const double> v) {
  double sum = 0.0;
  for (double x : v) sum += x * x;
  return std::sqrt(sum);
}

void check(const SvmData& data, const SvmSettings& settings, std::size_t start_size) {
  const std::size_t n = data.signs.size();
  if (data.x.size() != n * data.n_columns)
    throw std::invalid_argument("x must hold n_columns numbers for every sign");
  if (!data.weights.empty() && data.weights.size() != n)
    throw std::invalid_argument("weights must be empty or one for every sign");
  if (start_size != 0 && start_size != data.n_columns + 1)
    throw std::invalid_argument("the start must hold one number for every column and one more");
  if (!(settings.c > 0.0) || !std::isfinite(settings.c))
    throw std::invalid_argument("c must be a positive number");
  if (!(settings.alpha >= 0.0) || !std::isfinite(settings.alpha))
    throw std::invalid_argument("alpha must be 0 (the limit form) or a positive number");
}

class Newton {
 public:
  Newton(const SvmRows& rows, const SvmSettings& settings, Stop& stop)
      : rows_(rows), settings_(settings), stop_(stop), direction_(rows) {}

  SvmFit run(std::vector<double> start) {
    here_.z = std::move(start);
    SvmFit fit;
    if (!rows_.evaluate(here_, stop_)) {
      here_.objective = std::numeric_limits<double>::infinity();
      here_.gradient.assign(here_.z.size(), here_.objective);
      return finish(std::move(fit));
    }
    while (!(fit.converged = is_flat()) && fit.iterations < settings_.max_iterations) {
      const double step = move();
      if (step == 0.0) {
        fit.converged = !stop_.requested() && is_flat_but_for_rounding();
        break;
      }
      fit.steps.push_back(step);
      ++fit.iterations;
    }
    return finish(std::move(fit));
  }

 private:
  static constexpr double kRounding = 4.0;

  bool is_flat() const {
    return length(here_.gradient) <= settings_.tolerance * (1.0 + length(here_.z));
  }

  bool is_flat_but_for_rounding() const {
    const double bound = kRounding * rows_.gradient_rounding(here_);
    return std::isfinite(bound) && length(here_.gradient) <= bound;
  }

  SvmFit finish(SvmFit fit) {
    fit.gradient_norm = length(here_.gradient);
    fit.objective = here_.objective;
    fit.z = std::move(here_.z);
    return fit;
  }

  // One step of Newton's method, shortened by Armijo's rule. Its length, or 0 when there is no way
  // down that rounding leaves visible, or when asked to stop.
  double move() {
    const std::vector<double> direction = direction_.find(here_, stop_);
    if (direction.empty()) return 0.0;
    double promised = 0.0;  // the slope along the direction, downhill
    next_.z.resize(direction.size());
    for (std::size_t j = 0; j < direction.size(); ++j) {
      promised += direction[j] * here_.gradient[j];
      next_.z[j] = here_.z[j] - direction[j];
    }
    if (!(promised > 0.0)) return 0.0;  // no slope left, or numbers that overflow
    if (!rows_.evaluate(next_, stop_)) return 0.0;
    bool lost = false;
    double step = armijo_step(
        {here_.objective, promised, kArmijo, settings_.max_halvings},
        [&](double s) {
          return s == 1.0 ? next_.objective : rows_.objective_between(here_, next_, s);
        },
        [&](double s) {
          lost = is_lost_in_rounding(s * promised);
          return lost || stop_.requested();
        });
    // The objective is too flat to compare; its gradient is not.
    if (lost && length(next_.gradient) < 0.5 * length(here_.gradient)) step = 1.0;
    if (step == 0.0) return 0.0;
    if (step < 1.0) {
      for (std::size_t j = 0; j < direction.size(); ++j)
        next_.z[j] = here_.z[j] - step * direction[j];
      if (!rows_.evaluate(next_, stop_)) return 0.0;
    }
    std::swap(here_, next_);
    return step;
  }

  bool is_lost_in_rounding(double decrease) const {
    return decrease <= 1e-13 * here_.objective;
  }

  const SvmRows& rows_;
  const SvmSettings& settings_;
  Stop& stop_;
  NewtonDirection direction_;
  SvmPoint here_, next_;
};

// One row of every kSampled in a row, at a random place among them, so that no order of the rows
// is met by a rhythm of the sample. The seed is fixed: the same rows every time.
constexpr std::size_t kSampled = 8;
constexpr std::size_t kLeastSample = 1000;

struct Sample {
  explicit Sample(const SvmData& data) : n_columns(data.n_columns) {
    const std::size_t n = data.signs.size() / kSampled, d = n_columns;
    x.reserve(n * d);
    signs.reserve(n);
    Random random(1);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t row = k * kSampled + random.below(kSampled);
      const auto numbers = data.x.subspan(row * d, d);
      x.insert(x.end(), numbers.begin(), numbers.end());
      signs.push_back(data.signs[row]);
      if (!data.weights.empty()) weights.push_back(data.weights[row]);
    }
  }
  SvmData data() const { return {x, signs, weights, n_columns}; }
  std::vector<double> x, weights;
  std::vector<std::int8_t> signs;
  std::size_t n_columns;
};

// Where the minimum of a sample of the rows is, the minimum of all is near, and full steps lead
// there: most of the way costs an eighth.
std::vector<double> find_start(const SvmData& data, SvmSettings settings, Stop& stop) {
  const std::size_t n_sample = data.signs.size() / kSampled;
  if (n_sample < std::max(kLeastSample, 10 * (data.n_columns + 1)))
    return std::vector<double>(data.n_columns + 1, 0.0);
  const Sample sample(data);
  settings.c *= kSampled;
  settings.tolerance = std::max(settings.tolerance, 1e-6);
  return fit_smooth_svm(sample.data(), settings, {}, stop).z;
}

}  // namespace

SvmFit fit_smooth_svm(const SvmData& data, const SvmSettings& settings,
                      std::span<const double> start, Stop& stop) {
  check(data, settings, start.size());
  const SvmRows rows(data, settings, simd::kernels().rows);
  std::vector<double> z(start.begin(), start.end());
  if (start.empty()) z = find_start(data, settings, stop);
  return Newton(rows, settings, stop).run(std::move(z));
}

namespace {

// w.x + b of finite numbers whose products overflow: the sign is right, and the size is at most the
// largest number there is. Each factor is made smaller, so that no sum of fewer than 2^32 overflows.
double careful_decision(std::span<const double> x, std::span<const double> z) {
  constexpr int kShrink = 530;
  double sum = std::ldexp(z.back(), -2 * kShrink);
  for (std::size_t j = 0; j < x.size(); ++j)
    sum += std::ldexp(z[j], -kShrink) * std::ldexp(x[j], -kShrink);
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(std::ldexp(sum, 2 * kShrink), -kMost, kMost);
}

}  // namespace

std::vector<double> svm_decisions(std::span<const double> x, std::size_t n_rows,
                                  std::span<const double> z) {
  if (z.empty() || x.size() != n_rows * (z.size() - 1))
    throw std::invalid_argument("z must hold one number for every column of x and one more");
  const std::size_t n_columns = z.size() - 1;
  std::vector<double> found(n_rows);
  simd::kernels().rows.decide(x.data(), n_rows, n_columns, z.data(), found.data());
  for (std::size_t row = 0; row < n_rows; ++row)
    if (!std::isfinite(found[row])) [[unlikely]]
      found[row] = careful_decision(x.subspan(row * n_columns, n_columns), z);
  return found;
}

SvmDerivatives svm_derivatives(const SvmData& data, const SvmSettings& settings,
                               std::span<const double> z) {
  check(data, settings, z.size());
  const SvmRows rows(data, settings, simd::kernels().rows);
  Stop never;
  SvmPoint point;
  point.z.assign(z.begin(), z.end());
  point.z.resize(rows.size(), 0.0);
  UpperMatrix upper(rows.size());
  rows.evaluate(point, never);
  rows.add_up_hessian(point, upper, never);
  SvmDerivatives result{point.objective, std::move(point.gradient), {}};
  const std::size_t m = rows.size();
  result.hessian.resize(m * m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = i; j < m; ++j)
      result.hessian[i * m + j] = result.hessian[j * m + i] = upper.row(i)[j];
  return result;
}

}  // namespace mixedwood
