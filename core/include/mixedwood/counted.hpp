// Splits chosen from counts alone, for tables that are never in memory: whoever has the rows counts
// them (`add_counts`), and the same code as in memory chooses among the columns (`choose_split`).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/regress.hpp"

namespace mixedwood {

// What is known of a column without its rows: numbers come in bins.
struct CountedColumn {
  bool numeric = false, ordered = false;
  std::int32_t n_values = 0;        // of codes
  std::span<const double> numbers;  // one for each bin, ascending
};

struct CountedTable {
  CountedTable() = default;
  CountedTable(const std::vector<CountedColumn>& given, std::int32_t n_classes);

  std::vector<EncodedColumn> columns;
  std::int32_t n_classes = 0;
  // Cells of a node's histogram, and where each column begins: (code + 1) x class.
  std::size_t length = 0;
  std::vector<std::int64_t> offset;
};

// The bin of each number: the first whose edge is not below it, the number of edges if there is none,
// and -1 for NaN. Edges ascend.
void find_bins(std::span<const double> edges, std::span<const double> numbers,
               std::span<std::int32_t> bins);

// Adds the rows of one piece of the table to the histograms of their nodes. `slots`: which histogram
// a row belongs to; below 0, none. Bad codes, classes or slots: std::invalid_argument.
void add_counts(const CountedTable& table, std::span<const std::int32_t* const> codes,
                std::span<const std::int32_t> classes, std::span<const std::int32_t> slots,
                std::span<std::uint32_t> histograms);

// The same for whole numbers of each row, such as parts of its weight: `terms` has `n_terms` for each
// row, and `sums` as many for each cell.
void add_sums(const CountedTable& table, std::span<const std::int32_t* const> codes,
              std::span<const std::int32_t> classes, std::span<const std::int32_t> slots,
              std::span<const std::int64_t> terms, std::size_t n_terms,
              std::span<std::int64_t> sums);

// Mixes a column into a hash of each row: the bits of numbers, where -0 is 0 and all NaN are one; or
// the hashes of codes, of which the last is that of missing values.
void hash_numbers(std::span<std::uint64_t> hashes, std::span<const double> numbers);
void hash_codes(std::span<std::uint64_t> hashes, std::span<const std::int32_t> codes,
                std::span<const std::uint64_t> hash_of);

// A node's histogram where rows have weights.
struct WeighedHistogram {
  std::span<const double> weights, rows;
  std::size_t n_rows = 0;      // of the node
  bool whole_weights = false;  // of all rows of the tree
};

struct ChosenSplit {
  SplitKind kind = kLeaf;  // kLeaf: the node has no split
  std::int32_t column = -1, last_left = -1, n_children = 0, missing_child = kStop;
  double score = 0.0, high = 0.0, worth = 0.0;  // worth: best first
  std::vector<std::int32_t> values, children;  // of a nominal split
  std::vector<std::int32_t> columns;           // that may still differ below
  std::vector<std::uint64_t> seeds;            // of the children
};

// The split of a node with this histogram and these counts of classes, as the grower chooses it
// where every row weighs 1. Settings that need rows: std::invalid_argument.
ChosenSplit choose_split(const CountedTable& table, const GrowSettings& settings,
                         std::span<const std::uint32_t> histogram, std::span<const double> classes,
                         std::uint64_t seed, std::vector<std::int32_t> columns, Stop& stop);

// The same for rows with weights.
ChosenSplit choose_split(const CountedTable& table, const GrowSettings& settings,
                         const WeighedHistogram& histogram, std::span<const double> classes,
                         std::uint64_t seed, std::vector<std::int32_t> columns, Stop& stop);

// A node's histogram where numbers are predicted: sums for each cell of a table of one class, and for
// the node. `squares` are of the numbers themselves.
struct MomentHistogram {
  std::span<const double> rows, weights, sums, squares;
  double n_rows = 0.0, weight = 0.0, sum = 0.0;
  double mean = 0.0, squared_deviations = 0.0, loss = 0.0;
  bool whole_weights = true;  // of all rows of the tree
};

// The split of a node of a tree that predicts numbers; the absolute error needs rows. Where chance is
// taken off the score of a nominal column, the rows of a value are taken to be at two points.
ChosenSplit choose_split(const CountedTable& table, const RegressSettings& settings,
                         const MomentHistogram& histogram, std::uint64_t seed,
                         std::vector<std::int32_t> columns, Stop& stop);

}  // namespace mixedwood
