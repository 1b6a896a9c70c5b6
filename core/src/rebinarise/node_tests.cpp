#include "node_tests.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace mixedwood::rebinarise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int32_t kLastCode = std::numeric_limits<std::int32_t>::max();

}  // namespace

NodeTests::NodeTests(const NodeTable& table, const RebinariseSettings& settings)
    : table_(table), settings_(settings), yes_(table.n_classes) {
  std::int32_t most = 0;
  for (const NodeColumn& column : table.columns) most = std::max(most, column.n_codes);
  occurs_.assign(static_cast<std::size_t>(most) / 64 + 1, 0);
  group_of_code_.assign(static_cast<std::size_t>(most), 0);
  seen_.assign(table.n_classes, 0);
}

void NodeTests::each(std::span<const std::int32_t> rows, Stop& stop, const Visit& visit) {
  n_here_ = static_cast<std::int64_t>(rows.size());
  stop_ = &stop;
  for (std::size_t c = 0; c < table_.columns.size(); ++c) {
    if (stop.requested(2 * n_here_)) throw Stopped{};
    const NodeColumn& column = table_.columns[c];
    find_values(column, rows);
    if (column.kind == NodeColumn::Kind::kCutHere) cut_values(column, rows);
    add_up(column, rows);
    const auto place = static_cast<std::int32_t>(c);
    const std::size_t n_classes = table_.n_classes;
    sums_.resize((n_groups_ + 1) * n_classes);
    std::fill_n(sums_.begin(), n_classes, 0);
    for (std::size_t i = 0; i < n_groups_ * n_classes; ++i)
      sums_[i + n_classes] = sums_[i] + weights_[i];
    row_sums_.assign(1, 0);
    excess_sums_.assign(1, 0);
    for (std::size_t g = 0; g < n_groups_; ++g) {
      row_sums_.push_back(row_sums_[g] + rows_[g]);
      excess_sums_.push_back(excess_sums_[g] + excess_[g]);
    }
    const bool subsets = settings_.encoding == Encoding::kSubsets &&
                         column.kind == NodeColumn::Kind::kNominal && n_groups_ > 2 &&
                         n_groups_ <= settings_.max_subset_values;
    subsets ? each_subset(place, visit) : each_window(place, visit);
    if (n_known_ > 0 && n_known_ < n_here_) look_known(place, visit);
  }
}

// One group for each code that occurs, ascending.
void NodeTests::find_values(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::int32_t* codes = column.codes.data();
  for (const std::int32_t row : rows) {
    const std::int32_t code = codes[row];
    if (code >= 0) occurs_[static_cast<std::size_t>(code) / 64] |= std::uint64_t{1} << (code % 64);
  }
  last_code_.clear();
  upper_end_.clear();
  for (std::size_t word = 0; word <= static_cast<std::size_t>(column.n_codes) / 64; ++word) {
    for (std::uint64_t left = occurs_[word]; left != 0; left &= left - 1) {
      const std::size_t code = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      group_of_code_[code] = static_cast<std::int32_t>(last_code_.size());
      last_code_.push_back(static_cast<std::int32_t>(code));
      upper_end_.push_back(column.numbers[code]);
    }
    occurs_[word] = 0;
  }
  n_groups_ = last_code_.size();
}

// Ranges in place of values; ranges without a value are left out.
void NodeTests::cut_values(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::int32_t* codes = column.codes.data();
  const std::size_t n_values = n_groups_;
  counts_.assign(n_values, 0);
  for (const std::int32_t row : rows)
    if (codes[row] >= 0)
      ++counts_[static_cast<std::size_t>(group_of_code_[static_cast<std::size_t>(codes[row])])];
  entries_.clear();
  offset_.clear();
  if (looks_at_classes(settings_.rule)) find_entries(column, rows);
  values_ = upper_end_;
  const ValueCounts seen{values_, counts_, entries_, offset_, table_.n_classes};
  discretizer_.find(settings_.rule, seen, column.n_bins, cuts_);
  std::size_t made = 0, begin = 0;
  for (std::size_t i = 0; i <= cuts_.size() && begin < n_values; ++i) {
    const std::size_t end = i < cuts_.size() ? cuts_[i].after : n_values;
    if (end == begin) continue;
    for (; begin < end; ++begin)
      group_of_code_[static_cast<std::size_t>(last_code_[begin])] = static_cast<std::int32_t>(made);
    // Never overtakes the values that are still to be read: there are no more ranges than values.
    last_code_[made] = last_code_[end - 1];
    upper_end_[made] = i < cuts_.size() ? cuts_[i].at : kInfinity;
    ++made;
  }
  n_groups_ = made;
}

// Classes of the rows with each value: rows are put in the order of values, then counted.
void NodeTests::find_entries(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::int32_t* codes = column.codes.data();
  offset_.assign(n_groups_ + 1, 0);
  for (std::size_t v = 0; v < n_groups_; ++v) offset_[v + 1] = offset_[v] + counts_[v];
  by_value_.resize(static_cast<std::size_t>(offset_.back()));
  for (const std::int32_t row : rows) {
    if (codes[row] < 0) continue;
    const auto v =
        static_cast<std::size_t>(group_of_code_[static_cast<std::size_t>(codes[row])]);
    by_value_[static_cast<std::size_t>(offset_[v]++)] =
        table_.classes[static_cast<std::size_t>(row)];
  }
  std::size_t at = 0;
  for (std::size_t v = 0; v < n_groups_; ++v) {
    const auto end = static_cast<std::size_t>(offset_[v]);
    const std::size_t first = entries_.size();
    for (; at < end; ++at) {
      const auto k = static_cast<std::size_t>(by_value_[at]);
      if (seen_[k]++ == 0) entries_.push_back({by_value_[at], 0});
    }
    for (std::size_t e = first; e < entries_.size(); ++e)
      std::swap(entries_[e].count, seen_[static_cast<std::size_t>(entries_[e].of_class)]);
    offset_[v] = static_cast<std::int32_t>(first);
  }
  offset_[n_groups_] = static_cast<std::int32_t>(entries_.size());
}

void NodeTests::add_up(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::size_t n_classes = table_.n_classes;
  const std::int32_t* codes = column.codes.data();
  weights_.assign(n_groups_ * n_classes, 0);
  rows_.assign(n_groups_, 0);
  excess_.assign(n_groups_, 0);
  n_known_ = 0;
  for (const std::int32_t row : rows) {
    const std::int32_t code = codes[row];
    if (code < 0) continue;
    const auto group = static_cast<std::size_t>(group_of_code_[static_cast<std::size_t>(code)]);
    const auto r = static_cast<std::size_t>(row);
    weights_[group * n_classes + static_cast<std::size_t>(table_.classes[r])] += table_.weights[r];
    ++rows_[group];
    excess_[group] += table_.excess[r];
    ++n_known_;
  }
}

// Where no value is missing, a window and what is left without it are one test, asked once.
void NodeTests::each_window(std::int32_t column, const Visit& visit) {
  const std::size_t m = n_groups_;
  if (m < 2) return;
  const bool both = n_known_ < n_here_;
  const bool nominal =
      table_.columns[static_cast<std::size_t>(column)].kind == NodeColumn::Kind::kNominal;
  const Encoding encoding = settings_.encoding;
  if (!nominal && (encoding == Encoding::kThresholds || encoding == Encoding::kSubsets)) {
    for (std::size_t last = 0; last + 1 < m; ++last) look(column, 0, last, visit);
    if (both)
      for (std::size_t first = 1; first < m; ++first) look(column, first, m - 1, visit);
    return;
  }
  for (std::size_t g = 0; g < (m == 2 && !both ? 1 : m); ++g) look(column, g, g, visit);
  if (nominal || encoding != Encoding::kMultiHot) return;
  for (std::size_t length = 2; length + (both ? 0 : 1) < m; ++length) {
    if (stop_->requested(static_cast<std::int64_t>(m * table_.n_classes))) throw Stopped{};
    for (std::size_t first = 0; first + length < m + (both ? 1 : 0); ++first)
      look(column, first, first + length - 1, visit);
  }
}

void NodeTests::each_subset(std::int32_t column, const Visit& visit) {
  const std::size_t m = n_groups_, n_classes = table_.n_classes;
  const bool both = n_known_ < n_here_;
  const std::uint32_t end = (std::uint32_t{1} << (both ? m : m - 1)) - (both ? 1 : 0);
  for (std::uint32_t mask = 1; mask < end; ++mask) {
    std::fill(yes_.begin(), yes_.end(), 0);
    std::int64_t rows = 0, excess = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto g = static_cast<std::size_t>(std::countr_zero(left));
      rows += rows_[g];
      excess += excess_[g];
      for (std::size_t k = 0; k < n_classes; ++k) yes_[k] += weights_[g * n_classes + k];
    }
    visit({column, -1, -1, mask, -kInfinity, kInfinity, yes_, rows, excess});
  }
}

void NodeTests::look(std::int32_t column, std::size_t first, std::size_t last, const Visit& visit) {
  const std::size_t n_classes = table_.n_classes;
  for (std::size_t k = 0; k < n_classes; ++k)
    yes_[k] = sums_[(last + 1) * n_classes + k] - sums_[first * n_classes + k];
  const std::int64_t rows = row_sums_[last + 1] - row_sums_[first];
  const std::int64_t excess = excess_sums_[last + 1] - excess_sums_[first];
  if (table_.columns[static_cast<std::size_t>(column)].kind == NodeColumn::Kind::kNominal) {
    const std::int32_t code = last_code_[first];  // one value: neighbours mean nothing
    visit({column, code - 1, code, 0, -kInfinity, kInfinity, yes_, rows, excess});
    return;
  }
  // Values between two groups, which no row here has, go with the upper one.
  visit({column, first == 0 ? -1 : last_code_[first - 1],
         last + 1 == n_groups_ ? kLastCode : last_code_[last], 0,
         first == 0 ? -kInfinity : upper_end_[first - 1],
         last + 1 == n_groups_ ? kInfinity : upper_end_[last], yes_, rows, excess});
}

void NodeTests::look_known(std::int32_t column, const Visit& visit) {
  const std::size_t n_classes = table_.n_classes;
  for (std::size_t k = 0; k < n_classes; ++k) yes_[k] = sums_[n_groups_ * n_classes + k];
  visit({column, -1, kLastCode, 0, -kInfinity, kInfinity, yes_, n_known_, excess_sums_[n_groups_]});
}

NodeTest NodeTests::kept(const SeenTest& seen) const {
  NodeTest test{seen.column, seen.after, seen.upto, {}, seen.low, seen.high};
  for (std::uint32_t left = seen.mask; left != 0; left &= left - 1)
    test.values.push_back(last_code_[static_cast<std::size_t>(std::countr_zero(left))]);
  const bool nominal =
      table_.columns[static_cast<std::size_t>(seen.column)].kind == NodeColumn::Kind::kNominal;
  if (nominal && seen.mask == 0 && seen.upto != kLastCode) test.values.push_back(seen.upto);
  return test;
}

}  // namespace mixedwood::rebinarise
