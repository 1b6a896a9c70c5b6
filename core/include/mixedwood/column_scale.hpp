// Numbers on a common scale: mean 0 and variance 1, whatever their size.
#pragma once

#include <cstddef>
#include <span>

namespace mixedwood {

// x becomes (x / size - mean) / spread. `size` is a power of two near the largest absolute value:
// dividing by it first rounds nothing, and then no sum of squares overflows. A constant column has
// an infinite spread, and becomes 0.
struct ColumnScale {
  double size = 1.0, mean = 0.0, spread = 0.0;
};

// NaN is missing and does not count; weights are positive, or empty for 1.
ColumnScale measure_column(std::span<const double> numbers, std::span<const double> weights);

// Writes a column into every `stride`-th place of `out`. Missing numbers become the mean: 0. What
// is far outside of the numbers that were measured stays finite.
void scale_column(std::span<const double> numbers, const ColumnScale& scale, double* out,
                  std::size_t stride);

}  // namespace mixedwood
