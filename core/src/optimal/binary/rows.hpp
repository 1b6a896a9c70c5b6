// A set of rows and what the search needs to know about it.
#pragma once

#include <algorithm>
#include <vector>

#include "../../hash.hpp"
#include "small_trees.hpp"

namespace mixedwood::optimal::binary {

struct Rows {
  std::vector<Word> words;
  std::vector<Cost> counts;
  Cost weight = 0, errors = 0, n_rows = 0;
  std::uint64_t hash = 0;

  Cache::Key key() const { return {words, hash}; }

  // Everything that follows from the words.
  void measure(const BinaryTable& table) {
    counts.resize(to_size(table.n_counts()));
    table.tally(words, counts);
    weight = 0;
    Cost largest = 0;
    for (std::size_t k = 0; k < to_size(table.n_classes()); ++k) {
      weight += counts[k];
      largest = std::max(largest, counts[k]);
    }
    errors = weight - largest;
    n_rows = table.rows_apart() ? counts.back() : weight;
    hash = hash_of(words);
  }
};

inline void divide_words(const BinaryTable& table, std::span<const Word> rows, std::size_t column,
                         std::vector<Word>& with, std::vector<Word>& without) {
  const auto bits = table.column(column);
  with.resize(rows.size());
  without.resize(rows.size());
  for (std::size_t w = 0; w < rows.size(); ++w) {
    with[w] = rows[w] & bits[w];
    without[w] = rows[w] & ~bits[w];
  }
}

inline void divide(const BinaryTable& table, const Rows& rows, std::size_t column, Rows& with,
                   Rows& without) {
  divide_words(table, rows.words, column, with.words, without.words);
  with.measure(table);
  without.measure(table);
}

}  // namespace mixedwood::optimal::binary
