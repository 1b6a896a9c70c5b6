// How arrays cross: exact types, contiguous, borrowed on the way in, handed over on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mixedwood {

namespace nb = nanobind;

using DoubleMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using DoubleVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntVector = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LongVector = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using SignVector = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntArrayOut = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;

inline std::span<const double> values_of(const DoubleMatrix& a) { return {a.data(), a.size()}; }
inline std::span<const double> values_of(const DoubleVector& a) { return {a.data(), a.size()}; }
inline std::span<const std::int32_t> values_of(const IntVector& a) { return {a.data(), a.size()}; }

// The array owns the vector from here on; nothing is copied.
template <typename Number>
nb::ndarray<nb::numpy, Number, nb::ndim<1>> hand_over(std::vector<Number> values) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(values));
  nb::capsule owner(kept.get(),
                    [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  auto& numbers = *kept.release();  // the capsule's from here on
  return {numbers.data(), {numbers.size()}, owner};
}
inline IntArrayOut hand_over(std::unique_ptr<std::int32_t[]> values, std::size_t size) {
  nb::capsule owner(values.get(),
                    [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
  return IntArrayOut(values.release(), {size}, owner);
}

}  // namespace mixedwood
