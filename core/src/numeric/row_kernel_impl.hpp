// Bodies of the row kernels, for the instruction set of the file that includes them.
#pragma once

#include "../simd/vector.hpp"
#include "row_kernel.hpp"

namespace mixedwood::numeric {
namespace {

using Four = simd::Vec<double, 4>;

// The columns of a tile in vectors of four. A tile must fit the registers.
constexpr int kWide = simd::kRegisterBytes == 32 ? 3 : 1;

inline Four load(const double* from) { return simd::load<Four>(from); }
inline void store(double* to, const Four& v) { simd::save(to, v); }

// kRows rows side by side, so that no sum waits for the one before it.
template <int kRows>
inline void decide_some(const double* x, std::size_t n_columns, const double* z, double* out) {
  Four sums[kRows] = {};
  std::size_t j = 0;
  for (; j + 4 <= n_columns; j += 4) {
    const Four w = load(z + j);
    for (int i = 0; i < kRows; ++i)
      sums[i] += w * load(x + static_cast<std::size_t>(i) * n_columns + j);
  }
  for (int i = 0; i < kRows; ++i) {
    double sum = (sums[i][0] + sums[i][1]) + (sums[i][2] + sums[i][3]);
    const double* row = x + static_cast<std::size_t>(i) * n_columns;
    for (std::size_t k = j; k < n_columns; ++k) sum += z[k] * row[k];
    out[i] = sum + z[n_columns];
  }
}

void decide(const double* x, std::size_t n_rows, std::size_t n_columns, const double* z,
            double* out) {
  std::size_t i = 0;
  for (; i + 4 <= n_rows; i += 4) decide_some<4>(x + i * n_columns, n_columns, z, out + i);
  for (; i < n_rows; ++i) decide_some<1>(x + i * n_columns, n_columns, z, out + i);
}

void add_rows(const double* const* rows, const double* factors, std::size_t n_rows,
              std::size_t n_columns, double* sum) {
  std::size_t i = 0;
  for (; i + 4 <= n_rows; i += 4) {
    const double *r0 = rows[i], *r1 = rows[i + 1], *r2 = rows[i + 2], *r3 = rows[i + 3];
    const double f0 = factors[i], f1 = factors[i + 1], f2 = factors[i + 2], f3 = factors[i + 3];
    std::size_t j = 0;
    for (; j + 4 <= n_columns; j += 4) {
      Four s = load(sum + j);
      s += f0 * load(r0 + j);
      s += f1 * load(r1 + j);
      s += f2 * load(r2 + j);
      s += f3 * load(r3 + j);
      store(sum + j, s);
    }
    for (; j < n_columns; ++j) {
      double s = sum[j];
      s += f0 * r0[j];
      s += f1 * r1[j];
      s += f2 * r2[j];
      s += f3 * r3[j];
      sum[j] = s;
    }
  }
  for (; i < n_rows; ++i)
    for (std::size_t j = 0; j < n_columns; ++j) sum[j] += factors[i] * rows[i][j];
}

// Four rows of the matrix by kVectors * 4 of its columns, kept in registers over all rows.
template <int kVectors>
inline void add_tile(const double* left, const double* right, std::size_t n_rows,
                     std::size_t row_stride, double sign, double* tile,
                     std::size_t matrix_stride) {
  Four sums[4][kVectors] = {};
  for (std::size_t k = 0; k < n_rows; ++k) {
    Four b[kVectors];
    for (int v = 0; v < kVectors; ++v) b[v] = load(right + 4 * v);
    for (int i = 0; i < 4; ++i)
      for (int v = 0; v < kVectors; ++v) sums[i][v] += left[i] * b[v];
    left += row_stride;
    right += row_stride;
  }
  for (std::size_t i = 0; i < 4; ++i)
    for (int v = 0; v < kVectors; ++v) {
      double* to = tile + i * matrix_stride + 4 * v;
      store(to, load(to) + sign * sums[i][v]);
    }
}

void add_outer(const double* rows, std::size_t n_rows, std::size_t row_stride, std::size_t size,
               double sign, double* matrix, std::size_t matrix_stride) {
  constexpr std::size_t kWidth = 4 * kWide;
  for (std::size_t i = 0; i < size; i += 4) {
    double* line = matrix + i * matrix_stride;
    std::size_t j = i;
    for (; j + kWidth <= size; j += kWidth)
      add_tile<kWide>(rows + i, rows + j, n_rows, row_stride, sign, line + j, matrix_stride);
    for (; j < size; j += 4)
      add_tile<1>(rows + i, rows + j, n_rows, row_stride, sign, line + j, matrix_stride);
  }
}

constexpr RowKernels kAll{decide, add_rows, add_outer};

}  // namespace
}  // namespace mixedwood::numeric
