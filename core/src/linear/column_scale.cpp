#include "mixedwood/column_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixedwood {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = 1e100;  // products of two such numbers are still numbers

// Sum of term(i) in four running sums: a fixed order that is not bound by latency.
template <typename Term>
double sum(std::size_t n, Term term) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += term(i);
    s1 += term(i + 1);
    s2 += term(i + 2);
    s3 += term(i + 3);
  }
  for (; i < n; ++i) s0 += term(i);
  return (s0 + s1) + (s2 + s3);
}

// Its inverse is a number too, for the smallest as for the largest of doubles.
double power_of_two(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::clamp(exponent, -1000, 1000));
}

}  // namespace

ColumnScale measure_column(std::span<const double> numbers, std::span<const double> weights) {
  const std::size_t n = numbers.size();
  double least = kInfinity, most = -kInfinity;
  bool whole = true;
  for (double x : numbers) {  // comparisons with NaN are false
    least = x < least ? x : least;
    most = x > most ? x : most;
    whole &= x == x;
  }
  if (!(least <= most)) return {1.0, 0.0, kInfinity};
  const double size = power_of_two(std::max(std::abs(least), std::abs(most)));
  if (least == most) return {size, least / size, kInfinity};
  const double inverse = 1.0 / size;
  double total = static_cast<double>(n), mean = 0.0, square = 0.0;
  if (whole && weights.empty()) {
    mean = sum(n, [&](std::size_t i) { return numbers[i] * inverse; }) / total;
    square = sum(n, [&](std::size_t i) {
      const double gap = numbers[i] * inverse - mean;
      return gap * gap;
    });
  } else {
    double heaviest = 0.0;  // weights of any size: only their proportions matter here
    for (double w : weights) heaviest = std::max(heaviest, w);
    const auto weight = [&](std::size_t i) {
      const double w = weights.empty() ? 1.0 : weights[i] / heaviest;
      return std::isnan(numbers[i]) ? 0.0 : w;
    };
    const auto known = [&](std::size_t i) {
      return std::isnan(numbers[i]) ? 0.0 : numbers[i] * inverse;
    };
    total = sum(n, weight);
    mean = sum(n, [&](std::size_t i) { return weight(i) * known(i); }) / total;
    square = sum(n, [&](std::size_t i) {
      const double gap = known(i) - mean;
      return weight(i) * (gap * gap);
    });
  }
  const double spread = std::sqrt(square / total);
  return {size, mean, spread > 0.0 ? spread : kInfinity};
}

void scale_column(std::span<const double> numbers, const ColumnScale& scale, double* out,
                  std::size_t stride) {
  const double inverse = 1.0 / scale.size, narrow = 1.0 / scale.spread;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double scaled = (numbers[i] * inverse - scale.mean) * narrow;
    const double kept = std::min(std::max(scaled, -kLargest), kLargest);
    out[i * stride] = std::isnan(numbers[i]) ? 0.0 : kept;
  }
}

}  // namespace mixedwood
