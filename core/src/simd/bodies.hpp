// Included by one file for each instruction set: the bodies of all kernels, and the set of them.
#pragma once

#include "../numeric/row_kernel_impl.hpp"
#include "../optimal/binary/pair_kernel_impl.hpp"
#include "../optimal/all_splits/kernels_impl.hpp"
#include "kernels.hpp"

namespace mixedwood::simd {
namespace {

constexpr KernelSet kAll{optimal::binary::kAll,
                         optimal::all_splits::table<std::int16_t>(),
                         optimal::all_splits::table<std::int32_t>(),
                         optimal::all_splits::table<std::int64_t>(),
                         numeric::kAll};

}  // namespace
}  // namespace mixedwood::simd
