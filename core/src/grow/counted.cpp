#include "mixedwood/counted.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "column_selector.hpp"
#include "counting.hpp"
#include "mixedwood/random.hpp"

namespace mixedwood {

CountedTable::CountedTable(const std::vector<CountedColumn>& given, std::int32_t classes)
    : n_classes(classes) {
  if (classes < 1) throw std::invalid_argument("a table needs classes");
  columns.reserve(given.size());
  for (const CountedColumn& column : given) {
    InputColumn input;
    input.ordered = column.ordered || column.numeric;
    if (!column.numeric && column.n_values < 0)
      throw std::invalid_argument("a number of values is negative");
    static constexpr double kNone = 0.0;
    input.view = {nullptr, column.numeric ? column.numbers.data() : nullptr, column.n_values};
    if (column.numeric && column.numbers.empty()) input.view.numbers = &kNone;
    columns.emplace_back(input, column.numeric ? column.numbers.size() : 0);
    if (columns.back().bucket_bits() > 0)
      throw std::invalid_argument("numbers that are counted have at most 1024 bins");
    if (column.numeric &&
        at(columns.back().n_values()) != column.numbers.size())
      throw std::invalid_argument("the numbers of bins must differ");
  }
  const Counter counter(columns, n_classes);
  length = counter.full_length();
  for (std::size_t c = 0; c < columns.size(); ++c)
    offset.push_back(static_cast<std::int64_t>(counter.offset(c)));
}

void find_bins(std::span<const double> edges, std::span<const double> numbers,
               std::span<std::int32_t> bins) {
  if (bins.size() != numbers.size()) throw std::invalid_argument("one bin is needed for each number");
  if (edges.empty()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) bins[i] = numbers[i] != numbers[i] ? -1 : 0;
    return;
  }
  // Halving, for several numbers at a time: the steps of one wait for memory, and all take as many.
  constexpr std::size_t kAtOnce = 16;
  for (std::size_t begin = 0; begin < numbers.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, numbers.size() - begin);
    const double* x = numbers.data() + begin;
    std::array<std::size_t, kAtOnce> place{};
    std::size_t n = edges.size();
    for (; n > 1; n -= n / 2)
      for (std::size_t i = 0; i < count; ++i)
        place[i] += (n / 2) * static_cast<std::size_t>(edges[place[i] + n / 2 - 1] < x[i]);
    for (std::size_t i = 0; i < count; ++i) {
      place[i] += static_cast<std::size_t>(edges[place[i]] < x[i]);
      bins[begin + i] = x[i] != x[i] ? -1 : static_cast<std::int32_t>(place[i]);
    }
  }
}

namespace {

// SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// Calls `add(cell, row)` for the rows of each slot, column by column.
template <typename Add>
void for_each_cell(const CountedTable& table, std::span<const std::int32_t* const> codes,
                   std::span<const std::int32_t> classes, std::span<const std::int32_t> slots,
                   std::size_t n_slots, Add add) {
  if (codes.size() != table.columns.size() || classes.size() != slots.size())
    throw std::invalid_argument("columns, classes and slots do not fit together");
  std::vector<std::uint32_t> rows;  // those that are counted
  rows.reserve(slots.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] < 0 || classes[i] >= table.n_classes || slots[i] >= static_cast<std::int64_t>(n_slots))
      throw std::invalid_argument("a class or slot is out of range");
    if (slots[i] >= 0) rows.push_back(static_cast<std::uint32_t>(i));
  }
  const auto k = static_cast<std::size_t>(table.n_classes);
  std::vector<std::size_t> begins(rows.size());  // of a row's slot, at its class
  for (std::size_t j = 0; j < rows.size(); ++j)
    begins[j] = at(slots[rows[j]]) * table.length + at(classes[rows[j]]);
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const std::int32_t n_values = table.columns[c].n_values();
    const auto offset = static_cast<std::size_t>(table.offset[c]);
    const std::int32_t* column = codes[c];
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const std::int32_t code = column[rows[j]];
      if (code < -1 || code >= n_values)
        throw std::invalid_argument("a code is not one of its column's values");
      add(begins[j] + offset + at(code + 1) * k, rows[j]);
    }
  }
}

}  // namespace

void add_counts(const CountedTable& table, std::span<const std::int32_t* const> codes,
                std::span<const std::int32_t> classes, std::span<const std::int32_t> slots,
                std::span<std::uint32_t> histograms) {
  std::uint32_t* cells = histograms.data();
  for_each_cell(table, codes, classes, slots, table.length ? histograms.size() / table.length : 0,
                [&](std::size_t cell, std::uint32_t) { ++cells[cell]; });
}

void add_sums(const CountedTable& table, std::span<const std::int32_t* const> codes,
              std::span<const std::int32_t> classes, std::span<const std::int32_t> slots,
              std::span<const std::int64_t> terms, std::size_t n_terms,
              std::span<std::int64_t> sums) {
  if (n_terms < 1 || terms.size() != n_terms * classes.size())
    throw std::invalid_argument("each row needs the same number of terms");
  const std::size_t length = table.length * n_terms;
  const auto run = [&](auto size) {
    for_each_cell(table, codes, classes, slots, length ? sums.size() / length : 0,
                  [&](std::size_t cell, std::uint32_t row) {
                    std::int64_t* to = sums.data() + cell * size();
                    const std::int64_t* from = terms.data() + row * size();
                    for (std::size_t t = 0; t < size(); ++t) to[t] += from[t];
                  });
  };
  // Loops of a known length are unrolled.
  if (n_terms == 2)
    run(std::integral_constant<std::size_t, 2>{});
  else if (n_terms == 3)
    run(std::integral_constant<std::size_t, 3>{});
  else if (n_terms == 4)
    run(std::integral_constant<std::size_t, 4>{});
  else
    run([&] { return n_terms; });
}

void hash_numbers(std::span<std::uint64_t> hashes, std::span<const double> numbers) {
  constexpr std::uint64_t kMissing = 0x7FF8DEADBEEF0001U;
  if (hashes.size() != numbers.size()) throw std::invalid_argument("one hash is needed for each row");
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const double x = numbers[i];
    const std::uint64_t bits = x != x ? kMissing : std::bit_cast<std::uint64_t>(x + 0.0);
    hashes[i] = mixed(hashes[i] ^ mixed(bits));
  }
}

void hash_codes(std::span<std::uint64_t> hashes, std::span<const std::int32_t> codes,
                std::span<const std::uint64_t> hash_of) {
  if (hashes.size() != codes.size()) throw std::invalid_argument("one hash is needed for each row");
  std::vector<std::uint64_t> ready(hash_of.size());
  for (std::size_t v = 0; v < ready.size(); ++v) ready[v] = mixed(hash_of[v]);
  const auto n_values = static_cast<std::int64_t>(ready.size()) - 1;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (codes[i] < -1 || codes[i] >= n_values)
      throw std::invalid_argument("a code is not one of its column's values");
    hashes[i] = mixed(hashes[i] ^ ready[codes[i] < 0 ? at(n_values) : at(codes[i])]);
  }
}

namespace {

void check_choice(const CountedTable& table, const GrowSettings& settings,
                  std::size_t length, std::span<const double> classes,
                  std::span<const std::int32_t> columns) {
  if (settings.criterion == nullptr || settings.partitioner == nullptr)
    throw std::invalid_argument("a criterion and a partitioner are needed");
  if (settings.rules != Rules::kParts || settings.selection == Selection::kAverageGain ||
      settings.fractional() || settings.linear != nullptr)
    throw std::invalid_argument("these settings need the rows of the table");
  if (settings.partitioner->traits.many_groups && !settings.criterion->traits().many_groups)
    throw std::invalid_argument(
        "partitioner='multiway' and 'c45_groups' make more than two groups, but the criterion scores "
        "two groups. Use a criterion for many groups ('gini', 'entropy', 'gain_ratio'), or another "
        "partitioner.");
  if (length != table.length || classes.size() != at(table.n_classes))
    throw std::invalid_argument("a histogram does not fit the table");
  for (const std::int32_t c : columns)
    if (c < 0 || at(c) >= table.columns.size()) throw std::invalid_argument("no such column");
}

ChosenSplit choose(const CountedTable& table, const GrowSettings& settings, const NodeRows& rows,
                   const SampleFacts& facts, const Histogram& kept, std::span<const double> classes,
                   std::uint64_t seed, std::vector<std::int32_t> columns, Stop& stop) {
  Counter counter(table.columns, table.n_classes);
  ColumnSelector selector(settings, table.columns, counter, facts, stop);
  AtNode here{seed, classes, kept, columns};
  selector.select(here, rows);
  if (!here.split.found() || stop.requested()) {
    ChosenSplit none;
    none.columns = std::move(columns);
    return none;
  }
  const bool scales = settings.criterion->traits().scales_with_weight;
  const double worth =
      here.split.rank * (scales ? 1.0 : std::accumulate(classes.begin(), classes.end(), 0.0));
  return chosen_split(std::move(here.split), std::move(columns), worth, seed, table.columns.size());
}

}  // namespace

ChosenSplit chosen_split(Candidate split, std::vector<std::int32_t> columns, double worth,
                         std::uint64_t seed, std::size_t n_columns) {
  ChosenSplit chosen;
  chosen.columns = std::move(columns);
  chosen.kind = split.kind;
  chosen.column = split.column;
  chosen.last_left = split.last_left;
  chosen.n_children = split.n_children;
  chosen.missing_child = split.missing_child;
  chosen.score = split.score;
  chosen.high = split.high;
  chosen.worth = worth;
  chosen.values = std::move(split.values);
  chosen.children = std::move(split.children);
  for (std::int32_t c = 0; c < chosen.n_children; ++c)
    chosen.seeds.push_back(mix(seed, n_columns + 2 + at(c)));
  return chosen;
}

ChosenSplit choose_split(const CountedTable& table, const GrowSettings& settings,
                         std::span<const std::uint32_t> histogram, std::span<const double> classes,
                         std::uint64_t seed, std::vector<std::int32_t> columns, Stop& stop) {
  check_choice(table, settings, histogram.size(), classes, columns);
  NodeRows rows;
  rows.n_counted =
      static_cast<std::size_t>(std::accumulate(classes.begin(), classes.end(), 0.0));
  const Histogram kept(histogram.begin(), histogram.end());
  return choose(table, settings, rows, SampleFacts{}, kept, classes, seed, std::move(columns), stop);
}

ChosenSplit choose_split(const CountedTable& table, const GrowSettings& settings,
                         const WeighedHistogram& histogram, std::span<const double> classes,
                         std::uint64_t seed, std::vector<std::int32_t> columns, Stop& stop) {
  check_choice(table, settings, histogram.weights.size(), classes, columns);
  if (histogram.rows.size() != table.length)
    throw std::invalid_argument("a histogram does not fit the table");
  NodeRows rows;
  rows.n_counted = histogram.n_rows;
  rows.cell_weights = histogram.weights.data();
  rows.cell_rows = histogram.rows.data();
  SampleFacts facts;
  facts.whole_weights = histogram.whole_weights;
  return choose(table, settings, rows, facts, {}, classes, seed, std::move(columns), stop);
}

}  // namespace mixedwood
