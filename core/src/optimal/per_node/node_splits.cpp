#include "node_splits.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace mixedwood::optimal::per_node {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr std::int32_t kLastCode = std::numeric_limits<std::int32_t>::max();

}  // namespace

NodeSplits::NodeSplits(const NodeTable& table, const BinarizerSettings& settings)
    : table_(table), settings_(settings), true_(table.n_classes) {
  std::int32_t most = 0;
  for (const NodeColumn& column : table.columns) most = std::max(most, column.n_codes);
  occurs_.assign(to_size(most) / 64 + 1, 0);
  group_of_code_.assign(to_size(most), 0);
  seen_.assign(table.n_classes, 0);
}

void NodeSplits::each(std::span<const std::int32_t> rows, std::int32_t depth, Stop& stop,
                      const Visit& visit) {
  n_here_ = static_cast<std::int64_t>(rows.size());
  at_root_thresholds_ =
      n_here_ < settings_.min_samples_binarize ||
      (settings_.max_depth_binarize && depth > *settings_.max_depth_binarize);
  stop_ = &stop;
  for (std::size_t c = 0; c < table_.columns.size(); ++c) {
    if (stop.requested(2 * n_here_)) throw Stopped{};
    const NodeColumn& column = table_.columns[c];
    find_values(column, rows);
    if (column.kind == NodeColumn::Kind::kDiscretize) discretize(column, rows);
    add_weights(column, rows);
    const auto place = static_cast<std::int32_t>(c);
    const std::size_t n_classes = table_.n_classes;
    sums_.resize((n_groups_ + 1) * n_classes);
    std::fill_n(sums_.begin(), n_classes, 0);
    for (std::size_t i = 0; i < n_groups_ * n_classes; ++i)
      sums_[i + n_classes] = sums_[i] + weights_[i];
    row_sums_.assign(1, 0);
    unavoidable_sums_.assign(1, 0);
    for (std::size_t g = 0; g < n_groups_; ++g) {
      row_sums_.push_back(row_sums_[g] + rows_[g]);
      unavoidable_sums_.push_back(unavoidable_sums_[g] + unavoidable_[g]);
    }
    const bool subsets = settings_.encoding == Encoding::kSubsets &&
                         column.kind == NodeColumn::Kind::kNominal && n_groups_ > 2 &&
                         n_groups_ <= settings_.max_subset_values;
    subsets ? each_subset(place, visit) : each_window(place, visit);
    if (n_known_ > 0 && n_known_ < n_here_) visit_known(place, visit);
  }
}

// One group for each code that occurs, ascending.
void NodeSplits::find_values(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::int32_t* codes = column.codes.data();
  for (const std::int32_t row : rows) {
    const std::int32_t code = codes[row];
    if (code >= 0) occurs_[to_size(code) / 64] |= std::uint64_t{1} << (code % 64);
  }
  last_code_.clear();
  upper_end_.clear();
  for (std::size_t word = 0; word <= to_size(column.n_codes) / 64; ++word) {
    for (std::uint64_t left = occurs_[word]; left != 0; left &= left - 1) {
      const std::size_t code = word * 64 + to_size(std::countr_zero(left));
      group_of_code_[code] = static_cast<std::int32_t>(last_code_.size());
      last_code_.push_back(static_cast<std::int32_t>(code));
      upper_end_.push_back(column.numbers[code]);
    }
    occurs_[word] = 0;
  }
  n_groups_ = last_code_.size();
}

// Ranges in place of values; ranges without a value are left out.
void NodeSplits::discretize(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::int32_t* codes = column.codes.data();
  const std::size_t n_values = n_groups_;
  if (at_root_thresholds_) {
    cuts_.clear();
    for (const double at : column.root_thresholds) {
      const auto above = std::upper_bound(upper_end_.begin(), upper_end_.end(), at);
      cuts_.push_back({at, to_size(above - upper_end_.begin())});
    }
  } else {
    counts_.assign(n_values, 0);
    for (const std::int32_t row : rows)
      if (codes[row] >= 0) ++counts_[to_size(group_of_code_[to_size(codes[row])])];
    entries_.clear();
    offset_.clear();
    if (looks_at_classes(settings_.rule)) count_classes(column, rows);
    values_ = upper_end_;
    const ValueCounts seen{values_, counts_, entries_, offset_, table_.n_classes};
    discretizer_.find(settings_.rule, seen, column.n_bins, cuts_);
  }
  std::size_t made = 0, begin = 0;
  for (std::size_t i = 0; i <= cuts_.size() && begin < n_values; ++i) {
    const std::size_t end = i < cuts_.size() ? cuts_[i].after : n_values;
    if (end == begin) continue;
    for (; begin < end; ++begin)
      group_of_code_[to_size(last_code_[begin])] = static_cast<std::int32_t>(made);
    // In place: there are no more ranges than values.
    last_code_[made] = last_code_[end - 1];
    upper_end_[made] = i < cuts_.size() ? cuts_[i].at : kUnbounded;
    ++made;
  }
  n_groups_ = made;
}

// Classes of the rows with each value: rows are put in the order of values, then counted.
void NodeSplits::count_classes(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::int32_t* codes = column.codes.data();
  offset_.assign(n_groups_ + 1, 0);
  for (std::size_t v = 0; v < n_groups_; ++v) offset_[v + 1] = offset_[v] + counts_[v];
  by_value_.resize(to_size(offset_.back()));
  for (const std::int32_t row : rows) {
    if (codes[row] < 0) continue;
    const auto v = to_size(group_of_code_[to_size(codes[row])]);
    by_value_[to_size(offset_[v]++)] = table_.classes[to_size(row)];
  }
  std::size_t at = 0;
  for (std::size_t v = 0; v < n_groups_; ++v) {
    const auto end = to_size(offset_[v]);
    const std::size_t first = entries_.size();
    for (; at < end; ++at) {
      const auto k = to_size(by_value_[at]);
      if (seen_[k]++ == 0) entries_.push_back({by_value_[at], 0});
    }
    for (std::size_t e = first; e < entries_.size(); ++e)
      std::swap(entries_[e].count, seen_[to_size(entries_[e].of_class)]);
    offset_[v] = static_cast<std::int32_t>(first);
  }
  offset_[n_groups_] = static_cast<std::int32_t>(entries_.size());
}

void NodeSplits::add_weights(const NodeColumn& column, std::span<const std::int32_t> rows) {
  const std::size_t n_classes = table_.n_classes;
  const std::int32_t* codes = column.codes.data();
  weights_.assign(n_groups_ * n_classes, 0);
  rows_.assign(n_groups_, 0);
  unavoidable_.assign(n_groups_, 0);
  n_known_ = 0;
  for (const std::int32_t row : rows) {
    const std::int32_t code = codes[row];
    if (code < 0) continue;
    const auto group = to_size(group_of_code_[to_size(code)]);
    const auto r = to_size(row);
    table_.add_weight(r, weights_.data() + group * n_classes);
    ++rows_[group];
    unavoidable_[group] += table_.unavoidable[r];
    ++n_known_;
  }
}

// If no value is missing, a window and its complement are one split, which is visited once.
void NodeSplits::each_window(std::int32_t column, const Visit& visit) {
  const std::size_t m = n_groups_;
  if (m < 2) return;
  const bool both = n_known_ < n_here_;
  const bool nominal = table_.columns[to_size(column)].kind == NodeColumn::Kind::kNominal;
  const Encoding encoding = settings_.encoding;
  if (!nominal && (encoding == Encoding::kThresholds || encoding == Encoding::kSubsets)) {
    for (std::size_t last = 0; last + 1 < m; ++last)
      if (is_wide_enough(last + 1)) visit_window(column, 0, last, visit);
    if (both)
      for (std::size_t first = 1; first < m; ++first)
        if (is_wide_enough(m - first)) visit_window(column, first, m - 1, visit);
    return;
  }
  if (nominal || is_wide_enough(1))
    for (std::size_t g = 0; g < (m == 2 && !both ? 1 : m); ++g) visit_window(column, g, g, visit);
  if (nominal || encoding != Encoding::kMultiHot) return;
  for (std::size_t length = 2; length + (both ? 0 : 1) < m; ++length) {
    if (!is_wide_enough(length)) continue;
    if (stop_->requested(static_cast<std::int64_t>(m * table_.n_classes))) throw Stopped{};
    for (std::size_t first = 0; first + length < m + (both ? 1 : 0); ++first)
      visit_window(column, first, first + length - 1, visit);
  }
}

void NodeSplits::each_subset(std::int32_t column, const Visit& visit) {
  const std::size_t m = n_groups_, n_classes = table_.n_classes;
  const bool both = n_known_ < n_here_;
  const std::uint32_t end = (std::uint32_t{1} << (both ? m : m - 1)) - (both ? 1 : 0);
  for (std::uint32_t mask = 1; mask < end; ++mask) {
    std::fill(true_.begin(), true_.end(), 0);
    std::int64_t rows = 0, unavoidable = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto g = to_size(std::countr_zero(left));
      rows += rows_[g];
      unavoidable += unavoidable_[g];
      for (std::size_t k = 0; k < n_classes; ++k) true_[k] += weights_[g * n_classes + k];
    }
    visit({column, -1, -1, mask, -kUnbounded, kUnbounded, true_, rows, unavoidable});
  }
}

void NodeSplits::visit_window(std::int32_t column, std::size_t first, std::size_t last, const Visit& visit) {
  const std::size_t n_classes = table_.n_classes;
  for (std::size_t k = 0; k < n_classes; ++k)
    true_[k] = sums_[(last + 1) * n_classes + k] - sums_[first * n_classes + k];
  const std::int64_t rows = row_sums_[last + 1] - row_sums_[first];
  const std::int64_t unavoidable = unavoidable_sums_[last + 1] - unavoidable_sums_[first];
  if (table_.columns[to_size(column)].kind == NodeColumn::Kind::kNominal) {
    const std::int32_t code = last_code_[first];  // one value: neighbors have no meaning
    visit({column, code - 1, code, 0, -kUnbounded, kUnbounded, true_, rows, unavoidable});
    return;
  }
  // Values between two groups, which no row here has, go with the upper one.
  visit({column, first == 0 ? -1 : last_code_[first - 1],
         last + 1 == n_groups_ ? kLastCode : last_code_[last], 0,
         first == 0 ? -kUnbounded : upper_end_[first - 1],
         last + 1 == n_groups_ ? kUnbounded : upper_end_[last], true_, rows, unavoidable});
}

void NodeSplits::visit_known(std::int32_t column, const Visit& visit) {
  const std::size_t n_classes = table_.n_classes;
  for (std::size_t k = 0; k < n_classes; ++k) true_[k] = sums_[n_groups_ * n_classes + k];
  visit({column, -1, kLastCode, 0, -kUnbounded, kUnbounded, true_, n_known_, unavoidable_sums_[n_groups_]});
}

NodeSplit NodeSplits::kept(const CandidateView& seen) const {
  NodeSplit split{seen.column, seen.after, seen.upto, {}, seen.low, seen.high};
  for (std::uint32_t left = seen.mask; left != 0; left &= left - 1)
    split.values.push_back(last_code_[to_size(std::countr_zero(left))]);
  const bool nominal = table_.columns[to_size(seen.column)].kind == NodeColumn::Kind::kNominal;
  if (nominal && seen.mask == 0 && seen.upto != kLastCode) split.values.push_back(seen.upto);
  return split;
}

}  // namespace mixedwood::optimal::per_node
