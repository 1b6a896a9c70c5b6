// Columns of plain arrays as codes and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mixedwood {

enum class CellType : std::uint8_t {
  int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64
};

// An array of any stride; `missing` has a byte for each row, or is not there.
struct CellArray {
  const void* data;
  std::ptrdiff_t stride;  // in cells
  CellType type;
  std::size_t n_rows;
  const std::uint8_t* missing = nullptr;
};

struct NumberSummary {
  std::int64_t n_missing = 0;
  std::int64_t infinite_row = -1;
};

struct FlagSummary {
  std::int64_t n_missing = 0;
  bool has_false = false;
  bool has_true = false;
};

NumberSummary check_numbers(const double* numbers, std::size_t n_rows);

// Numbers as doubles, NaN where they are missing.
NumberSummary to_doubles(const CellArray& cells, double* to);

// Booleans, one byte each, as codes: `code[0]` for false, `code[1]` for true, -1 for missing.
FlagSummary flag_codes(const CellArray& cells, const std::int32_t (&code)[2], std::int32_t* to);

// Marks the codes that occur; those outside of the span are missing.
void mark_codes(const CellArray& codes, std::span<std::uint8_t> occurs);

// Replaces codes by their images, and others by -1; counts the latter and images of -1.
std::int64_t map_codes(const CellArray& codes, std::span<const std::int32_t> images,
                       std::int32_t* to);

// False if some number is too large, or not an integer.
bool to_integers(const CellArray& cells, std::vector<std::int64_t>& to);

// The distinct integers, ascending, and the place of each row's among them; -1 for missing.
struct IntegerCategories {
  std::vector<std::int64_t> values;
  std::vector<std::int32_t> codes;
  std::int64_t n_missing = 0;
};
IntegerCategories integer_categories(std::span<const std::int64_t> integers,
                                     const std::uint8_t* missing);

// Cells of a fixed number of bytes: the place of each among the distinct ones, in the order in which
// they are met, and the row where each of those is first.
struct DistinctCells {
  std::vector<std::int32_t> places;
  std::vector<std::int64_t> first_rows;
};
DistinctCells distinct_cells(const char* bytes, std::size_t n_rows, std::size_t width);

}  // namespace mixedwood
