// All kernels that are compiled once for each instruction set. They add whole numbers, or floating
// numbers in a fixed order with every product rounded: each set gives the same bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../numeric/row_kernel.hpp"
#include "../optimal/binary/pair_kernel.hpp"
#include "../optimal/all_splits/kernels.hpp"
#include "dispatch.hpp"

namespace mixedwood::simd {

struct KernelSet {
  optimal::binary::Kernels pairs;
  optimal::all_splits::KernelTable<std::int16_t> splits16;
  optimal::all_splits::KernelTable<std::int32_t> splits32;
  optimal::all_splits::KernelTable<std::int64_t> splits64;
  numeric::RowKernels rows;

  template <typename T>
  const optimal::all_splits::KernelTable<T>& splits() const {
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
