#include "mixedwood/smooth_svm.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "mixedwood/column_scale.hpp"
#include "mixedwood/random.hpp"
#include "numeric/cholesky.hpp"
#include "simd/kernels.hpp"

using namespace mixedwood;

namespace {

struct Problem {
  std::vector<double> x;
  std::vector<std::int8_t> signs;
  std::vector<double> weights;
  std::size_t n_columns = 0;
  SvmData data() const { return {x, signs, weights, n_columns}; }
};

Problem ten_points() {
  return {{0, 0, 1, .5, .5, 1.5, 1.5, 1, 2, 0, 2, 2.5, 3, 1.5, 3.5, 3, 2.5, 3.5, 1, 2},
          {-1, -1, -1, -1, -1, 1, 1, 1, 1, 1},
          {},
          2};
}

Problem random_problem(std::size_t n, std::size_t d, std::uint64_t seed) {
  Random random(seed);
  Problem problem;
  problem.n_columns = d;
  for (std::size_t i = 0; i < n; ++i) {
    double side = random.normal();
    for (std::size_t j = 0; j < d; ++j) {
      problem.x.push_back(random.normal());
      side += problem.x.back() * (j % 2 == 0 ? 1.0 : -0.5);
    }
    problem.signs.push_back(side > 0.0 ? 1 : -1);
  }
  return problem;
}

SvmFit fit(const Problem& problem, double c, double alpha) {
  Stop never;
  SvmSettings settings;
  settings.c = c;
  settings.alpha = alpha;
  return fit_smooth_svm(problem.data(), settings, {}, never);
}

}  // namespace

TEST(the_worked_fits_of_ten_points) {
  struct Row {
    double c, alpha, w1, w2, b, objective;
    int iterations;
  };
  const Row rows[] = {{0.1, 5, 0.06191361, 0.22859037, -0.23281656, 0.37210794, 3},
                      {0.1, 0, 0.0638111, 0.23279289, -0.23465392, 0.36708949, 1},
                      {1, 5, 0.19231486, 0.5488021, -1.01145027, 2.14471276, 5},
                      {1, 0, 0.18269554, 0.55077993, -0.99629671, 2.08618561, 2},
                      {10, 5, 0.53592496, 1.22110368, -2.56243353, 8.83866358, 7},
                      {10, 0, 0.53352559, 1.24008652, -2.59552992, 8.46431146, 3},
                      {100, 5, 0.9757745, 2.41194159, -4.9481072, 21.45653013, 8},
                      {100, 0, 1.0474497, 2.33125588, -4.86146198, 17.58078324, 5}};
  for (const Row& row : rows) {
    const SvmFit found = fit(ten_points(), row.c, row.alpha);
    CHECK(found.converged);
    CHECK_NEAR(found.z[0], row.w1, 1e-7);
    CHECK_NEAR(found.z[1], row.w2, 1e-7);
    CHECK_NEAR(found.z[2], row.b, 1e-7);
    CHECK_NEAR(found.objective, row.objective, 1e-7);
    CHECK(found.iterations == row.iterations);
    for (std::size_t k = 0; k < found.steps.size(); ++k)
      CHECK(found.steps[k] == (row.c == 100 && row.alpha == 0 && k == 3 ? 0.0625 : 1.0));
  }
}

TEST(derivatives_at_zero) {
  SvmSettings settings;
  settings.alpha = 5.0;
  const auto found = svm_derivatives(ten_points().data(), settings, std::array{0.0, 0.0, 0.0});
  CHECK_NEAR(found.objective, 5.0134397162, 1e-9);
  CHECK_NEAR(found.gradient[0], -6.96248861, 1e-8);
  CHECK_NEAR(found.gradient[2], 0.0, 1e-12);
  CHECK_NEAR(found.hessian[1], 34.168125, 1e-6);
  CHECK_NEAR(found.hessian[3], 34.168125, 1e-6);
  CHECK_NEAR(found.hessian[8], 11.19944, 1e-6);
}

void compare_row_kernels(const numeric::RowKernels& wide, const numeric::RowKernels& plain) {
  for (std::size_t d : {1u, 3u, 4u, 7u, 12u, 23u, 51u}) {
    const auto problem = random_problem(37, d, d);
    std::vector<double> z(problem.x.begin(), problem.x.begin() + static_cast<int>(d + 1));
    std::vector<double> first(37), second(37);
    wide.decide(problem.x.data(), 37, d, z.data(), first.data());
    plain.decide(problem.x.data(), 37, d, z.data(), second.data());
    CHECK(first == second);
    std::vector<const double*> rows;
    for (std::size_t i = 0; i < 37; ++i) rows.push_back(problem.x.data() + i * d);
    std::vector<double> sum(d, 0.25), other(d, 0.25);
    wide.add_rows(rows.data(), first.data(), 37, d, sum.data());
    plain.add_rows(rows.data(), first.data(), 37, d, other.data());
    CHECK(sum == other);
    const std::size_t size = d / 4 * 4, n = size ? 37 * d / size : 0;
    numeric::UpperMatrix one(size), two(size);
    wide.add_outer(problem.x.data(), n, size, size, 1.0, one.entries.data(), size);
    plain.add_outer(problem.x.data(), n, size, size, 1.0, two.entries.data(), size);
    CHECK(one.entries == two.entries);
  }
}

TEST(all_instruction_sets_give_the_same_sums) {
  const auto& scalar = simd::kernels(simd::Level::kScalar).rows;
  compare_row_kernels(simd::kernels(simd::Level::kVector).rows, scalar);
  compare_row_kernels(simd::kernels(simd::Level::kAvx2).rows, scalar);
}

TEST(the_factor_solves_matrices_of_any_size) {
  Stop never;
  for (std::size_t n : {1u, 4u, 5u, 31u, 32u, 33u, 70u, 131u}) {
    const auto problem = random_problem(2 * n, n, n);
    numeric::UpperMatrix matrix(n);
    matrix.reset();
    for (std::size_t k = 0; k < 2 * n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j)
          matrix.row(i)[j] += problem.x[k * n + i] * problem.x[k * n + j];
    std::vector<double> product(n), v(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) product[i] = problem.x[i];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        v[i] += matrix.row(std::min(i, j))[std::max(i, j)] * product[j];
    CHECK(numeric::factorise(matrix, simd::kernels().rows, never));
    numeric::solve(matrix, v);
    for (std::size_t i = 0; i < n; ++i) CHECK_NEAR(v[i], product[i], 1e-11);
  }
}

TEST(a_row_of_weight_two_is_a_row_twice) {
  Problem once = random_problem(200, 5, 1), twice = once;
  once.weights.assign(200, 1.0);
  for (std::size_t i = 0; i < 200; i += 3) {
    once.weights[i] = 2.0;
    for (std::size_t j = 0; j < 5; ++j) twice.x.push_back(once.x[i * 5 + j]);
    twice.signs.push_back(once.signs[i]);
  }
  for (double alpha : {0.0, 5.0}) {
    const SvmFit a = fit(once, 2.0, alpha), b = fit(twice, 2.0, alpha);
    for (std::size_t j = 0; j < 6; ++j) CHECK_NEAR(a.z[j], b.z[j], 1e-9);
    CHECK_NEAR(a.objective, b.objective, 1e-9 * a.objective);
  }
}

TEST(every_c_converges_as_far_as_rounding_allows) {
  const auto problem = random_problem(500, 6, 2);
  for (double alpha : {0.0, 5.0})
    for (double c = 1e-12; c < 1e13; c *= 1e3) {
      const SvmFit found = fit(problem, c, alpha);
      CHECK(found.converged);
      CHECK(found.iterations < 40);
      if (!found.converged) std::printf("c %g alpha %g: |g| %g after %d\n", c, alpha,
                                        found.gradient_norm, found.iterations);
    }
}

TEST(many_columns_are_fitted_without_the_matrix) {
  // Columns of zeros change nothing; 2500 of them are too many for a matrix.
  const auto small = random_problem(300, 5, 6);
  Problem large{{}, small.signs, {}, 2500};
  large.x.assign(300 * 2500, 0.0);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 5; ++j) large.x[i * 2500 + j * 499] = small.x[i * 5 + j];
  for (double alpha : {0.0, 5.0})
    for (double c : {0.01, 1.0, 1000.0}) {
      const SvmFit a = fit(small, c, alpha), b = fit(large, c, alpha);
      CHECK(b.converged);
      CHECK(b.iterations < 30);
      CHECK_NEAR(a.objective, b.objective, 1e-9 * a.objective);
      for (std::size_t j = 0; j < 5; ++j) CHECK_NEAR(a.z[j], b.z[j * 499], 1e-7);
    }
}

TEST(a_sample_of_many_rows_changes_the_way_but_not_the_end) {
  const auto problem = random_problem(20'000, 4, 7);
  const std::vector<double> zero(5, 0.0);
  Stop never;
  const SvmFit sampled = fit_smooth_svm(problem.data(), {}, {}, never);
  const SvmFit plain = fit_smooth_svm(problem.data(), {}, zero, never);
  CHECK(sampled.converged && plain.converged);
  CHECK(sampled.iterations < plain.iterations);
  for (std::size_t j = 0; j < 5; ++j) CHECK_NEAR(sampled.z[j], plain.z[j], 1e-10);
}

TEST(too_few_iterations_are_reported) {
  Stop never;
  SvmSettings settings;
  settings.max_iterations = 1;
  const auto problem = random_problem(300, 4, 3);
  const SvmFit found = fit_smooth_svm(problem.data(), settings, {}, never);
  CHECK(!found.converged);
  CHECK(found.iterations == 1);
}

TEST(numbers_that_overflow_end_without_an_answer) {
  auto problem = random_problem(50, 3, 4);
  for (double& v : problem.x) v *= 1e200;
  const SvmFit found = fit(problem, 1.0, 0.0);
  CHECK(!found.converged);
}

TEST(a_stopped_fit_returns_what_it_has) {
  const auto problem = random_problem(20'000, 30, 5);
  Stop stop(0.0, {});
  const SvmFit found = fit_smooth_svm(problem.data(), {}, {}, stop);
  CHECK(!found.converged);
  CHECK(found.z.size() == 31);
  CHECK(std::isinf(found.objective));
}

TEST(no_columns_and_no_rows_are_fitted_too) {
  Problem empty;
  CHECK(fit(empty, 1.0, 0.0).converged);
  Problem only_signs;
  only_signs.signs = {1, 1, 1, -1};
  const SvmFit found = fit(only_signs, 1.0, 0.0);
  CHECK(found.converged);
  CHECK_NEAR(found.z[0], 0.4, 1e-12);  // (1 + 4) b = 3 - 1
}

TEST(wrong_sizes_are_refused) {
  auto problem = ten_points();
  problem.x.pop_back();
  CHECK(!check::message_of([&] { fit(problem, 1.0, 0.0); }).empty());
  CHECK(!check::message_of([&] { fit(ten_points(), -1.0, 0.0); }).empty());
  CHECK(!check::message_of([&] {
           fit(ten_points(), 1.0, std::numeric_limits<double>::quiet_NaN());
         }).empty());
}

TEST(columns_of_any_size_are_measured_and_scaled) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double size : {1e-310, 1e-300, 1.0, 1e300}) {
    const std::vector<double> numbers = {1 * size, 3 * size, nan, 1 * size, 3 * size};
    const ColumnScale scale = measure_column(numbers, {});
    CHECK_NEAR(scale.mean * scale.size, 2.0 * size, 1e-15 * size);
    std::vector<double> out(10, 7.0);
    scale_column(numbers, scale, out.data(), 2);
    const std::vector<double> want = {-1, 1, 0, -1, 1};
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK_NEAR(out[2 * i], want[i], size < 1e-307 ? 1e-12 : 1e-14);
      CHECK(out[2 * i + 1] == 7.0);
    }
  }
  const std::vector<double> weights = {2, 1e300, 5};
  const ColumnScale heavy = measure_column(std::vector<double>{0, 4, nan}, weights);
  CHECK_NEAR(heavy.mean * heavy.size, 4.0, 1e-15);
  for (const auto& flat : {std::vector<double>{5, nan, 5}, {nan, nan}, {0, 0}, {}}) {
    std::vector<double> out(flat.size(), 7.0);
    scale_column(flat, measure_column(flat, {}), out.data(), 1);
    for (double x : out) CHECK(x == 0.0);
  }
}
