// What the solvers check and compute of any problem.
#pragma once

#include <span>
#include <vector>

#include "budget.hpp"

namespace mixedwood::optimal {

// Bad input: std::invalid_argument.
void check(const Samples& samples, std::size_t n_rows, const Objective& objective);
void check(const SearchLimits& limits);

// Of a search that was stopped.
ProofStatus status_of(const Stop& stop);

// Weight per row that no tree classifies correctly: rows that are equal in all columns to rows of a
// heavier class.
std::vector<Cost> unavoidable_errors(const std::vector<std::span<const std::int32_t>>& columns,
                                     const Samples& samples);

}  // namespace mixedwood::optimal
