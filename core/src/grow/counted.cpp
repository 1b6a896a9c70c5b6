#include "mixedwood/counted.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
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

void add_counts(const CountedTable& table, std::span<const std::int32_t* const> codes,
                std::span<const std::int32_t> classes, std::span<const std::int32_t> slots,
                std::span<std::uint32_t> histograms) {
  if (codes.size() != table.columns.size() || classes.size() != slots.size())
    throw std::invalid_argument("columns, classes and slots do not fit together");
  const auto n_slots = static_cast<std::int64_t>(table.length ? histograms.size() / table.length : 0);
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i] < 0 || classes[i] >= table.n_classes || slots[i] >= n_slots)
      throw std::invalid_argument("a class or slot is out of range");
  const auto k = static_cast<std::size_t>(table.n_classes);
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const std::int32_t n_values = table.columns[c].n_values();
    std::uint32_t* cells = histograms.data() + table.offset[c];
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (slots[i] < 0) continue;
      const std::int32_t code = codes[c][i];
      if (code < -1 || code >= n_values)
        throw std::invalid_argument("a code is not one of its column's values");
      ++cells[at(slots[i]) * table.length + at(code + 1) * k + at(classes[i])];
    }
  }
}

ChosenSplit choose_split(const CountedTable& table, const GrowSettings& settings,
                         std::span<const std::uint32_t> histogram, std::span<const double> classes,
                         std::uint64_t seed, std::vector<std::int32_t> columns, Stop& stop) {
  if (settings.criterion == nullptr || settings.partitioner == nullptr)
    throw std::invalid_argument("a criterion and a partitioner are needed");
  if (settings.rules != Rules::kParts || settings.selection == Selection::kAverageGain ||
      settings.fractional() || settings.linear != nullptr || !settings.split_costs.empty())
    throw std::invalid_argument("these settings need the rows of the table");
  if (settings.partitioner->traits.many_groups && !settings.criterion->traits().many_groups)
    throw std::invalid_argument(
        "partitioner='multiway' and 'c45_groups' make more than two groups, but the criterion scores "
        "two groups. Use a criterion for many groups ('gini', 'entropy', 'gain_ratio'), or another "
        "partitioner.");
  if (histogram.size() != table.length || classes.size() != at(table.n_classes))
    throw std::invalid_argument("a histogram does not fit the table");
  for (const std::int32_t c : columns)
    if (c < 0 || at(c) >= table.columns.size()) throw std::invalid_argument("no such column");
  NodeRows rows;
  rows.n_counted =
      static_cast<std::size_t>(std::accumulate(classes.begin(), classes.end(), 0.0));
  Counter counter(table.columns, table.n_classes);
  ColumnSelector selector(settings, table.columns, counter, SampleFacts{}, stop);
  const Histogram kept(histogram.begin(), histogram.end());
  AtNode here{seed, classes, kept, columns};
  selector.select(here, rows);
  ChosenSplit chosen;
  chosen.columns = std::move(columns);
  Candidate& split = here.split;
  if (!split.found() || stop.requested()) return chosen;
  chosen.kind = split.kind;
  chosen.column = split.column;
  chosen.last_left = split.last_left;
  chosen.n_children = split.n_children;
  chosen.missing_child = split.missing_child;
  chosen.score = split.score;
  chosen.high = split.high;
  chosen.worth = split.rank * (settings.criterion->traits().scales_with_weight
                                   ? 1.0
                                   : static_cast<double>(rows.n_counted));
  chosen.values = std::move(split.values);
  chosen.children = std::move(split.children);
  for (std::int32_t c = 0; c < chosen.n_children; ++c)
    chosen.seeds.push_back(mix(seed, table.columns.size() + 2 + at(c)));
  return chosen;
}

}  // namespace mixedwood
