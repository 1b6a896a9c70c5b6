// Built with -mavx2 and -mpopcnt (and without fused multiply-add, which would round differently);
// called only where the processor has them.
#include "dispatch.hpp"

#if MIXEDWOOD_HAS_AVX2

#include "bodies.hpp"

namespace mixedwood::simd {

const KernelSet kAvx2Kernels = kAll;

}  // namespace mixedwood::simd

#endif
