// Some rows of a table with codes and numbers in cells of one size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "router_layout.hpp"

namespace mixedwood {

// Place of a code in a table, in range whatever the code: below -2 is unknown as well.
inline std::uint32_t entry_of(const ColumnView& column, std::size_t row) {
  const std::int32_t code = column.codes[row];
  const std::uint32_t entry = static_cast<std::uint32_t>(code) + kBelowZero;
  if (entry >= static_cast<std::uint32_t>(column.n_values) + kBelowZero) [[unlikely]] {
    if (code >= 0) throw std::invalid_argument("a code is beyond its column's values");
    return 0;
  }
  return entry;
}

class Cells {
 public:
  // Columns ascending; the others have no cells.
  explicit Cells(std::span<const std::int32_t> columns)
      : columns_(columns.begin(), columns.end()),
        n_rows_(std::clamp(kMost / columns.size(), kFewestRows, kMostRows)),
        stride_(n_rows_ + 8),
        cells_(std::make_unique_for_overwrite<std::uint64_t[]>(
            (static_cast<std::size_t>(columns_.back()) + 1) * stride_)) {}

  std::size_t n_rows() const { return n_rows_; }

  // With at most n_rows rows.
  void fill(const TableView& part) {
    for (const std::int32_t c : columns_) {
      const ColumnView& column = part.columns[static_cast<std::size_t>(c)];
      std::uint64_t* const its = cells_.get() + static_cast<std::size_t>(c) * stride_;
      if (column.codes == nullptr) {
        for (std::size_t row = 0; row < part.n_rows; ++row)
          its[row] = std::bit_cast<std::uint64_t>(column.numbers[row]);
      } else {
        // Read as a number the cell is about 1: some machines compare tiny ones slowly.
        constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
        for (std::size_t row = 0; row < part.n_rows; ++row) its[row] = one | entry_of(column, row);
      }
    }
  }

  // A number, or in the low half the place of a code in a table.
  std::uint64_t at(std::int32_t column, std::size_t row) const {
    return cells_[static_cast<std::size_t>(column) * stride_ + row];
  }

 private:
  // Each tree comes from far memory once for all rows that there is room for; their cells come and
  // go in their order, which costs little.
  static constexpr std::size_t kMost = 1 << 19, kFewestRows = 1024, kMostRows = 1 << 15;
  std::vector<std::int32_t> columns_;
  std::size_t n_rows_;
  std::size_t stride_;  // not a power of two: columns of a row would share a place in the cache
  std::unique_ptr<std::uint64_t[]> cells_;
};

}  // namespace mixedwood
