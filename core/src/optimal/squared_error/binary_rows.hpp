// Binary columns and rows with numbers. Equal rows are one, and columns are in groups.
//
// A group is a few columns that take few patterns together, such as the thresholds of one number: k
// of them have k + 1 patterns, not 2^k. Sums by pattern say all that sums by column do, so a row is
// added once for each pair of groups instead of once for each pair of columns.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "../../hash.hpp"
#include "../binary/small_trees.hpp"
#include "sums.hpp"

namespace mixedwood::optimal::squared_error {

using Word = std::uint64_t;
using binary::Cache;
using binary::DepthTwoTable;
using binary::SmallTree;
using binary::Solution;
using binary::best_depth_three;
using binary::best_depth_two;

struct Group {
  std::size_t first_column = 0, n_columns = 0;
  std::size_t first_pattern = 0, n_patterns = 0;  // at most 64
};

struct BinaryRows {
  BinaryRows(std::span<const std::uint8_t> matrix, std::size_t n_columns,
             const NumberSamples& samples);

  std::size_t n_rows() const { return sums.size(); }
  std::size_t n_words() const { return (sums.size() + 63) / 64; }
  std::size_t n_columns() const { return originals.size(); }
  std::size_t n_patterns() const { return groups.empty() ? 0 : groups.back().first_pattern + groups.back().n_patterns; }
  std::span<const Word> column(std::size_t j) const {
    return {bits.data() + j * n_words(), n_words()};
  }
  // The pattern of a row in each group, counted over all groups.
  const std::uint16_t* patterns_of(std::size_t row) const {
    return patterns.data() + row * groups.size();
  }

  std::vector<Sums> sums;  // of rows, ascending by mean
  std::vector<Group> groups;
  std::vector<std::int32_t> originals;   // of each column; columns of a group are neighbors
  std::vector<std::size_t> group_of;     // of each column
  std::vector<std::uint64_t> masks;      // of each column: the patterns of its group where it is 1
  std::vector<std::uint16_t> patterns;   // row by row
  std::vector<Word> bits;                // column by column
  double ticks = 1.0;
  std::size_t n_given = 0;  // rows before equal ones were merged
};

// A set of rows.
struct RowSet {
  std::vector<Word> words;
  Sums sums;
  std::uint64_t hash = 0;

  Cache::Key key() const { return {words, hash}; }
  void measure(const BinaryRows& table) {
    sums = {};
    for_each(words, [&](std::size_t row) { sums.add(table.sums[row]); });
    hash = hash_of(words);
  }
  static void for_each(std::span<const Word> words, const auto& visit) {
    for (std::size_t w = 0; w < words.size(); ++w)
      for (Word left = words[w]; left != 0; left &= left - 1)
        visit(w * 64 + to_size(std::countr_zero(left)));
  }
};

inline void divide_words(const BinaryRows& table, const RowSet& rows, std::size_t column,
                         RowSet& with, RowSet& without) {
  const auto bits = table.column(column);
  with.words.resize(bits.size());
  without.words.resize(bits.size());
  for (std::size_t w = 0; w < bits.size(); ++w) {
    with.words[w] = rows.words[w] & bits[w];
    without.words[w] = rows.words[w] & ~bits[w];
  }
}

inline void divide(const BinaryRows& table, const RowSet& rows, std::size_t column, RowSet& with,
                   RowSet& without) {
  divide_words(table, rows, column, with, without);
  with.measure(table);
  without.measure(table);
}

}  // namespace mixedwood::optimal::squared_error
