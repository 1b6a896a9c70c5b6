#include "dispatch.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels.hpp"
#include "mixedwood/instruction_set.hpp"

namespace mixedwood::simd {
namespace {

Level highest() {
#if MIXEDWOOD_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return Level::kAvx2;
#endif
  return MIXEDWOOD_HAS_VECTORS ? Level::kVector : Level::kScalar;
}

Level asked_for() {
  const char* given = std::getenv("MIXEDWOOD_SIMD");
  if (!given || !*given) return Level::kAvx2;
  for (const Level level : {Level::kScalar, Level::kVector, Level::kAvx2})
    if (std::string_view(given) == name_of(level)) return level;
  throw std::invalid_argument("the environment variable MIXEDWOOD_SIMD='" + std::string(given) +
                              "' is not known. Use one of 'scalar', 'vector', 'avx2'.");
}

}  // namespace

const char* name_of(Level level) {
  switch (level) {
    case Level::kVector: return "vector";
    case Level::kAvx2: return "avx2";
    default: return "scalar";
  }
}

Level best() {
  static const Level found = std::min(highest(), asked_for());
  return found;
}

const KernelSet& kernels(Level most) {
  switch (std::min(most, best())) {
#if MIXEDWOOD_HAS_AVX2
    case Level::kAvx2: return kAvx2Kernels;
#endif
#if MIXEDWOOD_HAS_VECTORS
    case Level::kVector: return kVectorKernels;
#endif
    default: return kScalarKernels;
  }
}

}  // namespace mixedwood::simd

namespace mixedwood {

const char* instruction_set() { return simd::name_of(simd::best()); }

}  // namespace mixedwood
