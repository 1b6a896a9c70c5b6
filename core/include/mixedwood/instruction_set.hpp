#pragma once

namespace mixedwood {

// The instruction set of the kernels in use: "scalar", "vector" or "avx2". Results do not depend on it.
// The environment variable MIXEDWOOD_SIMD may lower it; throws std::invalid_argument when that is set
// to anything else.
const char* instruction_set();

}  // namespace mixedwood
