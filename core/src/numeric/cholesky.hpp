// Cholesky's factor of a positive definite matrix, of two kinds: small ones by columns, where it also
// shows whether there is a factor at all, and large ones panel by panel with the row kernels.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linear_algebra.hpp"
#include "mixedwood/stop.hpp"
#include "row_kernel.hpp"

namespace mixedwood {

// True when the matrix has a Cholesky factor, that is, when it is positive definite.
// Also false when `stop` asks to stop.
bool is_positive_definite(SymmetricMatrix matrix, Stop& stop);

// Solves matrix * x = right and leaves x in `right`; the lower half of the matrix is read, and
// overwritten by its Cholesky factor. False when it is not positive definite.
bool solve_positive_definite(SymmetricMatrix& matrix, std::span<double> right);

namespace numeric {

// Upper triangle of a symmetric matrix, row by row, padded to whole lanes by an identity.
struct UpperMatrix {
  explicit UpperMatrix(std::size_t n)
      : size(n), stride((n + kLanes - 1) / kLanes * kLanes), entries(stride * stride) {}
  // Back to the identity.
  void reset();
  double* row(std::size_t i) { return entries.data() + i * stride; }
  const double* row(std::size_t i) const { return entries.data() + i * stride; }
  std::size_t size, stride;
  std::vector<double> entries;
};

// Matrix = U^T U, in its place. For matrices whose smallest eigenvalue is at least 1: then no
// pivot is below 1 but by rounding, and rounding is put right. False when asked to stop.
bool factorise(UpperMatrix& matrix, const RowKernels& kernels, Stop& stop);

// v becomes the solution of U^T U x = v.
void solve(const UpperMatrix& factor, std::span<double> v);

}  // namespace numeric
}  // namespace mixedwood
