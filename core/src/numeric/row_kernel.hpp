// The loops over rows of numbers, compiled for several instruction sets: see simd/kernels.hpp. Every
// sum has its own running total and a fixed order of additions, and products are rounded before they
// are added: all give the same bits.
#pragma once

#include <cstddef>

namespace mixedwood::numeric {

constexpr std::size_t kLanes = 4;  // sizes of matrices are whole multiples of it

struct RowKernels {
  // out[i] = w.x_i + b for rows end to end; z is w, then b.
  void (*decide)(const double* x, std::size_t n_rows, std::size_t n_columns, const double* z,
                 double* out);
  // sum += factor_0 row_0 + factor_1 row_1 + ...
  void (*add_rows)(const double* const* rows, const double* factors, std::size_t n_rows,
                   std::size_t n_columns, double* sum);
  // Upper triangle (in blocks of kLanes) of matrix += sign * sum of row^T row. `size` and both
  // strides are multiples of kLanes; sign is 1 or -1.
  void (*add_outer)(const double* rows, std::size_t n_rows, std::size_t row_stride,
                    std::size_t size, double sign, double* matrix, std::size_t matrix_stride);
};

}  // namespace mixedwood::numeric
