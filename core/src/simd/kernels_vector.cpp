#include "dispatch.hpp"

#if MIXEDWOOD_HAS_VECTORS

#include "bodies.hpp"

namespace mixedwood::simd {

const KernelSet kVectorKernels = kAll;

}  // namespace mixedwood::simd

#endif
