// Models that make hyperplanes, the method that fits them, and hyperplanes in growth on random tables.
#include "mixedwood/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "numeric/newton_armijo.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/router.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"
#include "mixedwood/smooth_svm.hpp"

using namespace mixedwood;

namespace {

// Sum of |x| smoothed, and a little of x^2: full Newton steps leap over the minimum.
struct SmoothedLength {
  double pull = 0.0;
  std::int64_t asked = 0;
  double value(const std::vector<double>& z) {
    ++asked;
    double sum = 0.0;
    for (const double x : z) sum += std::sqrt(1.0 + (x - pull) * (x - pull)) + 1e-3 * x * x;
    return sum;
  }
  void derivatives(const std::vector<double>& z, std::vector<double>& gradient,
                   SymmetricMatrix& hessian) const {
    std::fill(hessian.entries.begin(), hessian.entries.end(), 0.0);
    for (std::size_t j = 0; j < z.size(); ++j) {
      const double x = z[j] - pull, root = std::sqrt(1.0 + x * x);
      gradient[j] = x / root + 2e-3 * z[j];
      hessian.row(j)[j] = 1.0 / (root * root * root) + 2e-3;
    }
  }
  std::int64_t cost() const { return 1'000'000; }
};

// What newton_armijo does when the function has no number to offer.
struct NoNumbers : SmoothedLength {
  double value(const std::vector<double>& z) {
    return z[0] == 5.0 ? SmoothedLength::value(z) : std::numeric_limits<double>::quiet_NaN();
  }
};

// Rows of two numbers, the constant, and two nominal columns of three and two values.
struct Rows {
  std::vector<double> numbers, weights;
  std::vector<std::int32_t> places;
  std::vector<std::int8_t> signs;
  MixedRows rows;

  explicit Rows(std::uint64_t seed, std::size_t n = 80) {
    Random random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      const double a = random.normal(), b = random.normal();
      const auto v = static_cast<std::int32_t>(random.below(3));
      const auto u = static_cast<std::int32_t>(random.below(2));
      numbers.insert(numbers.end(), {a, b, 1.0});
      places.insert(places.end(), {3 + v, 6 + u});
      signs.push_back(a - 0.5 * b + v - u + random.normal() > 0.7 ? 1 : -1);
      weights.push_back(0.2 + random.uniform());
    }
    rows = {numbers, places, 3, 2, 8};
  }
  // The same, every value a column of zeros and ones; the constant is left out.
  std::vector<double> dense() const {
    std::vector<double> x;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      std::vector<double> row(7, 0.0);
      row[0] = numbers[3 * i];
      row[1] = numbers[3 * i + 1];
      for (std::size_t q = 0; q < 2; ++q)
        row[at(places[2 * i + q]) - 1] = 1.0;
      x.insert(x.end(), row.begin(), row.end());
    }
    return x;
  }
};

}  // namespace

TEST(newton_needs_armijo_and_finds_the_minimum) {
  for (const double start : {-40.0, 3.0, 1e4}) {
    SmoothedLength function{2.0};
    std::vector<double> z(3, start);
    Stop never;
    const NewtonEnd end = newton_armijo(function, {}, z, never);
    CHECK(end.converged);
    CHECK(static_cast<int>(end.steps.size()) == end.iterations);
    CHECK(*std::min_element(end.steps.begin(), end.steps.end()) < 1.0);
    std::vector<double> gradient(3);
    SymmetricMatrix hessian(3);
    function.derivatives(z, gradient, hessian);
    CHECK(std::sqrt(dot(gradient, gradient)) <= 1e-8 * (1.0 + std::sqrt(dot(z, z))));
    CHECK_NEAR(end.objective, function.value(z), 0.0);
  }
}

TEST(newton_ends_where_it_is_told_to) {
  SmoothedLength function{2.0};
  std::vector<double> z(3, 100.0);
  Stop never;
  NewtonSettings few;
  few.max_iterations = 2;
  CHECK(!newton_armijo(function, few, z, never).converged);
  // A function that takes long is asked once between two looks at the clock.
  Stop over(0.0, nullptr);
  SmoothedLength slow{2.0};
  z.assign(3, 100.0);
  CHECK(!newton_armijo(slow, {}, z, over).converged);
  CHECK(slow.asked == 1);
  CHECK(z[0] == 100.0);
  NoNumbers odd;
  std::vector<double> there = {5.0};
  CHECK(!newton_armijo(odd, {}, there, never).converged);
  CHECK(there[0] == 5.0);
}

TEST(values_count_like_columns_of_zeros_and_ones) {
  for (const double alpha : {0.0, 5.0})
    for (const double cost : {0.1, 1.0, 20.0})
      for (const bool weighted : {false, true}) {
        const Rows made(static_cast<std::uint64_t>(cost * 10) + weighted);
        const auto weights = weighted ? std::span<const double>(made.weights)
                                      : std::span<const double>();
        const auto model = make_newton_model(
            alpha > 0.0 ? LinearLoss::kSmoothHinge : LinearLoss::kSquaredHinge, alpha, {cost});
        Stop never;
        std::vector<double> hyperplane(8, 0.0);
        CHECK(model->fit(made.rows, {made.signs, weights}, 0, hyperplane, never));
        const std::vector<double> x = made.dense();
        SvmSettings settings;
        settings.c = cost;
        settings.alpha = alpha;
        const SvmFit other = fit_smooth_svm({x, made.signs, weights, 7}, settings, {}, never);
        CHECK(other.converged);
        // Numbers, then values, and the constant last there; behind the numbers here.
        for (const std::size_t j : {0u, 1u}) CHECK_NEAR(hyperplane[j], other.z[j], 1e-5);
        CHECK_NEAR(hyperplane[2], other.z[7], 1e-5);
        for (std::size_t v = 3; v < 8; ++v) CHECK_NEAR(hyperplane[v], other.z[v - 1], 1e-5);
      }
}

TEST(a_start_changes_nothing) {
  const Rows made(11);
  for (const LinearLoss loss : {LinearLoss::kSquaredHinge, LinearLoss::kLogistic,
                                LinearLoss::kSparseHinge, LinearLoss::kFisher}) {
    const auto model = make_newton_model(loss, 0.0, {0.5, 2.0});
    Stop never;
    std::vector<double> from_zero(8, 0.0), from_afar(8, 9.0);
    CHECK(model->fit(made.rows, {made.signs, {}}, 1, from_zero, never));
    CHECK(model->fit(made.rows, {made.signs, {}}, 1, from_afar, never));
    for (std::size_t j = 0; j < 8; ++j) CHECK_NEAR(from_zero[j], from_afar[j], 1e-4);
  }
}

TEST(machines_say_which_settings_they_have) {
  const auto model = make_newton_model(LinearLoss::kLogistic, 0.0, {0.01, 0.5, 3.0});
  CHECK(model->n_settings() == 3);
  CHECK(model->default_setting() == 1);
  const auto make = [](LinearLoss loss, double alpha, std::vector<double> costs) {
    return check::message_of([&] { make_newton_model(loss, alpha, costs); });
  };
  const char* const costs = "costs must be positive and ascending";
  CHECK(make(LinearLoss::kLogistic, 0.0, {}) == costs);
  CHECK(make(LinearLoss::kLogistic, 0.0, {0.0}) == costs);
  CHECK(make(LinearLoss::kLogistic, 0.0, {2.0, 1.0}) == costs);
  CHECK(make(LinearLoss::kLogistic, 0.0, {std::numeric_limits<double>::infinity()}) == costs);
  CHECK(make(LinearLoss::kSmoothHinge, 0.0, {1.0}) == "alpha must be a positive number");
}

TEST(a_machine_that_is_stopped_has_no_plane) {
  const Rows made(3, 5000);
  Stop over(0.0, nullptr);
  std::vector<double> hyperplane(8, 0.0);
  const auto model = make_newton_model(LinearLoss::kSquaredHinge, 0.0, {1.0});
  CHECK(!model->fit(made.rows, {made.signs, {}}, 0, hyperplane, over));
}
