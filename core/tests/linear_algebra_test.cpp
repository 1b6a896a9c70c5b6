#include "numeric/cholesky.hpp"

#include <cstdint>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

namespace {

SymmetricMatrix random_gram(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> rows(n * n);
  for (double& x : rows) x = random.normal();
  SymmetricMatrix gram(n);
  const std::span<const double> all(rows);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      gram.row(i)[j] = dot(all.subspan(i * n, n), all.subspan(j * n, n));
  return gram;
}

double residual(const SymmetricMatrix& a, const std::vector<double>& v) {
  double eigenvalue = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < a.size; ++i) eigenvalue += v[i] * dot(a.row(i), v);
  for (std::size_t i = 0; i < a.size; ++i) {
    const double gap = dot(a.row(i), v) - eigenvalue * v[i];
    sum += gap * gap;
  }
  return std::sqrt(sum) / eigenvalue;
}

}  // namespace

TEST(dominant_eigenvectors_of_small_and_large_matrices) {
  for (std::size_t n : {1u, 2u, 5u, 24u, 25u, 60u, 150u}) {
    const auto gram = random_gram(n, n);
    Stop never;
    const auto v = dominant_eigenvector(gram, never);
    CHECK_NEAR(dot(v, v), 1.0, 1e-12);
    CHECK(residual(gram, v) < 1e-10);
    // Not just an eigenvector: no other vector has a larger quotient.
    double eigenvalue = 0.0;
    for (std::size_t i = 0; i < n; ++i) eigenvalue += v[i] * dot(gram.row(i), v);
    SymmetricMatrix slack(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) slack.row(i)[j] = -gram.row(i)[j];
    for (std::size_t i = 0; i < n; ++i) slack.row(i)[i] += eigenvalue * (1.0 + 1e-9);
    CHECK(is_positive_definite(slack, never));
  }
}

TEST(zero_matrix_gives_some_unit_vector) {
  for (std::size_t n : {3u, 40u}) {
    Stop never;
    const auto v = dominant_eigenvector(SymmetricMatrix(n), never);
    for (double x : v) CHECK(std::isfinite(x));
  }
}

TEST(cholesky_tells_definite_from_indefinite) {
  SymmetricMatrix m(2);
  m.entries = {2, 1, 1, 2};
  Stop never;
  CHECK(is_positive_definite(m, never));
  m.entries = {1, 2, 2, 1};
  CHECK(!is_positive_definite(m, never));
}
