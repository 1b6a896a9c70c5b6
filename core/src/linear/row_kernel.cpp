#include "row_kernel.hpp"

namespace mixedwood::linear {

namespace plain {
namespace {

constexpr int kWide = 1;

#include "row_kernel_impl.hpp"

}  // namespace
}  // namespace plain

#ifdef MIXEDWOOD_AVX2
extern const RowKernels kAvx2RowKernels;
#endif

const RowKernels& row_kernels([[maybe_unused]] bool widest) {
#ifdef MIXEDWOOD_AVX2
  if (widest && __builtin_cpu_supports("avx2")) return kAvx2RowKernels;
#endif
  static constexpr RowKernels kPlain = plain::kAll;
  return kPlain;
}

}  // namespace mixedwood::linear
