#include "rows.hpp"

#include <algorithm>
#include <numeric>

namespace mixedwood::all_splits {

std::int64_t Rows::errors() const {
  return weight - *std::max_element(counts.begin(), counts.end());
}

std::int32_t Rows::label() const {
  return static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) -
                                   counts.begin());
}

namespace {

void sum_up(const Options& options, Rows& rows) {
  rows.weight = rows.unavoidable = 0;
  rows.counts.assign(static_cast<std::size_t>(options.n_classes), 0);
  for (const std::int32_t id : rows.ids) {
    const auto row = static_cast<std::size_t>(id);
    rows.counts[static_cast<std::size_t>(options.classes[row])] += options.weights[row];
    rows.unavoidable += options.unavoidable[row];
  }
  for (const std::int64_t c : rows.counts) rows.weight += c;
}

}  // namespace

Rows all_rows(const Options& options) {
  Rows rows;
  const std::size_t n = options.n_rows();
  rows.n = static_cast<std::int32_t>(n);
  rows.ids.resize(n);
  std::iota(rows.ids.begin(), rows.ids.end(), 0);
  rows.sorted.resize(n * options.list.size());
  std::vector<std::int32_t> next;
  for (std::size_t o = 0; o < options.list.size(); ++o) {
    const Option& option = options.list[o];
    next.assign(static_cast<std::size_t>(option.n_ranks) + 1, 0);
    for (const std::int32_t r : option.rank) ++next[static_cast<std::size_t>(r) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::int32_t* sorted = rows.sorted.data() + o * n;
    for (std::size_t i = 0; i < n; ++i)
      sorted[next[static_cast<std::size_t>(option.rank[i])]++] = static_cast<std::int32_t>(i);
  }
  sum_up(options, rows);
  return rows;
}

void divide(const Options& options, const Rows& rows, const std::vector<std::uint8_t>& side,
            Rows& left, Rows& right) {
  std::int32_t n_left = 0;
  for (const std::int32_t id : rows.ids) n_left += side[static_cast<std::size_t>(id)];
  left.n = n_left;
  right.n = rows.n - n_left;
  const std::size_t m = options.list.size();
  // One place more: every row is written to both ends and then kept on one.
  left.ids.resize(static_cast<std::size_t>(left.n) + 1);
  right.ids.resize(static_cast<std::size_t>(right.n) + 1);
  left.sorted.resize(m * static_cast<std::size_t>(left.n) + 1);
  right.sorted.resize(m * static_cast<std::size_t>(right.n) + 1);
  const auto deal = [&](const std::int32_t* from, std::int32_t* to_left, std::int32_t* to_right) {
    std::size_t l = 0, r = 0;
    for (std::int32_t i = 0; i < rows.n; ++i) {
      const std::int32_t id = from[i];
      const std::size_t goes_left = side[static_cast<std::size_t>(id)];
      to_left[l] = id;
      to_right[r] = id;
      l += goes_left;
      r += 1 - goes_left;
    }
  };
  deal(rows.ids.data(), left.ids.data(), right.ids.data());
  for (std::size_t o = 0; o < m; ++o)
    deal(rows.by(o).data(), left.sorted.data() + o * static_cast<std::size_t>(left.n),
         right.sorted.data() + o * static_cast<std::size_t>(right.n));
  left.ids.pop_back();
  right.ids.pop_back();
  sum_up(options, left);
  right.weight = rows.weight - left.weight;
  right.unavoidable = rows.unavoidable - left.unavoidable;
  right.counts.resize(left.counts.size());
  for (std::size_t c = 0; c < left.counts.size(); ++c)
    right.counts[c] = rows.counts[c] - left.counts[c];
}

void mark(const Options& options, const Rows& rows, const Test& test,
          std::vector<std::uint8_t>& side) {
  const Option& option = options.list[static_cast<std::size_t>(test.option)];
  std::vector<std::uint8_t> goes_left;
  if (option.nominal) {
    goes_left.assign(static_cast<std::size_t>(option.n_ranks), 0);
    for (const std::int32_t r : test.left) goes_left[static_cast<std::size_t>(r)] = 1;
  }
  for (const std::int32_t id : rows.ids) {
    const auto row = static_cast<std::size_t>(id);
    const std::int32_t rank = option.rank[row];
    side[row] = option.nominal ? goes_left[static_cast<std::size_t>(rank)]
                               : static_cast<std::uint8_t>(rank <= test.cut);
  }
}

bool is_useful(const Options& options, const Rows& rows, std::size_t option) {
  const Option& here = options.list[option];
  const auto sorted = rows.by(option);
  const auto rank = [&](std::int32_t id) { return here.rank[static_cast<std::size_t>(id)]; };
  if (sorted.empty() || rank(sorted.front()) == rank(sorted.back())) return false;
  return here.missing != Option::Missing::kAbove || rank(sorted.back()) == here.n_ranks - 1;
}

}  // namespace mixedwood::all_splits
