// Built with -mavx2 (and without fused multiply-add, which would round differently); called only
// where the processor has it. Nothing of the standard library that could be shared with other
// files is used here.
#include "row_kernel.hpp"

#ifdef MIXEDWOOD_AVX2

namespace mixedwood::linear {
namespace {

constexpr int kWide = 3;

#include "row_kernel_impl.hpp"

}  // namespace

extern const RowKernels kAvx2RowKernels;
const RowKernels kAvx2RowKernels = kAll;

}  // namespace mixedwood::linear

#endif
