#include "linear_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "mixedwood/random.hpp"

namespace mixedwood {
namespace {

constexpr std::size_t kKrylov = 24;  // size of a Lanczos basis, and the limit of plain Jacobi

// Cyclic Jacobi: rotates off-diagonal entries away until they are lost in rounding.
std::vector<double> jacobi_dominant(SymmetricMatrix a) {
  const std::size_t n = a.size;
  SymmetricMatrix vectors(n);  // row i becomes the eigenvector of a(i, i)
  for (std::size_t i = 0; i < n; ++i) vectors.row(i)[i] = 1.0;
  double scale = 0.0;
  for (double x : a.entries) scale = std::max(scale, std::abs(x));
  for (int scan = 0; scan < 60; ++scan) {
    double off = 0.0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) off = std::max(off, std::abs(a.row(p)[q]));
    if (off <= 1e-17 * scale) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = a.row(p)[q];
        if (std::abs(apq) <= 1e-18 * scale) continue;
        const double theta = (a.row(q)[q] - a.row(p)[p]) / (2.0 * apq);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
        for (std::size_t i = 0; i < n; ++i) {
          const double x = a.row(i)[p], y = a.row(i)[q];
          a.row(i)[p] = c * x - s * y;
          a.row(i)[q] = s * x + c * y;
        }
        for (std::size_t i = 0; i < n; ++i) {
          const double x = a.row(p)[i], y = a.row(q)[i];
          a.row(p)[i] = c * x - s * y;
          a.row(q)[i] = s * x + c * y;
        }
        for (std::size_t i = 0; i < n; ++i) {
          const double x = vectors.row(p)[i], y = vectors.row(q)[i];
          vectors.row(p)[i] = c * x - s * y;
          vectors.row(q)[i] = s * x + c * y;
        }
      }
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (a.row(i)[i] > a.row(best)[best]) best = i;
  const auto v = vectors.row(best);
  return {v.begin(), v.end()};
}

std::vector<double> multiply(const SymmetricMatrix& a, std::span<const double> v, Stop& stop) {
  if (stop.requested(static_cast<std::int64_t>(a.size * a.size))) throw Stopped{};
  std::vector<double> product(a.size);
  for (std::size_t i = 0; i < a.size; ++i) product[i] = dot(a.row(i), v);
  return product;
}

// One Lanczos run from v, kept orthogonal in full; v becomes the best vector of its basis.
// Returns the length of the residual over the eigenvalue.
double lanczos_step(const SymmetricMatrix& a, std::vector<double>& v, Stop& stop) {
  std::vector<std::vector<double>> basis;
  SymmetricMatrix small(kKrylov);
  std::size_t m = 0;
  std::vector<double> next = v;
  while (m < kKrylov) {
    basis.push_back(std::move(next));
    next = multiply(a, basis[m], stop);
    for (std::size_t i = 0; i <= m; ++i) {
      const double overlap = dot(basis[i], next);
      small.row(i)[m] = small.row(m)[i] = overlap;
    }
    double before = std::sqrt(dot(next, next));
    // Twice is enough: the second pass removes what rounding left of the first.
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i <= m; ++i) add_scaled(next, -dot(basis[i], next), basis[i]);
    ++m;
    const double length = std::sqrt(dot(next, next));
    if (length <= 1e-14 * before) break;  // the basis spans an invariant subspace
    for (double& x : next) x /= length;
  }
  SymmetricMatrix projected(m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) projected.row(i)[j] = small.row(i)[j];
  const auto coefficients = jacobi_dominant(projected);
  std::fill(v.begin(), v.end(), 0.0);
  for (std::size_t i = 0; i < m; ++i) add_scaled(v, coefficients[i], basis[i]);
  normalise(v);
  auto residual = multiply(a, v, stop);
  const double eigenvalue = dot(v, residual);
  add_scaled(residual, -eigenvalue, v);
  return eigenvalue > 0.0 ? std::sqrt(dot(residual, residual)) / eigenvalue : 0.0;
}

}  // namespace

std::vector<double> dominant_eigenvector(const SymmetricMatrix& matrix, Stop& stop) {
  if (matrix.size <= kKrylov) return jacobi_dominant(matrix);
  Random random(1);  // any start with a part along the solution will do
  std::vector<double> v(matrix.size);
  for (double& x : v) x = random.uniform() - 0.5;
  normalise(v);
  double previous = 1.0;
  for (int restart = 0; restart < 100; ++restart) {
    const double residual = lanczos_step(matrix, v, stop);
    if (residual <= 1e-14 || (residual <= 1e-12 && residual >= 0.5 * previous)) break;
    previous = residual;
  }
  return v;
}

}  // namespace mixedwood
