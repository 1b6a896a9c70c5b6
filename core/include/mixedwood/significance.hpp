// Tests of independence on counts, with logarithms of p-values that never underflow.
#pragma once

#include <span>

#include "mixedwood/count_table.hpp"

namespace mixedwood {

struct Significance {
  double statistic = 0.0;
  double degrees_of_freedom = 0.0;
  double log_p = 0.0;  // natural logarithm of the p-value
};

// log of Q(a, z), the upper regularised incomplete gamma function; a > 0, z >= 0.
double log_upper_gamma(double a, double z);

// log of P(X >= statistic) for a chi-square variable.
double log_chi2_tail(double statistic, double degrees_of_freedom);

// Pearson's chi-square test on an n x k table; empty rows and columns do not count.
Significance pearson_test(std::span<const double> counts, std::size_t n_rows,
                          std::size_t n_columns);
// Of a table that has no empty row or column.
Significance pearson_test(const CountTable& table);

// Conditional inference (c_quad) on the same table: (N-1)/N times Pearson's statistic.
Significance conditional_test(std::span<const double> counts, std::size_t n_rows,
                              std::size_t n_columns);

// c_quad of a numeric column against k classes: (N-1) * between / total sum of squares.
Significance conditional_test_numeric(std::span<const double> x, std::span<const int> classes,
                                      std::span<const double> weights, int n_classes);

}  // namespace mixedwood
