// All kernels that are compiled once for each instruction set. They add whole numbers, or floating
// numbers in a fixed order with every product rounded: each set gives the same bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../numeric/row_kernel.hpp"
#include "../optimal/pair_kernel.hpp"
#include "../optimal_all/kernels.hpp"
#include "dispatch.hpp"

namespace mixedwood::simd {

struct KernelSet {
  optimal::Kernels pairs;
  all_splits::KernelTable<std::int16_t> splits16;
  all_splits::KernelTable<std::int32_t> splits32;
  all_splits::KernelTable<std::int64_t> splits64;
  numeric::RowKernels rows;

  template <typename T>
  const all_splits::KernelTable<T>& splits() const {
    if constexpr (std::is_same_v<T, std::int16_t>)
      return splits16;
    else if constexpr (std::is_same_v<T, std::int32_t>)
      return splits32;
    else
      return splits64;
  }
};

// Those of the best level, or of a lower one: for tests that compare them.
const KernelSet& kernels(Level most = Level::kAvx2);

extern const KernelSet kScalarKernels, kVectorKernels, kAvx2Kernels;  // those that are compiled

}  // namespace mixedwood::simd
