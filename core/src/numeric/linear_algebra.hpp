// The little dense linear algebra that the searches need.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "mixedwood/stop.hpp"

namespace mixedwood {

// Four running sums: the order of additions is fixed, and the loop is not bound by latency.
inline double dot(std::span<const double> a, std::span<const double> b) {
  const std::size_t n = a.size();
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

inline void add_scaled(std::span<double> y, double factor, std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

// To length 1; a zero vector stays.
inline void normalise(std::span<double> v) {
  const double length = std::sqrt(dot(v, v));
  if (length > 0.0)
    for (double& x : v) x /= length;
}

// A symmetric matrix, stored in full, row by row.
struct SymmetricMatrix {
  explicit SymmetricMatrix(std::size_t n) : size(n), entries(n * n, 0.0) {}
  std::span<double> row(std::size_t i) { return {entries.data() + i * size, size}; }
  std::span<const double> row(std::size_t i) const { return {entries.data() + i * size, size}; }
  std::size_t size;
  std::vector<double> entries;
};

// Unit eigenvector of the largest eigenvalue of a positive semidefinite matrix.
// Small matrices by Jacobi rotations, larger ones by restarted Lanczos.
// Throws Stopped when asked to stop.
std::vector<double> dominant_eigenvector(const SymmetricMatrix& matrix, Stop& stop);

}  // namespace mixedwood
