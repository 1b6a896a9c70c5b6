// Numbers side by side: `Vec<T, N>` is a vector type of the compiler, or an array with the same
// operators in files that define MIXEDWOOD_SCALAR_LANES.
//
// This header and the bodies of the kernels are compiled for several instruction sets within one
// program. All that they define has internal linkage, and they call nothing of the standard library
// that is not inlined: otherwise the linker could choose the AVX2 version of a shared function for
// everybody.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dispatch.hpp"

#if defined(__GNUC__)
#define MIXEDWOOD_INLINE inline __attribute__((always_inline))
#define MIXEDWOOD_INLINED __attribute__((always_inline))  // of a lambda
#elif defined(_MSC_VER)
#define MIXEDWOOD_INLINE __forceinline
#define MIXEDWOOD_INLINED
#else
#define MIXEDWOOD_INLINE inline
#define MIXEDWOOD_INLINED
#endif

namespace mixedwood::simd {
namespace {

#if defined(__AVX2__)
constexpr std::size_t kRegisterBytes = 32;
#else
constexpr std::size_t kRegisterBytes = 16;
#endif

#if MIXEDWOOD_HAS_VECTORS && !defined(MIXEDWOOD_SCALAR_LANES)

template <typename T, std::size_t N>
struct VecOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <typename T, std::size_t N>
using Vec = typename VecOf<T, N>::type;

// All bits set where it holds.
template <typename V>
MIXEDWOOD_INLINE auto at_least(const V& a, const V& b) {
  return a >= b;
}
template <typename V>
MIXEDWOOD_INLINE V below(const V& a, const V& b) {
  return (V)(a < b);
}
template <typename Mask, typename V>
MIXEDWOOD_INLINE V select(const Mask& mask, const V& a, const V& b) {
  return mask ? a : b;
}
template <typename V>
MIXEDWOOD_INLINE V least(const V& a, const V& b) {
  return a < b ? a : b;
}
template <typename V>
MIXEDWOOD_INLINE V most(const V& a, const V& b) {
  return a > b ? a : b;
}
template <typename To, typename From>
MIXEDWOOD_INLINE To converted(const From& from) {
  return __builtin_convertvector(from, To);
}

#else

template <typename T, std::size_t N>
struct Vec {
  T lane[N] = {};

  Vec() = default;
  Vec(T x) {  // scalars stand for vectors of equal numbers
    for (T& number : lane) number = x;
  }
  template <typename F>
  static MIXEDWOOD_INLINE Vec each(const F& of) {
    Vec result;
    for (std::size_t i = 0; i < N; ++i) result.lane[i] = static_cast<T>(of(i));
    return result;
  }
  T operator[](std::size_t i) const { return lane[i]; }

  friend MIXEDWOOD_INLINE Vec operator+(const Vec& a, const Vec& b) {
    return each([&](std::size_t i) { return a[i] + b[i]; });
  }
  friend MIXEDWOOD_INLINE Vec operator-(const Vec& a, const Vec& b) {
    return each([&](std::size_t i) { return a[i] - b[i]; });
  }
  friend MIXEDWOOD_INLINE Vec operator*(const Vec& a, const Vec& b) {
    return each([&](std::size_t i) { return a[i] * b[i]; });
  }
  friend MIXEDWOOD_INLINE Vec operator&(const Vec& a, const Vec& b) {
    return each([&](std::size_t i) { return a[i] & b[i]; });
  }
  friend MIXEDWOOD_INLINE Vec operator<<(const Vec& a, int shift) {
    return each([&](std::size_t i) { return a[i] << shift; });
  }
  friend MIXEDWOOD_INLINE Vec operator>>(const Vec& a, int shift) {
    return each([&](std::size_t i) { return a[i] >> shift; });
  }
  MIXEDWOOD_INLINE Vec operator-() const {
    return each([&](std::size_t i) { return -lane[i]; });
  }
  MIXEDWOOD_INLINE Vec operator~() const {
    return each([&](std::size_t i) { return ~lane[i]; });
  }
  MIXEDWOOD_INLINE Vec& operator+=(const Vec& b) { return *this = *this + b; }
};

template <typename T, std::size_t N>
MIXEDWOOD_INLINE Vec<T, N> at_least(const Vec<T, N>& a, const Vec<T, N>& b) {
  return Vec<T, N>::each([&](std::size_t i) { return a[i] >= b[i] ? ~T{0} : T{0}; });
}
template <typename T, std::size_t N>
MIXEDWOOD_INLINE Vec<T, N> below(const Vec<T, N>& a, const Vec<T, N>& b) {
  return Vec<T, N>::each([&](std::size_t i) { return a[i] < b[i] ? ~T{0} : T{0}; });
}
template <typename T, std::size_t N>
MIXEDWOOD_INLINE Vec<T, N> select(const Vec<T, N>& mask, const Vec<T, N>& a, const Vec<T, N>& b) {
  return Vec<T, N>::each([&](std::size_t i) { return mask[i] ? a[i] : b[i]; });
}
template <typename V>
MIXEDWOOD_INLINE V least(const V& a, const V& b) {
  return V::each([&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
}
template <typename V>
MIXEDWOOD_INLINE V most(const V& a, const V& b) {
  return V::each([&](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
}
template <typename To, typename From>
MIXEDWOOD_INLINE To converted(const From& from) {
  return To::each([&](std::size_t i) { return from[i]; });
}

#endif

template <typename V>
MIXEDWOOD_INLINE V load(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename V>
MIXEDWOOD_INLINE void save(void* to, const V& v) {
  std::memcpy(to, &v, sizeof v);
}
// Of whole numbers.
template <typename V, typename T>
MIXEDWOOD_INLINE V fill(T x) {
  return V{} + x;
}

MIXEDWOOD_INLINE int population(std::uint64_t word) {
#if defined(__GNUC__)
  return __builtin_popcountll(word);
#else
  return std::popcount(word);
#endif
}

}  // namespace
}  // namespace mixedwood::simd
