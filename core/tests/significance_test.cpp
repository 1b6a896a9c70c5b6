#include "mixedwood/significance.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"

using namespace mixedwood;

TEST(gamma_tails_in_closed_form) {
  // Q(1, z) = exp(-z); Q(2, z) = (1 + z) exp(-z); Q(1/2, z) = erfc(sqrt(z)).
  for (double z : {1e-8, 0.1, 0.9, 1.0, 2.0, 5.0, 50.0, 2000.0}) {
    CHECK_NEAR(log_upper_gamma(1.0, z), -z, 1e-13 * (1.0 + z));
    CHECK_NEAR(log_upper_gamma(2.0, z), std::log1p(z) - z, 1e-13 * (1.0 + z));
    if (z < 500.0)
      CHECK_NEAR(log_upper_gamma(0.5, z), std::log(std::erfc(std::sqrt(z))), 1e-12 * (1.0 + z));
  }
  CHECK(log_upper_gamma(3.0, 0.0) == 0.0);
}

TEST(gamma_tails_meet_where_the_method_changes) {
  for (double a : {0.5, 3.0, 40.0, 5e3, 5e5}) {
    const double below = log_upper_gamma(a, std::nextafter(a + 1.0, 0.0));
    const double above = log_upper_gamma(a, a + 1.0);
    CHECK_NEAR(below, above, 1e-9 * (1.0 + std::abs(above)) * std::sqrt(a));
  }
}

TEST(tails_of_huge_degrees_of_freedom) {
  // The median of a chi-square variable is df - 2/3 or so: P(X >= df) is just below one half.
  for (double df : {1e4, 1e6, 1e9, 1e12})
    CHECK_NEAR(log_chi2_tail(df, df), std::log(0.5) - 2.0 / 3.0 / std::sqrt(df * 3.14159265), 1e-6 + 1.0 / df);
}

TEST(nothing_to_test_has_p_one) {
  const std::vector<double> one_row = {3, 4}, one_class = {3, 0, 4, 0};
  CHECK(pearson_test(one_row, 1, 2).log_p == 0.0);
  CHECK(pearson_test(one_class, 2, 2).degrees_of_freedom == 0.0);
  CHECK(conditional_test(one_row, 1, 2).log_p == 0.0);
}

TEST(numeric_test_of_any_scale) {
  const std::vector<int> classes = {0, 0, 1, 1};
  for (double scale : {1e-300, 1.0, 1e300}) {
    const std::vector<double> x = {1 * scale, 2 * scale, 3 * scale, 4 * scale};
    CHECK_NEAR(conditional_test_numeric(x, classes, {}, 2).statistic, 2.4, 1e-12);
  }
  const std::vector<double> constant = {5, 5, 5, 5};
  CHECK(conditional_test_numeric(constant, classes, {}, 2).log_p == 0.0);
}
