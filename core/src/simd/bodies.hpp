// Included by one file for each instruction set: the bodies of all kernels, and the set of them.
#pragma once

#include "../numeric/row_kernel_impl.hpp"
#include "../optimal/pair_kernel_impl.hpp"
#include "../optimal_all/kernels_impl.hpp"
#include "kernels.hpp"

namespace mixedwood::simd {
namespace {

constexpr KernelSet kAll{optimal::kAll, all_splits::table<std::int16_t>(),
                         all_splits::table<std::int32_t>(), all_splits::table<std::int64_t>(),
                         numeric::kAll};

}  // namespace
}  // namespace mixedwood::simd
