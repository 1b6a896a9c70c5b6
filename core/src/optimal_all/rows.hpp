// The rows at a node, sorted by every option, and how they are divided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "options.hpp"

namespace mixedwood::all_splits {

struct Rows {
  std::int32_t n = 0;
  std::int64_t weight = 0;
  std::int64_t unavoidable = 0;
  std::vector<std::int64_t> counts;   // weight per class
  std::vector<std::int32_t> ids;      // ascending
  std::vector<std::int32_t> sorted;   // option after option, each n rows by rank, then id

  std::span<const std::int32_t> by(std::size_t option) const {
    return {sorted.data() + option * static_cast<std::size_t>(n), static_cast<std::size_t>(n)};
  }
  // Errors of a leaf.
  std::int64_t errors() const;
  std::int32_t label() const;
};

Rows all_rows(const Options& options);

// Rows with a side of 1 go left. `left` and `right` are reused: no new memory if they are large.
void divide(const Options& options, const Rows& rows, const std::vector<std::uint8_t>& side,
            Rows& left, Rows& right);

// 1 where the test sends a row of the node left; other rows are not touched.
void mark(const Options& options, const Rows& rows, const Test& test,
          std::vector<std::uint8_t>& side);

// Does the option offer a test here that no option before it offers? Options that are one column
// with missing below and above are the same where nothing is missing.
bool is_useful(const Options& options, const Rows& rows, std::size_t option);

}  // namespace mixedwood::all_splits
