// The inner loop of optimal trees: for one set of rows, how often each pair of columns is 1 together
// in each class, and from that the best stump below each side of each column.
//
// Counts are kept in the narrowest integers that hold them. The same code is built for several
// instruction sets: see simd/kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mixedwood::optimal::binary {

inline constexpr std::size_t kLanes = 32;  // columns are handled by the block

// Rows of one group: four rows to a byte, byte (g, j) holds rows 4g..4g+3 of column j.
struct PackedRows {
  const std::uint8_t* nibbles;
  std::size_t n_nibbles;
  std::int32_t count;  // which count they add to
  int shift;
};

template <typename Number>
struct Side {
  bool wanted = false;
  std::span<const std::int32_t> classes;  // the counts of classes that occur here
  const Number* totals = nullptr;         // [count]
  const Number* singles = nullptr;        // [count][stride]: rows where column j is 1
  const Number* sums = nullptr;           // [stride]: the same over all classes
  Number total = 0;                       // over all classes
  // Of each column: the least errors of its side 0 and 1 with one more split. In: errors of leaves.
  Number *best0 = nullptr, *best1 = nullptr;  // [stride]
};

// `child` is what the packed rows are; `rest` is the parent without it.
template <typename Number>
struct PairJob {
  std::size_t n_columns = 0, stride = 0, n_counts = 0;
  std::size_t begin = 0, end = 0;  // columns i of this call; begins with an even one
  std::span<const PackedRows> packed;
  const Number* parent = nullptr;  // [column][count][stride], for `rest`
  Number* store = nullptr;         // likewise; where to keep the child's counts
  Side<Number> child, rest;
  Number min_samples_leaf = 0;  // 0: none
  // The count that holds rows; -1: rows are the sum over classes.
  std::int32_t rows_count = -1;
  Number* buffer = nullptr;  // [4][count][stride]
};

struct Kernels {
  // Bits of a & (b ^ flip), over n words.
  std::int64_t (*population)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t flip,
                             std::size_t n);
  // Rows at these positions, packed; the last byte is filled with zeros.
  void (*gather)(const std::uint8_t* row_bits, std::size_t row_bytes, const std::uint32_t* positions,
                 std::size_t n, std::uint8_t* nibbles);
  void (*singles8)(const PackedRows&, std::size_t stride, std::uint8_t* singles);
  void (*singles16)(const PackedRows&, std::size_t stride, std::uint16_t* singles);
  void (*singles32)(const PackedRows&, std::size_t stride, std::uint32_t* singles);
  void (*singles64)(const PackedRows&, std::size_t stride, std::uint64_t* singles);
  void (*pairs8)(const PairJob<std::uint8_t>&);
  void (*pairs16)(const PairJob<std::uint16_t>&);
  void (*pairs32)(const PairJob<std::uint32_t>&);
  void (*pairs64)(const PairJob<std::uint64_t>&);

  void singles(const PackedRows& p, std::size_t s, std::uint8_t* to) const { singles8(p, s, to); }
  void singles(const PackedRows& p, std::size_t s, std::uint16_t* to) const { singles16(p, s, to); }
  void singles(const PackedRows& p, std::size_t s, std::uint32_t* to) const { singles32(p, s, to); }
  void singles(const PackedRows& p, std::size_t s, std::uint64_t* to) const { singles64(p, s, to); }
  void pairs(const PairJob<std::uint8_t>& job) const { pairs8(job); }
  void pairs(const PairJob<std::uint16_t>& job) const { pairs16(job); }
  void pairs(const PairJob<std::uint32_t>& job) const { pairs32(job); }
  void pairs(const PairJob<std::uint64_t>& job) const { pairs64(job); }
};

}  // namespace mixedwood::optimal::binary
