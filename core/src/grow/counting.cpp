#include "counting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "../keys.hpp"

namespace mixedwood {
namespace {

// Cells per row of the node up to which all cells of a histogram are looked at, and up to which it
// is kept with the node: those must stay small beside the table itself.
constexpr std::size_t kDense = 4;
constexpr std::size_t kKept = 2;
// Cells up to which rows of small nodes are counted in place, and only the cells they touch read.
constexpr std::size_t kTouchable = std::size_t{1} << 18;
// Words of marks per row that are looked through in place of sorting the rows.
constexpr std::size_t kWordsPerRow = 8;
// Cells of a column with very few of them.
constexpr std::size_t kNarrow = 512;

// Cell (code + 1) * k + class: missing values have the first cells.
void count_into(std::uint32_t* counts, const NodeRows& node, const EncodedColumn& column,
                std::size_t n_classes, std::size_t width, bool buckets = true) {
  const auto k = static_cast<std::int64_t>(n_classes);
  const std::size_t n = node.size();
  const std::int32_t* rows = node.rows.data();
  const std::int32_t* classes = node.classes.data();
  const std::int32_t* codes = column.codes();
  const int bits = buckets ? column.bucket_bits() : 0;  // shifting keeps -1, which is missing
  const auto cell = [&](std::size_t i) {
    return (static_cast<std::int64_t>(codes[rows[i]] >> bits) + 1) * k + classes[i];
  };
  std::size_t i = 0;
  if (width <= kNarrow && n >= 4 * width) {
    // Few cells are hit again before the last hit is through; two tables in turn wait less.
    std::array<std::uint32_t, kNarrow> other{};
    for (; i + 1 < n; i += 2) {
      ++counts[cell(i)];
      ++other[at(cell(i + 1))];
    }
    for (std::size_t c = 0; c < width; ++c) counts[c] += other[c];
  }
  for (; i < n; ++i) ++counts[cell(i)];
}

}  // namespace

Counter::Counter(const std::vector<EncodedColumn>& columns, std::int32_t n_classes)
    : columns_(columns),
      n_classes_(static_cast<std::size_t>(n_classes)),
      by_width_(columns.size()),
      offset_(columns.size()) {
  std::iota(by_width_.begin(), by_width_.end(), 0);
  std::stable_sort(by_width_.begin(), by_width_.end(), [&](std::int32_t a, std::int32_t b) {
    return kept_width(static_cast<std::size_t>(a)) < kept_width(static_cast<std::size_t>(b));
  });
  std::size_t end = 0;
  for (std::int32_t c : by_width_) {
    offset_[at(c)] = end;
    end += kept_width(static_cast<std::size_t>(c));
  }
  full_length_ = end;
}

std::size_t Counter::kept_width(std::size_t column) const {
  return (columns_[column].n_buckets() + 1) * n_classes_;
}

std::size_t Counter::width(std::size_t column) const {
  return (static_cast<std::size_t>(columns_[column].n_values()) + 1) * n_classes_;
}

// Of the histogram that a node keeps, by its number of rows.
std::size_t Counter::length(std::size_t n_rows) const {
  std::size_t end = 0;
  for (std::int32_t c : by_width_) {
    const auto column = static_cast<std::size_t>(c);
    if (kept_width(column) > kKept * n_rows) break;
    end = offset_[column] + kept_width(column);
  }
  return end;
}

Histogram Counter::count(const NodeRows& node, std::span<const std::int32_t> columns,
                         std::size_t n_rows) const {
  Histogram histogram(length(n_rows), 0);
  for (std::int32_t c : columns) {
    const auto column = static_cast<std::size_t>(c);
    if (kept_width(column) > kKept * n_rows) continue;
    count_into(histogram.data() + offset_[column], node, columns_[column], n_classes_,
               kept_width(column));
  }
  return histogram;
}

void Counter::subtract(Histogram& parent, const Histogram& sibling, std::size_t n_rows) const {
  parent.resize(length(n_rows));
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] -= sibling[i];
}

void Counter::tabulate(const NodeRows& node, std::size_t column, const PresentClasses& present,
                       const Histogram& kept, ColumnCounts& table) {
  const auto n_values = static_cast<std::size_t>(columns_[column].n_values());
  table.start(present.classes.size(), std::min(n_values, node.size()));
  table.unit_rows = node.weights.empty() && node.cell_weights == nullptr;
  const bool dense = width(column) <= kDense * node.size();
  if (node.cell_weights != nullptr)
    from_weighed(node, column, present, table);
  else if (is_kept(column, kept) && (dense || node.n_counted > 0))
    from_histogram(kept.data() + offset_[column], column, present, table);
  else if (!dense && node.weights.empty() && width(column) <= kTouchable &&
           n_values / 64 <= kWordsPerRow * node.size())
    by_touching(node, column, present, table);
  else if (!dense)
    by_sorting(node, column, present, table);
  else if (node.weights.empty())
    from_histogram(count_one(node, column), column, present, table);
  else
    by_weight(node, column, present, table);
  table.finish();
}

void Counter::from_histogram(const std::uint32_t* counts, std::size_t column,
                             const PresentClasses& present, ColumnCounts& table) const {
  const std::size_t k = present.classes.size();
  for (std::size_t l = 0; l < k; ++l) {
    table.missing[l] = counts[present.classes[l]];
    table.missing_total += table.missing[l];
  }
  table.missing_rows = table.missing_total;
  const std::uint32_t* cell = counts + n_classes_;
  const bool all_present = k == n_classes_;
  for (std::int32_t value = 0; value < columns_[column].n_values(); ++value, cell += n_classes_) {
    std::uint32_t total = 0;
    for (std::size_t l = 0; l < n_classes_; ++l) total += cell[l];
    if (total == 0) continue;
    const std::size_t i = table.add(value);
    double* entry = table.entry_at(i);
    if (all_present)
      for (std::size_t l = 0; l < k; ++l) entry[l] = cell[l];
    else
      for (std::size_t l = 0; l < k; ++l) entry[l] = cell[present.classes[l]];
    table.totals[i] = table.rows[i] = total;
  }
}

void Counter::from_weighed(const NodeRows& node, std::size_t column,
                           const PresentClasses& present, ColumnCounts& table) const {
  const double* weights = node.cell_weights + offset_[column];
  const double* rows = node.cell_rows + offset_[column];
  for (std::int32_t value = -1; value < columns_[column].n_values();
       ++value, weights += n_classes_, rows += n_classes_) {
    double n_rows = 0.0;
    for (std::size_t l = 0; l < n_classes_; ++l) n_rows += rows[l];
    if (n_rows == 0.0) continue;
    const std::size_t i = value < 0 ? 0 : table.add(value);
    double* entry = value < 0 ? table.missing.data() : table.entry_at(i);
    double total = 0.0;
    for (std::size_t l = 0; l < present.classes.size(); ++l) {
      entry[l] = weights[present.classes[l]];
      total += entry[l];
    }
    (value < 0 ? table.missing_total : table.totals[i]) = total;
    (value < 0 ? table.missing_rows : table.rows[i]) = n_rows;
  }
}

const std::uint32_t* Counter::count_one(const NodeRows& node, std::size_t column) {
  counts_.assign(width(column), 0);
  count_into(counts_.data(), node, columns_[column], n_classes_, width(column), false);
  return counts_.data();
}

const std::uint32_t* Counter::cells(const NodeRows& node, std::size_t column,
                                    const Histogram& kept) {
  if (!node.weights.empty() || node.cell_weights != nullptr ||
      width(column) > kDense * node.size())
    return nullptr;
  if (is_kept(column, kept)) return kept.data() + offset_[column];
  return count_one(node, column);
}

const std::uint32_t* Counter::buckets(const NodeRows& node, std::size_t column,
                                      const Histogram& kept) {
  if (columns_[column].bucket_bits() == 0 || !node.weights.empty() ||
      kept_width(column) > kKept * node.size())
    return nullptr;
  if (offset_[column] + kept_width(column) <= kept.size()) return kept.data() + offset_[column];
  counts_.assign(kept_width(column), 0);
  count_into(counts_.data(), node, columns_[column], n_classes_, kept_width(column));
  return counts_.data();
}

// Value by value, not only in buckets.
bool Counter::is_kept(std::size_t column, const Histogram& kept) const {
  return columns_[column].bucket_bits() == 0 && offset_[column] + width(column) <= kept.size();
}

void Counter::by_touching(const NodeRows& node, std::size_t column, const PresentClasses& present,
                          ColumnCounts& table) {
  const std::int32_t* codes = columns_[column].codes();
  const std::size_t n_slots = width(column) / n_classes_, k = present.classes.size();
  if (touched_.size() < width(column)) touched_.resize(width(column), 0);
  marks_.resize(std::max(marks_.size(), n_slots / 64 + 1), 0);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const auto slot = static_cast<std::size_t>(codes[node.rows[i]] + 1);
    ++touched_[slot * n_classes_ + static_cast<std::size_t>(node.classes[i])];
    marks_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  for (std::size_t word = 0; word <= n_slots / 64; ++word) {
    for (std::uint64_t left = std::exchange(marks_[word], 0); left != 0; left &= left - 1) {
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t i = slot == 0 ? 0 : table.add(static_cast<std::int32_t>(slot) - 1);
      double* entry = slot == 0 ? table.missing.data() : table.entry_at(i);
      std::uint32_t* cell = touched_.data() + slot * n_classes_;
      double total = 0.0;
      for (std::size_t l = 0; l < k; ++l) {
        entry[l] = std::exchange(cell[present.classes[l]], 0);
        total += entry[l];
      }
      (slot == 0 ? table.missing_total : table.totals[i]) = total;
      (slot == 0 ? table.missing_rows : table.rows[i]) = total;
    }
  }
}

void Counter::by_weight(const NodeRows& node, std::size_t column, const PresentClasses& present,
                        ColumnCounts& table) {
  const std::int32_t* codes = columns_[column].codes();
  const auto n_slots = static_cast<std::size_t>(columns_[column].n_values()) + 1;
  weights_.assign(width(column), 0.0);
  rows_.assign(n_slots, 0);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const auto slot = static_cast<std::size_t>(codes[node.rows[i]] + 1);
    weights_[slot * n_classes_ + static_cast<std::size_t>(node.classes[i])] += node.weights[i];
    ++rows_[slot];
  }
  for (std::size_t slot = 0; slot < n_slots; ++slot) {
    if (rows_[slot] == 0) continue;
    const std::size_t i = slot == 0 ? 0 : table.add(static_cast<std::int32_t>(slot - 1));
    double* entry = slot == 0 ? table.missing.data() : table.entry_at(i);
    double total = 0.0;
    for (std::size_t l = 0; l < present.classes.size(); ++l) {
      entry[l] = weights_[slot * n_classes_ + static_cast<std::size_t>(present.classes[l])];
      total += entry[l];
    }
    (slot == 0 ? table.missing_total : table.totals[i]) = total;
    (slot == 0 ? table.missing_rows : table.rows[i]) = node.fractional ? total : rows_[slot];
  }
}

void Counter::by_sorting(const NodeRows& node, std::size_t column, const PresentClasses& present,
                         ColumnCounts& table) {
  const std::int32_t* codes = columns_[column].codes();
  keys_.resize(node.size());
  for (std::size_t i = 0; i < node.size(); ++i)
    keys_[i] = static_cast<std::uint64_t>(codes[node.rows[i]] + 1) << 32 | i;
  sort_keys(keys_, other_keys_, static_cast<std::uint64_t>(columns_[column].n_values()) + 1);
  std::uint64_t previous = 0;  // slot of missing values
  double* entry = table.missing.data();
  double* total = &table.missing_total;
  double* rows = &table.missing_rows;
  for (const std::uint64_t key : keys_) {
    const std::uint64_t slot = key >> 32;
    const auto i = static_cast<std::size_t>(key & 0xffffffffU);
    if (slot != previous) {
      const std::size_t value = table.add(static_cast<std::int32_t>(slot) - 1);
      entry = table.entry_at(value);
      total = &table.totals[value];
      rows = &table.rows[value];
      previous = slot;
    }
    const double weight = node.weight(i);
    entry[present.position[at(node.classes[i])]] += weight;
    *total += weight;
    *rows += node.fractional ? weight : 1.0;
  }
}

}  // namespace mixedwood
