#include "rows.hpp"

#include <algorithm>
#include <numeric>

namespace mixedwood::optimal::all_splits {

std::int64_t Rows::errors() const {
  return weight - *std::max_element(counts.begin(), counts.end());
}

std::int32_t Rows::label() const {
  return static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

namespace {

void sum_up(const FeatureTable& features, Rows& rows) {
  rows.weight = rows.unavoidable = 0;
  rows.counts.assign(to_size(features.n_classes), 0);
  for (const std::int32_t id : rows.ids) {
    const auto row = to_size(id);
    rows.counts[to_size(features.classes[row])] += features.weights[row];
    rows.unavoidable += features.unavoidable[row];
  }
  for (const std::int64_t c : rows.counts) rows.weight += c;
}

}  // namespace

Rows all_rows(const FeatureTable& features) {
  Rows rows;
  const std::size_t n = features.n_rows();
  rows.n = static_cast<std::int32_t>(n);
  rows.ids.resize(n);
  std::iota(rows.ids.begin(), rows.ids.end(), 0);
  rows.sorted.resize(n * features.list.size());
  std::vector<std::int32_t> next;
  for (std::size_t o = 0; o < features.list.size(); ++o) {
    const Feature& feature = features.list[o];
    next.assign(to_size(feature.n_ranks) + 1, 0);
    for (const std::int32_t r : feature.rank) ++next[to_size(r) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::int32_t* sorted = rows.sorted.data() + o * n;
    for (std::size_t i = 0; i < n; ++i)
      sorted[next[to_size(feature.rank[i])]++] = static_cast<std::int32_t>(i);
  }
  sum_up(features, rows);
  return rows;
}

void divide(const FeatureTable& features, const Rows& rows, const std::vector<std::uint8_t>& side,
            Rows& left, Rows& right) {
  std::int32_t n_left = 0;
  for (const std::int32_t id : rows.ids) n_left += side[to_size(id)];
  left.n = n_left;
  right.n = rows.n - n_left;
  const std::size_t m = features.list.size();
  // One place more: every row is written to both ends and then kept on one.
  left.ids.resize(to_size(left.n) + 1);
  right.ids.resize(to_size(right.n) + 1);
  left.sorted.resize(m * to_size(left.n) + 1);
  right.sorted.resize(m * to_size(right.n) + 1);
  const auto partition = [&](const std::int32_t* from, std::int32_t* to_left, std::int32_t* to_right) {
    std::size_t l = 0, r = 0;
    for (std::int32_t i = 0; i < rows.n; ++i) {
      const std::int32_t id = from[i];
      const std::size_t goes_left = side[to_size(id)];
      to_left[l] = id;
      to_right[r] = id;
      l += goes_left;
      r += 1 - goes_left;
    }
  };
  partition(rows.ids.data(), left.ids.data(), right.ids.data());
  for (std::size_t o = 0; o < m; ++o)
    partition(rows.by(o).data(), left.sorted.data() + o * to_size(left.n),
              right.sorted.data() + o * to_size(right.n));
  left.ids.pop_back();
  right.ids.pop_back();
  sum_up(features, left);
  right.weight = rows.weight - left.weight;
  right.unavoidable = rows.unavoidable - left.unavoidable;
  right.counts.resize(left.counts.size());
  for (std::size_t c = 0; c < left.counts.size(); ++c)
    right.counts[c] = rows.counts[c] - left.counts[c];
}

void mark(const FeatureTable& features, const Rows& rows, const Split& split,
          std::vector<std::uint8_t>& side) {
  const Feature& feature = features.list[to_size(split.feature)];
  std::vector<std::uint8_t> goes_left;
  if (feature.nominal) {
    goes_left.assign(to_size(feature.n_ranks), 0);
    for (const std::int32_t r : split.left) goes_left[to_size(r)] = 1;
  }
  for (const std::int32_t id : rows.ids) {
    const auto row = to_size(id);
    const std::int32_t rank = feature.rank[row];
    side[row] = feature.nominal ? goes_left[to_size(rank)]
                               : static_cast<std::uint8_t>(rank <= split.cut);
  }
}

std::vector<Value> values_of(const FeatureTable& features, const Rows& rows, std::size_t feature) {
  const auto& rank = features.list[feature].rank;
  std::vector<Value> values;
  for (const std::int32_t id : rows.by(feature)) {
    const auto row = to_size(id);
    if (values.empty() || values.back().rank != rank[row])
      values.push_back({rank[row], 0, 0, 0, std::vector<std::int64_t>(rows.counts.size())});
    Value& value = values.back();
    ++value.n_rows;
    value.weight += features.weights[row];
    value.errors += features.unavoidable[row];
    value.counts[to_size(features.classes[row])] += features.weights[row];
  }
  return values;
}

std::vector<std::size_t> order_by_fraction(const std::vector<Value>& values, std::size_t cls) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t v) {
    return static_cast<double>(values[v].counts[cls]) / static_cast<double>(values[v].weight);
  });
  return order;
}

bool is_useful(const FeatureTable& features, const Rows& rows, std::size_t feature) {
  const Feature& here = features.list[feature];
  const auto sorted = rows.by(feature);
  const auto rank = [&](std::int32_t id) { return here.rank[to_size(id)]; };
  if (sorted.empty() || rank(sorted.front()) == rank(sorted.back())) return false;
  return here.missing != Feature::Missing::kAbove || rank(sorted.back()) == here.n_ranks - 1;
}

bool write_split(const FeatureTable& features, const EncodedTable& table, const Rows& rows,
                 const Split& split, const Rows& left, SplitTree::Node& node) {
  const Feature& feature = features.list[to_size(split.feature)];
  const EncodedColumn& column = table.columns[to_size(feature.column)];
  node.column = feature.column;
  const auto sorted = rows.by(to_size(split.feature));
  const auto rank = [&](std::int32_t id) { return feature.rank[to_size(id)]; };
  const bool left_is_heavier = 2 * left.weight >= rows.weight;
  if (feature.nominal) {
    node.is_subset = true;
    const std::int32_t missing =
        feature.missing == Feature::Missing::kValue ? feature.n_ranks - 1 : -1;
    const bool here = missing >= 0 && rank(sorted.back()) == missing;
    node.missing = !here && left_is_heavier;
    for (const std::int32_t r : split.left) {
      if (r == missing)
        node.missing = true;
      else
        node.codes.push_back(r);
    }
    return true;
  }
  // Ranks of the known values are codes, or one more where missing comes first.
  const std::int32_t first = feature.missing == Feature::Missing::kBelow ? 1 : 0;
  const std::int32_t missing = feature.missing == Feature::Missing::kBelow   ? 0
                               : feature.missing == Feature::Missing::kAbove ? feature.n_ranks - 1
                                                                           : -1;
  const std::int32_t below = rank(left.by(to_size(split.feature)).back());
  const std::int32_t above = rank(sorted[to_size(left.n)]);
  if (below == missing) return false;
  if (above == missing) return true;
  node.high = column.threshold(below - first, above - first);
  const bool here =
      missing >= 0 && (rank(sorted.front()) == missing || rank(sorted.back()) == missing);
  node.missing = here ? first == 1 : left_is_heavier;
  return true;
}

}  // namespace mixedwood::optimal::all_splits
