// Which instruction sets the kernels are compiled for, and which of them this process uses. No other
// file tests for the compiler or the processor.
//
//   scalar  plain loops over arrays: any compiler, always there
//   vector  vector types of GCC and clang, in whatever registers the platform promises
//   avx2    the same with AVX2, used where the processor has it
//
// MIXEDWOOD_SCALAR (an option of the build) leaves the scalar loops alone; MIXEDWOOD_AVX2 is set by the
// build where it compiles kernels_avx2.cpp with AVX2.
#pragma once

#if defined(__GNUC__) && !defined(MIXEDWOOD_SCALAR)
#define MIXEDWOOD_HAS_VECTORS 1
#else
#define MIXEDWOOD_HAS_VECTORS 0
#endif
#if MIXEDWOOD_HAS_VECTORS && defined(MIXEDWOOD_AVX2)
#define MIXEDWOOD_HAS_AVX2 1
#else
#define MIXEDWOOD_HAS_AVX2 0
#endif

namespace mixedwood::simd {

enum class Level { kScalar, kVector, kAvx2 };  // in ascending order

// The highest level that was compiled and that the processor has; the environment variable
// MIXEDWOOD_SIMD (scalar, vector or avx2) lowers it. Found once.
// Throws std::invalid_argument when that variable is something else.
Level best();

const char* name_of(Level level);

}  // namespace mixedwood::simd
