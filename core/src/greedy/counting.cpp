#include "counting.hpp"

#include <algorithm>
#include <numeric>

namespace mixedwood {
namespace {

// Cells per row of the node up to which a histogram is cheaper than sorting, and up to which it is
// kept: kept ones must stay small beside the table itself.
constexpr std::size_t kDense = 8;

// Cell (code + 1) * k + class: missing values have the first cells.
void count_into(std::uint32_t* counts, const NodeRows& node, const std::int32_t* codes,
                std::size_t n_classes) {
  const auto k = static_cast<std::int64_t>(n_classes);
  const std::size_t n = node.size();
  const std::int32_t* rows = node.rows.data();
  const std::int32_t* classes = node.classes.data();
  for (std::size_t i = 0; i < n; ++i)
    ++counts[(static_cast<std::int64_t>(codes[rows[i]]) + 1) * k + classes[i]];
}

}  // namespace

Counter::Counter(const std::vector<CodedColumn>& columns, std::int32_t n_classes)
    : columns_(columns),
      n_classes_(static_cast<std::size_t>(n_classes)),
      by_width_(columns.size()),
      offset_(columns.size()) {
  std::iota(by_width_.begin(), by_width_.end(), 0);
  std::stable_sort(by_width_.begin(), by_width_.end(), [&](std::int32_t a, std::int32_t b) {
    return width(static_cast<std::size_t>(a)) < width(static_cast<std::size_t>(b));
  });
  std::size_t end = 0;
  for (std::int32_t c : by_width_) {
    offset_[static_cast<std::size_t>(c)] = end;
    end += width(static_cast<std::size_t>(c));
  }
}

std::size_t Counter::width(std::size_t column) const {
  return (static_cast<std::size_t>(columns_[column].n_values()) + 1) * n_classes_;
}

// Of the histogram that a node of so many rows keeps.
std::size_t Counter::length(std::size_t n_rows) const {
  std::size_t end = 0;
  for (std::int32_t c : by_width_) {
    const auto column = static_cast<std::size_t>(c);
    if (width(column) > n_rows) break;
    end = offset_[column] + width(column);
  }
  return end;
}

Histogram Counter::count(const NodeRows& node, std::span<const std::int32_t> columns,
                         std::size_t n_rows) const {
  Histogram histogram(length(n_rows), 0);
  for (std::int32_t c : columns) {
    const auto column = static_cast<std::size_t>(c);
    if (width(column) > n_rows) continue;
    count_into(histogram.data() + offset_[column], node, columns_[column].codes(), n_classes_);
  }
  return histogram;
}

void Counter::subtract(Histogram& parent, const Histogram& sibling, std::size_t n_rows) const {
  parent.resize(length(n_rows));
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] -= sibling[i];
}

void Counter::tabulate(const NodeRows& node, std::size_t column, const PresentClasses& present,
                       const Histogram& kept, ValueTable& table) {
  const auto n_values = static_cast<std::size_t>(columns_[column].n_values());
  table.start(present.classes.size(), std::min(n_values, node.size()));
  const bool dense = width(column) <= kDense * node.size();
  if (offset_[column] + width(column) <= kept.size() && dense)
    from_histogram(kept.data() + offset_[column], column, present, table);
  else if (!dense)
    by_sorting(node, column, present, table);
  else if (node.weights.empty())
    from_scratch(node, column, present, table);
  else
    by_weight(node, column, present, table);
  table.finish();
}

void Counter::from_histogram(const std::uint32_t* counts, std::size_t column,
                             const PresentClasses& present, ValueTable& table) const {
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

void Counter::from_scratch(const NodeRows& node, std::size_t column,
                           const PresentClasses& present, ValueTable& table) {
  counts_.assign(width(column), 0);
  count_into(counts_.data(), node, columns_[column].codes(), n_classes_);
  from_histogram(counts_.data(), column, present, table);
}

void Counter::by_weight(const NodeRows& node, std::size_t column, const PresentClasses& present,
                        ValueTable& table) {
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
                         ValueTable& table) {
  const std::int32_t* codes = columns_[column].codes();
  keys_.resize(node.size());
  for (std::size_t i = 0; i < node.size(); ++i)
    keys_[i] = static_cast<std::uint64_t>(codes[node.rows[i]] + 1) << 32 | i;
  std::sort(keys_.begin(), keys_.end());
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
    const double weight = node.weights.empty() ? 1.0 : node.weights[i];
    entry[present.position[static_cast<std::size_t>(node.classes[i])]] += weight;
    *total += weight;
    *rows += node.fractional ? weight : 1.0;
  }
}

}  // namespace mixedwood
