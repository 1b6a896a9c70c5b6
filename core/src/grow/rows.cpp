#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../keys.hpp"

namespace mixedwood {
namespace {

constexpr double kLeastShare = 1e-6;  // branches that got less get no part of a row, as in WEKA
// Rows of a node below which putting them in order saves nothing.
constexpr std::size_t kFewRows = 4 * BlockCounts::kBlock;

}  // namespace

RowStore::RowStore(const GrowData& data, bool shared_out) : shared_out_(shared_out) {
  const std::size_t n = data.rows.empty() && data.starts.empty() ? data.classes.size() : data.rows.size();
  rows_.reserve(n);
  classes_.reserve(n);
  std::size_t next = 1;  // start
  for (std::size_t i = 0; i < n; ++i) {
    for (; next < data.starts.size() && data.starts[next] == static_cast<std::int64_t>(i); ++next)
      starts_.push_back(rows_.size());
    add(data, data.rows.empty() ? i : static_cast<std::size_t>(data.rows[i]));
  }
  for (; next < std::max<std::size_t>(data.starts.size(), 2); ++next) starts_.push_back(rows_.size());
  if (shared_out_ && weights_.empty()) weights_.assign(rows_.size(), 1.0);
}

void RowStore::add(const GrowData& data, std::size_t row) {
  if (!data.weights.empty() && !(data.weights[row] > 0.0)) return;
  rows_.push_back(static_cast<std::int32_t>(row));
  classes_.push_back(data.classes[row]);
  if (!data.weights.empty()) weights_.push_back(data.weights[row]);
}

std::vector<RowSet> RowStore::starts() const {
  std::vector<RowSet> sets(starts_.size() - 1);
  for (std::size_t t = 0; t < sets.size(); ++t) {
    sets[t].begin = starts_[t];
    sets[t].end = starts_[t + 1];
    if (!shared_out_) continue;
    const auto part = [&](const auto& all) {
      return std::vector(all.begin() + static_cast<std::ptrdiff_t>(starts_[t]),
                         all.begin() + static_cast<std::ptrdiff_t>(starts_[t + 1]));
    };
    sets[t].rows = part(rows_);
    sets[t].classes = part(classes_);
    sets[t].weights = part(weights_);
    sets[t].begin = 0;
    sets[t].end = sets[t].rows.size();
  }
  return sets;
}

bool RowStore::whole_weights() const {
  return std::all_of(weights_.begin(), weights_.end(),
                     [](double weight) { return weight == std::floor(weight); });
}

double RowStore::mean_weight() const {
  if (weights_.empty()) return 1.0;
  return std::accumulate(weights_.begin(), weights_.end(), 0.0) /
         static_cast<double>(weights_.size());
}

double RowStore::copies() const {
  double squares = 0.0;
  for (std::size_t i = 0; i < rows_.size();) {
    std::size_t end = i + 1;
    while (end < rows_.size() && rows_[end] == rows_[i]) ++end;
    squares += static_cast<double>((end - i) * (end - i));
    i = end;
  }
  return rows_.empty() ? 1.0 : squares / static_cast<double>(rows_.size());
}

NodeRows RowStore::view(const RowSet& set) const {
  if (shared_out_) return {set.rows, set.classes, set.weights};
  const std::size_t n = set.end - set.begin;
  NodeRows node{std::span(rows_).subspan(set.begin, n), std::span(classes_).subspan(set.begin, n),
                {}};
  if (!weights_.empty()) node.weights = std::span(weights_).subspan(set.begin, n);
  node.begin = set.begin;
  if (set.in_order) node.blocks = &blocks_;
  return node;
}

bool RowStore::put_in_order(RowSet& set, const EncodedColumn& column, std::size_t n_classes) {
  const std::size_t n = set.end - set.begin;
  if (!in_place() || !unit_weights() || n < kFewRows || !BlockCounts::worth_it(n_classes))
    return false;
  keys_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t code = column.codes()[rows_[set.begin + i]];
    if (code < 0) return false;
    keys_[i] = static_cast<std::uint64_t>(code) << 32 | i;
  }
  sort_keys(keys_, other_keys_, static_cast<std::uint64_t>(column.n_values()));
  const auto start = static_cast<std::ptrdiff_t>(set.begin), count = static_cast<std::ptrdiff_t>(n);
  other_rows_.assign(rows_.begin() + start, rows_.begin() + start + count);
  other_classes_.assign(classes_.begin() + start, classes_.begin() + start + count);
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(keys_[i] & 0xffffffffU);
    rows_[set.begin + i] = other_rows_[from];
    classes_[set.begin + i] = other_classes_[from];
  }
  blocks_.lay(set.begin, std::span(classes_).subspan(set.begin, n), rows_.size(), n_classes);
  set.in_order = true;
  return true;
}

std::vector<RowSet> RowStore::cut_at(const RowSet& set, const std::int32_t* codes,
                                     std::int32_t last_left) const {
  const auto start = rows_.begin() + static_cast<std::ptrdiff_t>(set.begin);
  const auto middle = std::partition_point(
      start, rows_.begin() + static_cast<std::ptrdiff_t>(set.end),
      [&](std::int32_t row) { return codes[row] <= last_left; });
  std::vector<RowSet> parts(2, set);
  parts[0].end = parts[1].begin = set.begin + static_cast<std::size_t>(middle - start);
  return parts;
}

// One pass: the left ones move up, the right ones wait aside.
template <typename GoesRight>
std::vector<RowSet> RowStore::partition_in_two(const RowSet& set, GoesRight goes_right) {
  const std::size_t n = set.end - set.begin;
  other_rows_.resize(n);
  other_classes_.resize(n);
  if (!weights_.empty()) other_weights_.resize(n);
  std::size_t left = set.begin, right = 0;
  for (std::size_t i = set.begin; i < set.end; ++i) {
    const std::int32_t row = rows_[i], cls = classes_[i];
    const std::size_t is_right = goes_right(i, row);
    // Both places are written, and one of them counts: no branch to guess.
    rows_[left] = other_rows_[right] = row;
    classes_[left] = other_classes_[right] = cls;
    if (!weights_.empty()) {
      const double weight = weights_[i];
      weights_[left] = other_weights_[right] = weight;
    }
    left += 1 - is_right;
    right += is_right;
  }
  const auto middle = static_cast<std::ptrdiff_t>(left), count = static_cast<std::ptrdiff_t>(right);
  std::copy_n(other_rows_.begin(), count, rows_.begin() + middle);
  std::copy_n(other_classes_.begin(), count, classes_.begin() + middle);
  if (!weights_.empty()) std::copy_n(other_weights_.begin(), count, weights_.begin() + middle);
  std::vector<RowSet> parts(2);
  parts[0].begin = set.begin;
  parts[0].end = parts[1].begin = left;
  parts[1].end = set.end;
  return parts;
}

std::vector<RowSet> RowStore::partition(RowSet set, const std::int32_t* codes,
                                   std::span<const std::int32_t> child_of,
                                   std::int32_t n_children) {
  return shared_out_ ? share_out(set, codes, child_of, n_children)
                     : partition_in_place(set, codes, child_of, n_children);
}

// Stable: rows of a node stay in the order of the table, which memory likes.
std::vector<RowSet> RowStore::partition_in_place(const RowSet& set, const std::int32_t* codes,
                                            std::span<const std::int32_t> child_of,
                                            std::int32_t n_children) {
  const std::size_t n = set.end - set.begin;
  if (n_children == 2)
    return partition_in_two(set, [&](std::size_t, std::int32_t row) {
      return static_cast<std::size_t>(child_of[at(codes[row] + 1)]);
    });
  std::vector<std::size_t> next(static_cast<std::size_t>(n_children) + 1, 0);
  const auto child = [&](std::size_t i) {
    return static_cast<std::size_t>(child_of[at(codes[rows_[i]] + 1)]);
  };
  for (std::size_t i = set.begin; i < set.end; ++i) ++next[child(i) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<RowSet> parts(static_cast<std::size_t>(n_children));
  for (std::size_t c = 0; c < parts.size(); ++c) {
    parts[c].begin = set.begin + next[c];
    parts[c].end = set.begin + next[c + 1];
  }
  other_rows_.resize(n);
  other_classes_.resize(n);
  if (!weights_.empty()) other_weights_.resize(n);
  for (std::size_t i = set.begin; i < set.end; ++i) {
    const std::size_t to = next[child(i)]++;
    other_rows_[to] = rows_[i];
    other_classes_[to] = classes_[i];
    if (!weights_.empty()) other_weights_[to] = weights_[i];
  }
  const auto start = static_cast<std::ptrdiff_t>(set.begin);
  std::copy(other_rows_.begin(), other_rows_.end(), rows_.begin() + start);
  std::copy(other_classes_.begin(), other_classes_.end(), classes_.begin() + start);
  if (!weights_.empty())
    std::copy(other_weights_.begin(), other_weights_.end(), weights_.begin() + start);
  return parts;
}

std::vector<RowSet> RowStore::partition_at(const RowSet& set, const std::int32_t* codes,
                                      std::int32_t last_left, std::int32_t missing_child) {
  if (missing_child == 0)  // as a code, a missing value is below all others
    return partition_in_two(set, [=](std::size_t, std::int32_t row) {
      return static_cast<std::size_t>(codes[row] > last_left);
    });
  return partition_in_two(set, [=](std::size_t, std::int32_t row) {
    return static_cast<std::size_t>((codes[row] > last_left) | (codes[row] < 0));
  });
}

std::vector<RowSet> RowStore::partition_as(const RowSet& set, std::span<const std::int32_t> children) {
  if (!shared_out_)
    return partition_in_two(set, [&](std::size_t i, std::int32_t) {
      return static_cast<std::size_t>(children[i - set.begin]);
    });
  std::vector<RowSet> parts(2);
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    RowSet& child = parts[at(children[i])];
    child.rows.push_back(set.rows[i]);
    child.classes.push_back(set.classes[i]);
    child.weights.push_back(set.weights[i]);
  }
  for (RowSet& child : parts) child.end = child.rows.size();
  return parts;
}

std::vector<RowSet> RowStore::share_out(const RowSet& set, const std::int32_t* codes,
                                        std::span<const std::int32_t> child_of,
                                        std::int32_t n_children) {
  std::vector<RowSet> parts(static_cast<std::size_t>(n_children));
  std::vector<double> reached(parts.size(), 0.0);
  double known = 0.0;
  const auto add = [](RowSet& child, std::int32_t row, std::int32_t cls, double weight) {
    child.rows.push_back(row);
    child.classes.push_back(cls);
    child.weights.push_back(weight);
  };
  const auto child = [&](std::size_t i) {
    return child_of[at(codes[set.rows[i]] + 1)];
  };
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    if (child(i) < 0) continue;
    const auto c = static_cast<std::size_t>(child(i));
    add(parts[c], set.rows[i], set.classes[i], set.weights[i]);
    reached[c] += set.weights[i];
    known += set.weights[i];
  }
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    if (child(i) >= 0) continue;
    for (std::size_t c = 0; c < parts.size(); ++c)
      if (reached[c] / known > kLeastShare)
        add(parts[c], set.rows[i], set.classes[i], set.weights[i] * (reached[c] / known));
  }
  for (RowSet& child_set : parts) child_set.end = child_set.rows.size();
  return parts;
}

}  // namespace mixedwood
