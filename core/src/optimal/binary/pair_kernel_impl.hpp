// Bodies of the pair kernels, for the instruction set of the file that includes them.
#pragma once

#include <cstring>

#include "../../simd/vector.hpp"
#include "pair_kernel.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mixedwood::optimal::binary {
namespace {

using simd::at_least;
using simd::fill;
using simd::least;
using simd::load;
using simd::most;
using simd::save;
using simd::select;

template <typename Number>
using VectorOf = simd::Vec<Number, 32 / sizeof(Number)>;
template <typename Number>
constexpr std::size_t kStep = sizeof(VectorOf<Number>) / sizeof(Number);
using Bytes = VectorOf<std::uint8_t>;

#if defined(__AVX2__)

// Population of the low half of each byte.
inline Bytes bits_of(const Bytes& x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  return reinterpret_cast<Bytes>(_mm256_shuffle_epi8(table, reinterpret_cast<__m256i>(x)));
}

// Eight rows of 32 columns; of each column four rows go to `low` and four to `high`.
inline void gather_block(const std::uint8_t* const* rows, std::uint8_t* low, std::uint8_t* high) {
  std::int32_t words[8];
  for (int k = 0; k < 8; ++k) std::memcpy(&words[k], rows[k], 4);
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
    std::memcpy(low + 4 * step, &first, 4);
    if (high) std::memcpy(high + 4 * step, &second, 4);
    x = _mm256_slli_epi64(x, 1);
  }
}

// The least of 32 bytes or 16 shorts: there is one instruction for eight shorts.
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

#else

inline Bytes bits_of(const Bytes& x) {
  const Bytes pairs = (x & 5) + ((x >> 1) & 5);
  return (pairs & 3) + (pairs >> 2);
}

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

#endif

// Byte counters overflow after 63 nibbles of four.
constexpr std::size_t kNibblesAtOnce = 63;

template <typename Number>
inline void add_counts(const Bytes& counts, int shift, Number* to) {
  if constexpr (sizeof(Number) == 1) {
    Bytes scaled = counts;
    for (int s = 0; s < shift; ++s) scaled += scaled;
    save(to, static_cast<Bytes>(load<Bytes>(to) + scaled));
  } else {
    // Part by part: the compiler has one instruction for the widening.
    using Few = simd::Vec<std::uint8_t, kStep<Number>>;
    for (std::size_t j = 0; j < kLanes; j += kStep<Number>) {
      const auto few = load<Few>(reinterpret_cast<const std::uint8_t*>(&counts) + j);
      const auto wide = simd::converted<VectorOf<Number>>(few);
      save(to + j, static_cast<VectorOf<Number>>(load<VectorOf<Number>>(to + j) + (wide << shift)));
    }
  }
}

template <typename Number>
void singles(const PackedRows& rows, std::size_t stride, Number* to) {
  for (std::size_t begin = 0; begin < rows.n_nibbles; begin += kNibblesAtOnce) {
    const std::size_t end =
        begin + kNibblesAtOnce < rows.n_nibbles ? begin + kNibblesAtOnce : rows.n_nibbles;
    for (std::size_t j = 0; j < stride; j += kLanes) {
      Bytes sum{};
      for (std::size_t g = begin; g < end; ++g)
        sum += bits_of(load<Bytes>(rows.nibbles + g * stride + j));
      add_counts(sum, rows.shift, to + j);
    }
  }
}

// Counts of R columns from i on with the N blocks of columns from `first` on. Two columns at once
// share what is read of the rows.
template <typename Number, std::size_t N, std::size_t R>
inline void count_blocks(const PackedRows& rows, std::size_t stride, std::size_t i,
                         std::size_t first, Number* to, std::size_t next_row) {
  for (std::size_t begin = 0; begin < rows.n_nibbles; begin += kNibblesAtOnce) {
    const std::size_t end =
        begin + kNibblesAtOnce < rows.n_nibbles ? begin + kNibblesAtOnce : rows.n_nibbles;
    Bytes sum[R][N];
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t b = 0; b < N; ++b) sum[r][b] = Bytes{};
    const std::uint8_t* at = rows.nibbles + begin * stride;
    for (std::size_t g = begin; g < end; ++g, at += stride) {
      Bytes own[R];
      for (std::size_t r = 0; r < R; ++r) own[r] = fill<Bytes>(at[i + r]);
      for (std::size_t b = 0; b < N; ++b) {
        const Bytes other = load<Bytes>(at + first + b * kLanes);
        for (std::size_t r = 0; r < R; ++r) sum[r][b] += bits_of(own[r] & other);
      }
    }
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t b = 0; b < N; ++b)
        add_counts(sum[r][b], rows.shift, to + r * next_row + first + b * kLanes);
  }
}

template <typename Number, std::size_t R>
inline void count_rows(const PairJob<Number>& job, std::size_t i, std::size_t first) {
  const std::size_t row = job.n_counts * job.stride;
  for (std::size_t c = 0; c < R * job.n_counts; ++c) {
    Number* to = job.buffer + c * job.stride;
    for (std::size_t j = first; j < job.stride; j += kStep<Number>)
      save(to + j, VectorOf<Number>());
  }
  for (const PackedRows& rows : job.packed) {
    Number* to = job.buffer + static_cast<std::size_t>(rows.count) * job.stride;
    std::size_t j = first;
    for (; j + 3 * kLanes <= job.stride; j += 3 * kLanes)
      count_blocks<Number, 3, R>(rows, job.stride, i, j, to, row);
    switch ((job.stride - j) / kLanes) {
      case 2: count_blocks<Number, 2, R>(rows, job.stride, i, j, to, row); break;
      case 1: count_blocks<Number, 1, R>(rows, job.stride, i, j, to, row); break;
      default: break;
    }
  }
}

// The least of a vector's numbers, by halves.
template <typename Number, std::size_t N>
inline Number least_by_halves(const Number* from) {
  if constexpr (N <= 4) {
    Number result = from[0];
    for (std::size_t i = 1; i < N; ++i) result = from[i] < result ? from[i] : result;
    return result;
  } else {
    using Half = simd::Vec<Number, N / 2>;
    Number halves[N / 2];
    save(halves, least(load<Half>(from), load<Half>(from + N / 2)));
    return least_by_halves<Number, N / 2>(halves);
  }
}
template <typename Number>
inline Number least_of(const VectorOf<Number>& v) {
#if defined(__AVX2__)
  if constexpr (sizeof(Number) <= 2) return static_cast<Number>(least_number<sizeof(Number)>(v));
#endif
  Number all[kStep<Number>];
  save(all, v);
  return least_by_halves<Number, kStep<Number>>(all);
}

// The errors of the four cells (value of i, value of j) of a block of columns j.
template <typename Vector>
struct Cells {
  Vector e11, e10, e01, e00;
};

template <typename Number>
struct TwoClasses {
  using Vector = VectorOf<Number>;
  TwoClasses(const Side<Number>& side, std::size_t stride, const Number* pairs, std::size_t i) {
    for (std::size_t c = 0; c < 2; ++c) {
      const auto k = static_cast<std::size_t>(side.classes[c]);
      pairs_[c] = pairs + k * stride;
      singles_[c] = side.singles + k * stride;
      with_[c] = fill<Vector>(singles_[c][i]);
      without_[c] = fill<Vector>(static_cast<Number>(side.totals[k] - singles_[c][i]));
    }
  }
  Cells<Vector> operator()(std::size_t j) const {
    const Vector n11a = load<Vector>(pairs_[0] + j), n11b = load<Vector>(pairs_[1] + j);
    const Vector n01a = load<Vector>(singles_[0] + j) - n11a;
    const Vector n01b = load<Vector>(singles_[1] + j) - n11b;
    return {least(n11a, n11b), least<Vector>(with_[0] - n11a, with_[1] - n11b), least(n01a, n01b),
            least<Vector>(without_[0] - n01a, without_[1] - n01b)};
  }

 private:
  const Number *pairs_[2], *singles_[2];
  Vector with_[2], without_[2];
};

template <typename Number>
struct ManyClasses {
  using Vector = VectorOf<Number>;
  ManyClasses(const Side<Number>& side, std::size_t stride, const Number* pairs, std::size_t i)
      : side_(side), stride_(stride), pairs_(pairs), i_(i) {}
  Cells<Vector> operator()(std::size_t j) const {
    Vector m11{}, m10{}, m01{}, m00{}, n11{};
    for (const auto cls : side_.classes) {
      const auto k = static_cast<std::size_t>(cls) * stride_;
      const Vector both = load<Vector>(pairs_ + k + j);
      const Number own = side_.singles[k + i_];
      const Vector only_j = load<Vector>(side_.singles + k + j) - both;
      n11 += both;
      m11 = most(m11, both);
      m10 = most<Vector>(m10, own - both);
      m01 = most(m01, only_j);
      m00 = most<Vector>(
          m00, static_cast<Number>(side_.totals[static_cast<std::size_t>(cls)] - own) - only_j);
    }
    const Number own = side_.sums[i_];
    const Vector n01 = load<Vector>(side_.sums + j) - n11;
    return {n11 - m11, own - n11 - m10, n01 - m01,
            static_cast<Number>(side_.total - own) - n01 - m00};
  }

 private:
  const Side<Number>& side_;
  std::size_t stride_;
  const Number* pairs_;
  std::size_t i_;
};

template <typename Errors, std::size_t R>
struct RowsOfErrors {
  Errors at[R];
};
template <typename Errors, std::size_t R, typename Number>
inline RowsOfErrors<Errors, R> make_rows(const Side<Number>& side, std::size_t stride,
                                         const Number* pairs, std::size_t row, std::size_t i) {
  if constexpr (R == 1)
    return {{Errors(side, stride, pairs, i)}};
  else
    return {{Errors(side, stride, pairs, i), Errors(side, stride, pairs + row, i + 1)}};
}

// Rows of the four cells, for a minimum size of leaves.
template <typename Number>
struct RowsOfCells {
  using Vector = VectorOf<Number>;
  RowsOfCells(const PairJob<Number>& job, const Side<Number>& side, const Number* pairs,
              std::size_t i)
      : job_(job), side_(side), pairs_(pairs), i_(i) {}
  Cells<Vector> operator()(std::size_t j) const {
    Vector n11{};
    const Number* singles = side_.sums;
    Number total = side_.total;
    if (job_.rows_count >= 0) {
      const auto c = static_cast<std::size_t>(job_.rows_count);
      n11 = load<Vector>(pairs_ + c * job_.stride + j);
      singles = side_.singles + c * job_.stride;
      total = side_.totals[c];
    } else {
      for (const auto cls : side_.classes)
        n11 += load<Vector>(pairs_ + static_cast<std::size_t>(cls) * job_.stride + j);
    }
    const Vector n01 = load<Vector>(singles + j) - n11;
    return {n11, singles[i_] - n11, n01, static_cast<Number>(total - singles[i_]) - n01};
  }

 private:
  const PairJob<Number>& job_;
  const Side<Number>& side_;
  const Number* pairs_;
  std::size_t i_;
};

// R columns from i on as the root and j below it, and vice versa.
template <typename Number, typename Errors, bool kMinLeaf, std::size_t R>
void combine(const PairJob<Number>& job, const Side<Number>& side, const Number* pairs,
             std::size_t i, std::size_t first) {
  using Vector = VectorOf<Number>;
  const std::size_t row = job.n_counts * job.stride;
  const auto errors = make_rows<Errors, R>(side, job.stride, pairs, row, i);
  Vector best0[R], best1[R];
  for (std::size_t r = 0; r < R; ++r) {
    best0[r] = fill<Vector>(side.best0[i + r]);
    best1[r] = fill<Vector>(side.best1[i + r]);
  }
  Number *all0 = side.best0, *all1 = side.best1;
  const std::size_t stride = job.stride;
  for (std::size_t j = first; j < stride; j += kStep<Number>) {
    Vector least0 = load<Vector>(all0 + j), least1 = load<Vector>(all1 + j);
    for (std::size_t r = 0; r < R; ++r) {
      const Cells<Vector> e = errors.at[r](j);
      Vector i1 = e.e11 + e.e10, i0 = e.e01 + e.e00, j1 = e.e11 + e.e01, j0 = e.e10 + e.e00;
      if constexpr (kMinLeaf) {
        const Cells<Vector> n = RowsOfCells<Number>(job, side, pairs + r * row, i + r)(j);
        const Vector never = ~Vector{}, enough = fill<Vector>(job.min_samples_leaf);
        i1 = select(at_least(n.e11, enough) & at_least(n.e10, enough), i1, never);
        i0 = select(at_least(n.e01, enough) & at_least(n.e00, enough), i0, never);
        j1 = select(at_least(n.e11, enough) & at_least(n.e01, enough), j1, never);
        j0 = select(at_least(n.e10, enough) & at_least(n.e00, enough), j0, never);
      }
      best0[r] = least(best0[r], i0);
      best1[r] = least(best1[r], i1);
      least0 = least(least0, j0);
      least1 = least(least1, j1);
    }
    save(all0 + j, least0);
    save(all1 + j, least1);
  }
  for (std::size_t r = 0; r < R; ++r) {
    const Number least0 = least_of<Number>(best0[r]), least1 = least_of<Number>(best1[r]);
    if (least0 < all0[i + r]) all0[i + r] = least0;
    if (least1 < all1[i + r]) all1[i + r] = least1;
  }
}

template <typename Number, std::size_t R>
void combine(const PairJob<Number>& job, const Side<Number>& side, const Number* pairs,
             std::size_t i, std::size_t first) {
  if (!side.wanted) return;
  if (side.classes.size() == 2) {
    if (job.min_samples_leaf > 1)
      combine<Number, TwoClasses<Number>, true, R>(job, side, pairs, i, first);
    else
      combine<Number, TwoClasses<Number>, false, R>(job, side, pairs, i, first);
  } else {
    if (job.min_samples_leaf > 1)
      combine<Number, ManyClasses<Number>, true, R>(job, side, pairs, i, first);
    else
      combine<Number, ManyClasses<Number>, false, R>(job, side, pairs, i, first);
  }
}

// What the buffer holds of R columns from i on.
template <typename Number, std::size_t R>
void use_rows(const PairJob<Number>& job, std::size_t i, std::size_t first) {
  const std::size_t row = job.n_counts * job.stride;
  if (job.store) std::memcpy(job.store + i * row, job.buffer, R * row * sizeof(Number));
  combine<Number, R>(job, job.child, job.buffer, i, first);
  if (!job.rest.wanted) return;
  Number* rest = job.buffer + R * row;
  const Number* all = job.parent + i * row;
  for (std::size_t c = 0; c < R * job.n_counts; ++c)
    for (std::size_t j = c * job.stride + first; j < (c + 1) * job.stride; j += kStep<Number>)
      save(rest + j, load<VectorOf<Number>>(all + j) - load<VectorOf<Number>>(job.buffer + j));
  combine<Number, R>(job, job.rest, rest, i, first);
}

template <typename Number>
void pairs(const PairJob<Number>& job) {
  std::size_t i = job.begin;
  for (; i + 2 <= job.end; i += 2) {
    const std::size_t first = i / kLanes * kLanes;  // of both, as calls begin with even columns
    count_rows<Number, 2>(job, i, first);
    use_rows<Number, 2>(job, i, first);
  }
  if (i < job.end) {
    const std::size_t first = i / kLanes * kLanes;
    count_rows<Number, 1>(job, i, first);
    use_rows<Number, 1>(job, i, first);
  }
}

inline void gather(const std::uint8_t* row_bits, std::size_t row_bytes,
                   const std::uint32_t* positions, std::size_t n, std::uint8_t* nibbles) {
  const std::size_t stride = row_bytes * 8;
  alignas(32) std::uint8_t zeros[4] = {};
  for (std::size_t r = 0; r < n; r += 8) {
    const std::uint8_t* rows[8];
    for (std::size_t k = 0; k < 8; ++k)
      rows[k] = r + k < n ? row_bits + positions[r + k] * row_bytes : nullptr;
    for (std::size_t b = 0; b < row_bytes; b += 4) {
      const std::uint8_t* from[8];
      for (std::size_t k = 0; k < 8; ++k) from[k] = rows[k] ? rows[k] + b : zeros;
      std::uint8_t* low = nibbles + (r / 4) * stride + b * 8;
      gather_block(from, low, r + 4 < n ? low + stride : nullptr);
    }
  }
}

inline std::int64_t population(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t flip,
                               std::size_t n) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) total += simd::population(a[i] & (b[i] ^ flip));
  return total;
}

constexpr Kernels kAll = {population,
                          gather,
                          singles<std::uint8_t>,
                          singles<std::uint16_t>,
                          singles<std::uint32_t>,
                          singles<std::uint64_t>,
                          pairs<std::uint8_t>,
                          pairs<std::uint16_t>,
                          pairs<std::uint32_t>,
                          pairs<std::uint64_t>};

}  // namespace
}  // namespace mixedwood::optimal::binary
