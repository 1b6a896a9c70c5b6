// A binary problem as the search wants it: rows as bits, grouped by class.
//
// Every row has one *position*, or several: a row of weight 5 lies in the group of weight 4 and in
// that of weight 1. So any weighted count is a sum of populations, each shifted by its group's power
// of two. Equal rows of one class are merged into one of their common weight where that saves work.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../frame/budget.hpp"
#include "pair_kernel.hpp"

namespace mixedwood::optimal::binary {

struct BinaryProblem : Samples {
  std::span<const std::uint8_t> matrix;  // row by row, 0 or 1
  std::size_t n_columns = 0;
};

const Kernels& pair_kernels(const BinarySwitches& switches);

using Word = std::uint64_t;

struct Group {
  std::int32_t count;  // index of the count it adds to: a class, or n_classes for rows
  int shift;           // each position weighs 2^shift
  std::size_t first_word, n_words;
};

class BinaryTable {
 public:
  // `count_rows`: the number of rows matters beside their weight.
  BinaryTable(const BinaryProblem& problem, const Kernels& kernels, bool merge_rows,
              bool count_rows);

  std::size_t n_words() const { return n_words_; }
  std::size_t n_columns() const { return originals_.size(); }
  std::int32_t n_classes() const { return n_classes_; }
  // Counts kept: one per class, and one for rows if they are counted apart from weights.
  std::int32_t n_counts() const { return n_counts_; }
  bool rows_apart() const { return n_counts_ > n_classes_; }
  std::span<const Group> groups() const { return groups_; }
  std::span<const Word> column(std::size_t j) const {
    return {columns_.data() + j * n_words_, n_words_};
  }
  std::span<const Word> everything() const { return everything_; }
  std::span<const Word> unavoidable() const { return unavoidable_; }
  std::int32_t original(std::size_t j) const { return originals_[j]; }

  // Bits of a position's columns, in the order that the gathering of rows wants (`bit_place`).
  const std::uint8_t* row_bits() const { return row_bits_.data(); }
  std::size_t row_bytes() const { return row_bytes_; }

  // Sum of weights by count.
  void tally(std::span<const Word> rows, std::span<Cost> counts) const {
    for (auto& c : counts) c = 0;
    for (const Group& g : groups_) {
      const Word* from = rows.data() + g.first_word;
      const Cost n = kernels_.population(from, from, 0, g.n_words);
      counts[to_size(g.count)] += n << g.shift;
    }
  }
  // Weight, over classes, of rows & mask and of rows & ~mask.
  Cost weight_in(std::span<const Word> rows, std::span<const Word> mask) const {
    return weight(rows, mask, 0);
  }
  Cost weight_out(std::span<const Word> rows, std::span<const Word> mask) const {
    return weight(rows, mask, ~Word{0});
  }

 private:
  Cost weight(std::span<const Word> rows, std::span<const Word> mask, Word flip) const {
    Cost total = 0;
    for (const Group& g : groups_) {
      if (g.count >= n_classes_) continue;
      total += kernels_.population(rows.data() + g.first_word, mask.data() + g.first_word, flip,
                                   g.n_words)
               << g.shift;
    }
    return total;
  }

  const Kernels& kernels_;
  std::size_t n_words_ = 0, row_bytes_ = 0;
  std::int32_t n_classes_ = 0, n_counts_ = 0;
  std::vector<std::int32_t> originals_;
  std::vector<Group> groups_;
  std::vector<Word> columns_, everything_, unavoidable_;
  std::vector<std::uint8_t> row_bits_;
};

// Column j lies at this bit of a position's row: in each 32 columns, four that are neighbors come
// out side by side when the same bit is taken of four bytes.
struct BitPlace {
  std::size_t byte;
  int bit;
};
inline BitPlace bit_place(std::size_t j) {
  const std::size_t block = j / 32, inside = j % 32;
  return {block * 4 + inside % 4, 7 - static_cast<int>(inside / 4)};
}

}  // namespace mixedwood::optimal::binary
