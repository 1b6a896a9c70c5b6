#define MIXEDWOOD_SCALAR_LANES
#include "bodies.hpp"

namespace mixedwood::simd {

const KernelSet kScalarKernels = kAll;

}  // namespace mixedwood::simd
