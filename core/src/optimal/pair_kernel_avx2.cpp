// Built with -mavx2 and -mpopcnt; called only where the processor has it. Nothing of the standard library that
// could be shared with other files is used here.
#include "pair_kernel.hpp"

#ifdef MIXEDWOOD_AVX2

#include <immintrin.h>

namespace mixedwood::optimal {
namespace {

typedef std::uint8_t Bytes __attribute__((vector_size(32)));

inline Bytes bits_of(const Bytes& x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  return reinterpret_cast<Bytes>(_mm256_shuffle_epi8(table, reinterpret_cast<__m256i>(x)));
}

inline void gather_block(const std::uint8_t* const* rows, std::uint8_t* low, std::uint8_t* high) {
  std::int32_t words[8];
  for (int k = 0; k < 8; ++k) __builtin_memcpy(&words[k], rows[k], 4);
  __m256i x = _mm256_setr_epi32(words[0], words[1], words[2], words[3], words[4], words[5],
                                words[6], words[7]);
  // Byte b of rows 0-3 side by side, likewise of rows 4-7; then all eight.
  const __m256i turn = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,  //
                                        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  x = _mm256_shuffle_epi8(x, turn);
  x = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  for (int step = 0; step < 8; ++step) {
    const auto columns = static_cast<std::uint32_t>(_mm256_movemask_epi8(x));
    const std::uint32_t first = columns & 0x0f0f0f0fu, second = (columns >> 4) & 0x0f0f0f0fu;
    __builtin_memcpy(low + 4 * step, &first, 4);
    if (high) __builtin_memcpy(high + 4 * step, &second, 4);
    x = _mm256_slli_epi64(x, 1);
  }
}

// The least of 32 bytes or 16 shorts: there is one instruction for eight shorts.
#define MIXEDWOOD_LEAST_OF
template <std::size_t kBytes, typename Vector>
inline unsigned least_number(const Vector& v) {
  const __m256i x = reinterpret_cast<const __m256i&>(v);
  __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
  if constexpr (kBytes == 1) {
    low = _mm_min_epu8(low, high);
    low = _mm_min_epu8(low, _mm_srli_epi16(low, 8));  // of each pair, in its low byte
    low = _mm_and_si128(low, _mm_set1_epi16(0xff));
  } else {
    low = _mm_min_epu16(low, high);
  }
  return static_cast<unsigned>(_mm_extract_epi16(_mm_minpos_epu16(low), 0));
}

#include "pair_kernel_impl.hpp"

}  // namespace

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kAll;

}  // namespace mixedwood::optimal

#endif
