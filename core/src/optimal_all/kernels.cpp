#include "kernels.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// Functions with wide vectors as arguments are always inlined: no calling convention matters.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace mixedwood::all_splits {
namespace {

#define MIXEDWOOD_BYTES 16
namespace plain {
#include "kernels_impl.hpp"
}  // namespace plain
#undef MIXEDWOOD_BYTES

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MIXEDWOOD_HAS_WIDE 1
#pragma GCC push_options
#pragma GCC target("avx2")
#define MIXEDWOOD_BYTES 32
namespace wide {
#include "kernels_impl.hpp"
}  // namespace wide
#undef MIXEDWOOD_BYTES
#pragma GCC pop_options
#elif defined(__x86_64__) && defined(__clang__)
#define MIXEDWOOD_HAS_WIDE 1
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define MIXEDWOOD_BYTES 32
namespace wide {
#include "kernels_impl.hpp"
}  // namespace wide
#undef MIXEDWOOD_BYTES
#pragma clang attribute pop
#else
#define MIXEDWOOD_HAS_WIDE 0
#endif

template <typename T, template <typename> typename Kernels>
KernelTable<T> table() {
  return {&Kernels<T>::two_class_thresholds, &Kernels<T>::two_class_values,
          &Kernels<T>::many_class_thresholds, &Kernels<T>::many_class_values};
}

}  // namespace

template <typename T>
const KernelTable<T>& kernels() {
#if MIXEDWOOD_HAS_WIDE
  static const KernelTable<T> chosen =
      __builtin_cpu_supports("avx2") ? table<T, wide::Kernels>() : table<T, plain::Kernels>();
#else
  static const KernelTable<T> chosen = table<T, plain::Kernels>();
#endif
  return chosen;
}

template const KernelTable<std::int16_t>& kernels<std::int16_t>();
template const KernelTable<std::int32_t>& kernels<std::int32_t>();
template const KernelTable<std::int64_t>& kernels<std::int64_t>();

}  // namespace mixedwood::all_splits
