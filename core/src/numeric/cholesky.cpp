#include "cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mixedwood {
namespace {

// One column of the Cholesky factor after the other, in the lower half; false at the first pivot
// that is not positive.
bool factorise_column(SymmetricMatrix& a, std::size_t j) {
  for (std::size_t i = j; i < a.size; ++i) {
    const double s = a.row(i)[j] - dot(a.row(i).first(j), a.row(j).first(j));
    if (i == j) {
      if (!(s > 0.0)) return false;
      a.row(j)[j] = std::sqrt(s);
    } else {
      a.row(i)[j] = s / a.row(j)[j];
    }
  }
  return true;
}

}  // namespace

bool is_positive_definite(SymmetricMatrix a, Stop& stop) {
  for (std::size_t j = 0; j < a.size; ++j) {
    if (stop.requested(static_cast<std::int64_t>(j * (a.size - j)))) return false;
    if (!factorise_column(a, j)) return false;
  }
  return true;
}

bool solve_positive_definite(SymmetricMatrix& a, std::span<double> right) {
  for (std::size_t j = 0; j < a.size; ++j)
    if (!factorise_column(a, j)) return false;
  for (std::size_t i = 0; i < a.size; ++i)
    right[i] = (right[i] - dot(a.row(i).first(i), right.first(i))) / a.row(i)[i];
  for (std::size_t i = a.size; i-- > 0;) {
    right[i] /= a.row(i)[i];
    for (std::size_t j = 0; j < i; ++j) right[j] -= a.row(i)[j] * right[i];
  }
  return true;
}

namespace numeric {
namespace {

constexpr std::size_t kPanel = 32;  // rows; a multiple of kLanes

// to[j] -= factor * from[j]
void subtract_scaled(double* to, const double* from, double factor, std::size_t first,
                     std::size_t end) {
  for (std::size_t j = first; j < end; ++j) to[j] -= factor * from[j];
}

}  // namespace

void UpperMatrix::reset() {
  std::fill(entries.begin(), entries.end(), 0.0);
  for (std::size_t i = 0; i < stride; ++i) row(i)[i] = 1.0;
}

bool factorise(UpperMatrix& matrix, const RowKernels& kernels, Stop& stop) {
  const std::size_t n = matrix.stride;
  for (std::size_t begin = 0; begin < n; begin += kPanel) {
    const std::size_t end = std::min(n, begin + kPanel);
    if (stop.requested(static_cast<std::int64_t>((end - begin) * (n - begin) * (n - begin) / 8)))
      return false;
    for (std::size_t k = begin; k < end; ++k) {
      double* pivot_row = matrix.row(k);
      const double pivot = std::sqrt(std::max(pivot_row[k], 1.0));
      pivot_row[k] = pivot;
      for (std::size_t j = k + 1; j < n; ++j) pivot_row[j] /= pivot;
      for (std::size_t i = k + 1; i < end; ++i)
        subtract_scaled(matrix.row(i), pivot_row, pivot_row[i], i, n);
    }
    if (end < n)
      kernels.add_outer(matrix.row(begin) + end, end - begin, n, n - end, -1.0,
                        matrix.row(end) + end, n);
  }
  return true;
}

void solve(const UpperMatrix& factor, std::span<double> v) {
  const std::size_t n = factor.size;
  for (std::size_t k = 0; k < n; ++k) {
    v[k] /= factor.row(k)[k];
    subtract_scaled(v.data(), factor.row(k), v[k], k + 1, n);
  }
  for (std::size_t k = n; k-- > 0;) {
    double s = v[k];
    for (std::size_t j = k + 1; j < n; ++j) s -= factor.row(k)[j] * v[j];
    v[k] = s / factor.row(k)[k];
  }
}

}  // namespace numeric
}  // namespace mixedwood
