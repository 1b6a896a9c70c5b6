#include "pair_kernel.hpp"

namespace mixedwood::optimal {

namespace plain {
namespace {

typedef std::uint8_t Bytes __attribute__((vector_size(32)));

inline Bytes bits_of(const Bytes& x) {
  const Bytes pairs = (x & 5) + ((x >> 1) & 5);
  return (pairs & 3) + (pairs >> 2);
}

// Eight rows of 32 columns; of each column four rows go to `low` and four to `high`.
inline void gather_block(const std::uint8_t* const* rows, std::uint8_t* low, std::uint8_t* high) {
  for (std::size_t j = 0; j < kLanes; ++j) {
    const std::size_t byte = j % 4;
    const int bit = 7 - static_cast<int>(j / 4);
    unsigned column = 0;
    for (unsigned k = 0; k < 8; ++k)
      column |= ((static_cast<unsigned>(rows[k][byte]) >> bit) & 1u) << k;
    low[j] = static_cast<std::uint8_t>(column & 15);
    if (high) high[j] = static_cast<std::uint8_t>(column >> 4);
  }
}

#include "pair_kernel_impl.hpp"

}  // namespace
}  // namespace plain

#ifdef MIXEDWOOD_AVX2
extern const Kernels kAvx2Kernels;
#endif

const Kernels& kernels([[maybe_unused]] bool widest) {
#ifdef MIXEDWOOD_AVX2
  if (widest && __builtin_cpu_supports("avx2")) return kAvx2Kernels;
#endif
  static constexpr Kernels kPlain = plain::kAll;
  return kPlain;
}

}  // namespace mixedwood::optimal
