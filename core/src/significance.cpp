#include "mixedwood/significance.hpp"

#include <cstdint>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "mixedwood/count_table.hpp"

namespace mixedwood {
namespace {

// std::lgamma writes a global sign; this one can run on many threads.
double log_gamma(double a) {
#if defined(_WIN32)
  return std::lgamma(a);
#else
  int sign = 0;
  return ::lgamma_r(a, &sign);
#endif
}

constexpr double kTiny = 1e-300;
constexpr double kPrecision = 3e-16;  // a step of one ulp is no step
constexpr std::int64_t kMostTerms = 10'000'000;

// log(1 + x) - x to all its digits; for small x the two nearly cancel.
double log1p_less_x(double x) {
  if (std::abs(x) > 0.01) return std::log1p(x) - x;
  double power = x * x, sum = 0.0;
  for (int i = 2; i < 12; ++i, power *= -x) sum -= power / i;
  return sum;
}

// a ln z - z - lnGamma(a). For large a these are huge and nearly cancel; with Stirling's series
// they are a (ln(1 + x) - x), x = (z - a) / a, and small terms.
double log_prefactor(double a, double z) {
  if (a < 1000.0) return a * std::log(z) - z - log_gamma(a);
  const double correction = 1.0 / (12.0 * a) - 1.0 / (360.0 * a * a * a);
  return a * log1p_less_x((z - a) / a) + 0.5 * std::log(a / (2.0 * std::numbers::pi)) - correction;
}

// log of P(a, z) by its series, for z < a + 1.
double log_lower_series(double a, double z) {
  double term = 1.0, sum = 1.0;
  for (std::int64_t i = 1; i < kMostTerms; ++i) {
    term *= z / (a + static_cast<double>(i));
    sum += term;
    if (term <= kPrecision * sum) break;
  }
  return log_prefactor(a, z) - std::log(a) + std::log(sum);
}

// log of Q(a, z) by its continued fraction (Lentz), for z >= a + 1. The logarithm of the factor
// in front is never exponentiated: no underflow, however small Q is.
double log_upper_fraction(double a, double z) {
  double b = z + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double fraction = d;
  for (std::int64_t i = 1; i < kMostTerms; ++i) {
    const double numerator = -static_cast<double>(i) * (static_cast<double>(i) - a);
    b += 2.0;
    d = numerator * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1.0 / d;
    const double step = d * c;
    fraction *= step;
    if (std::abs(step - 1.0) <= kPrecision) break;
  }
  return log_prefactor(a, z) + std::log(fraction);
}

// Pearson's statistic of a table without empty rows and columns.
double pearson_statistic(const CountTable& table) {
  double sum = 0.0;
  for (int i = 0; i < table.n_values(); ++i) {
    const auto row = table.row(i);
    double of_row = 0.0;
    for (std::size_t l = 0; l < row.size(); ++l) {
      const double share = table.class_totals()[l] / table.total();
      const double excess = row[l] / table.row_total(i) - share;
      of_row += excess * excess / share;
    }
    sum += table.row_total(i) * of_row;
  }
  return sum;
}

Significance finish(double statistic, double degrees_of_freedom) {
  if (!std::isfinite(statistic)) {
    throw std::invalid_argument(
        "the weights add up to more than a floating-point number can hold; "
        "divide them all by a constant");
  }
  if (!(degrees_of_freedom > 0.0)) return {0.0, 0.0, 0.0};  // nothing to test: p = 1
  return {statistic, degrees_of_freedom, log_chi2_tail(statistic, degrees_of_freedom)};
}

double freedom(const CountTable& table) {
  return std::max(0.0, table.n_values() - 1.0) * std::max(0.0, table.n_classes() - 1.0);
}

}  // namespace

double log_upper_gamma(double a, double z) {
  if (!(a > 0.0) || !(z >= 0.0) || std::isinf(a))
    throw std::invalid_argument("log_upper_gamma needs a finite a > 0 and z >= 0");
  if (z == 0.0) return 0.0;
  if (std::isinf(z)) return -std::numeric_limits<double>::infinity();
  if (z >= a + 1.0) return log_upper_fraction(a, z);
  return std::log1p(-std::exp(log_lower_series(a, z)));
}

double log_chi2_tail(double statistic, double degrees_of_freedom) {
  return log_upper_gamma(degrees_of_freedom / 2.0, std::max(0.0, statistic) / 2.0);
}

Significance pearson_test(std::span<const double> counts, std::size_t n_rows,
                          std::size_t n_columns) {
  const DenseCountTable present = keep_present(counts, n_rows, n_columns);
  return finish(std::ldexp(pearson_statistic(present.table), present.exponent),
                freedom(present.table));
}

Significance pearson_test(const CountTable& table) {
  return finish(pearson_statistic(table), freedom(table));
}

Significance conditional_test(std::span<const double> counts, std::size_t n_rows,
                              std::size_t n_columns) {
  const DenseCountTable present = keep_present(counts, n_rows, n_columns);
  const double total = std::ldexp(present.table.total(), present.exponent);
  // With a total weight of one row or less nothing can be permuted.
  const double factor = total > 1.0 ? (total - 1.0) / total : 0.0;
  return finish(factor * std::ldexp(pearson_statistic(present.table), present.exponent),
                freedom(present.table));
}

Significance conditional_test_numeric(std::span<const double> x, std::span<const int> classes,
                                      std::span<const double> weights, int n_classes) {
  if (x.size() != classes.size() || (!weights.empty() && weights.size() != x.size()))
    throw std::invalid_argument("x, classes and weights must have the same length");
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  // Numbers and weights are shrunk to at most 2, so that sums of squares are finite.
  double largest = 0.0, heaviest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isinf(x[i]))
      throw std::invalid_argument("x[" + std::to_string(i) + "] is infinite; x must be finite");
    if (classes[i] < 0 || classes[i] >= n_classes)
      throw std::invalid_argument("classes[" + std::to_string(i) + "] is not in 0.." +
                                  std::to_string(n_classes - 1));
    if (!(weight(i) >= 0.0) || std::isinf(weight(i)))
      throw std::invalid_argument("weights[" + std::to_string(i) +
                                  "] must be finite and zero or more");
    heaviest = std::max(heaviest, weight(i));
    if (!std::isnan(x[i]) && weight(i) > 0.0) largest = std::max(largest, std::abs(x[i]));
  }
  const int exponent = largest > 0.0 ? std::ilogb(largest) : 0;
  const int weight_exponent = heaviest > 0.0 ? std::ilogb(heaviest) : 0;
  const auto shrunk = [&](std::size_t i) { return std::ldexp(weight(i), -weight_exponent); };
  std::vector<double> of_class(static_cast<std::size_t>(std::max(0, n_classes)), 0.0);
  std::vector<double> sum(of_class.size(), 0.0);
  double total = 0.0, all = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) continue;  // missing
    const auto cls = static_cast<std::size_t>(classes[i]);
    of_class[cls] += shrunk(i);
    sum[cls] += shrunk(i) * std::ldexp(x[i], -exponent);
    total += shrunk(i);
    all += shrunk(i) * std::ldexp(x[i], -exponent);
  }
  int present = 0;
  double between = 0.0, around = 0.0;
  const double mean = total > 0.0 ? all / total : 0.0;
  for (std::size_t l = 0; l < sum.size(); ++l) {
    if (!(of_class[l] > 0.0)) continue;
    ++present;
    const double gap = sum[l] / of_class[l] - mean;
    between += of_class[l] * gap * gap;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) continue;
    const double gap = std::ldexp(x[i], -exponent) - mean;
    around += shrunk(i) * gap * gap;
  }
  // A constant column says nothing, and one row has nothing to be permuted with.
  const double rows = std::ldexp(total, weight_exponent);
  if (!(around > 0.0) || rows <= 1.0) return finish(0.0, std::max(0, present - 1));
  return finish((rows - 1.0) * std::min(1.0, between / around), std::max(0, present - 1));
}

}  // namespace mixedwood
