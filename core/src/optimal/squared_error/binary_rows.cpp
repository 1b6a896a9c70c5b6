#include "binary_rows.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace mixedwood::optimal::squared_error {
namespace {

constexpr std::size_t kMostPatterns = 64;   // bits of a mask
constexpr std::size_t kSmallGroup = 16;     // patterns of groups that are joined

using Ids = std::vector<std::uint32_t>;  // equal for equal rows, counted from 0

// Numbers for pairs of a number and a value, in the order in which they occur; both are below their
// limits.
std::size_t refine(Ids& ids, std::size_t n_ids, std::size_t n_values, const auto& value_of) {
  std::vector<std::int32_t> made(n_ids * n_values, -1);
  std::int32_t n = 0;
  for (std::size_t r = 0; r < ids.size(); ++r) {
    std::int32_t& id = made[ids[r] * n_values + to_size(value_of(r))];
    if (id < 0) id = n++;
    ids[r] = static_cast<std::uint32_t>(id);
  }
  return to_size(n);
}

// The kind of each row: equal rows have the same, in the order of their first.
Ids kinds_of(std::span<const Word> row_bits, std::size_t n_rows, std::size_t stride) {
  Ids kinds(n_rows), firsts;
  std::size_t size = 16;
  while (size < 2 * n_rows) size *= 2;
  std::vector<std::int32_t> table(size, -1);
  const auto row = [&](std::size_t r) { return row_bits.subspan(r * stride, stride); };
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::size_t at = hash_of(row(r)) & (size - 1);
    while (table[at] >= 0 && !std::ranges::equal(row(r), row(firsts[to_size(table[at])])))
      at = (at + 1) & (size - 1);
    if (table[at] < 0) {
      table[at] = static_cast<std::int32_t>(firsts.size());
      firsts.push_back(static_cast<std::uint32_t>(r));
    }
    kinds[r] = static_cast<std::uint32_t>(table[at]);
  }
  return kinds;
}

// Columns as bits of rows.
std::vector<Word> bits_of(std::span<const std::uint8_t> matrix, std::size_t n_columns,
                          std::span<const std::size_t> rows) {
  const std::size_t n_words = (rows.size() + 63) / 64;
  std::vector<Word> bits(n_columns * n_words, 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t j = 0; j < n_columns; ++j)
      bits[j * n_words + r / 64] |= Word{matrix[rows[r] * n_columns + j]} << (r % 64);
  return bits;
}

bool bit(std::span<const Word> words, std::size_t row) { return words[row / 64] >> (row % 64) & 1; }

// Columns that can make a difference: not constant, and the first of those that split alike.
std::vector<std::int32_t> useful(std::span<const Word> bits, std::size_t n_columns,
                                 std::size_t n_rows) {
  std::vector<std::int32_t> kept;
  const std::size_t n_words = (n_rows + 63) / 64;
  if (n_rows == 0) return kept;
  const Word last = n_rows % 64 ? (Word{1} << (n_rows % 64)) - 1 : ~Word{0};
  std::unordered_multimap<std::uint64_t, std::vector<Word>> seen;
  for (std::size_t j = 0; j < n_columns; ++j) {
    std::vector<Word> key(bits.begin() + static_cast<std::ptrdiff_t>(j * n_words),
                          bits.begin() + static_cast<std::ptrdiff_t>((j + 1) * n_words));
    if (key[0] & 1) {  // equal to its complement: write the first row as 0
      for (auto& w : key) w = ~w;
      key.back() &= last;
    }
    if (std::ranges::all_of(key, [](Word w) { return w == 0; })) continue;
    const auto hash = hash_of(key);
    const auto [from, to] = seen.equal_range(hash);
    if (std::any_of(from, to, [&](const auto& other) { return other.second == key; })) continue;
    seen.emplace(hash, std::move(key));
    kept.push_back(static_cast<std::int32_t>(j));
  }
  return kept;
}

// Columns of a group, and the pattern of each row.
struct Draft {
  std::vector<std::int32_t> columns;
  Ids ids;
  std::size_t n_patterns = 1;
};

// Neighboring columns of few patterns: first those where each adds one, which are of one column of
// the table; then small groups together.
std::vector<Draft> group_columns(std::span<const Word> bits, std::span<const std::int32_t> columns,
                                 std::size_t n_rows) {
  const std::size_t n_words = (n_rows + 63) / 64;
  std::vector<Draft> drafts;
  for (const std::int32_t j : columns) {
    const std::span<const Word> column = bits.subspan(to_size(j) * n_words, n_words);
    if (!drafts.empty()) {
      Draft& last = drafts.back();
      Ids ids = last.ids;
      const std::size_t n =
          refine(ids, last.n_patterns, 2, [&](std::size_t r) { return bit(column, r) ? 1 : 0; });
      if (n <= last.n_patterns + 1 && n <= kMostPatterns) {
        last.ids = std::move(ids);
        last.n_patterns = n;
        last.columns.push_back(j);
        continue;
      }
    }
    Draft made{{j}, Ids(n_rows, 0), 1};
    made.n_patterns = refine(made.ids, 1, 2, [&](std::size_t r) { return bit(column, r) ? 1 : 0; });
    drafts.push_back(std::move(made));
  }
  std::vector<Draft> joined;
  for (Draft& draft : drafts) {
    if (!joined.empty() && joined.back().n_patterns <= kSmallGroup / 2 &&
        draft.n_patterns <= kSmallGroup / 2) {
      Draft& last = joined.back();
      Ids ids = last.ids;
      const std::size_t n = refine(ids, last.n_patterns, draft.n_patterns,
                                   [&](std::size_t r) { return draft.ids[r]; });
      if (n <= kSmallGroup) {
        last.ids = std::move(ids);
        last.n_patterns = n;
        last.columns.insert(last.columns.end(), draft.columns.begin(), draft.columns.end());
        continue;
      }
    }
    joined.push_back(std::move(draft));
  }
  return joined;
}

}  // namespace

BinaryRows::BinaryRows(std::span<const std::uint8_t> matrix, std::size_t n_columns,
                       const NumberSamples& samples)
    : ticks(samples.ticks), n_given(samples.weights.size()) {
  if (matrix.size() != n_given * n_columns)
    throw std::invalid_argument("the matrix must have one row for each number");
  for (const auto x : matrix)
    if (x > 1) throw std::invalid_argument("the matrix must contain only 0 and 1");

  std::vector<std::size_t> rows;
  const std::vector<Sums> given = sums_of_rows(samples);
  for (std::size_t r = 0; r < given.size(); ++r)
    if (given[r].weight > 0) rows.push_back(r);
  std::vector<Word> all_bits = bits_of(matrix, n_columns, rows);
  const std::size_t words = (rows.size() + 63) / 64;
  const auto kept = useful(all_bits, n_columns, rows.size());
  const std::vector<Draft> drafts = group_columns(all_bits, kept, rows.size());

  // Equal rows become one; then ascending by mean.
  const std::size_t stride = (n_columns + 63) / 64;
  std::vector<Word> row_bits(rows.size() * stride, 0);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t j = 0; j < n_columns; ++j)
      row_bits[r * stride + j / 64] |= Word{matrix[rows[r] * n_columns + j]} << (j % 64);
  const Ids kinds = kinds_of(row_bits, rows.size(), stride);
  const std::size_t n_kinds = rows.empty() ? 0 : 1 + to_size(std::ranges::max(kinds));
  std::vector<Sums> merged(n_kinds);
  std::vector<std::size_t> first(n_kinds, rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    merged[kinds[r]].add(given[rows[r]]);
    first[kinds[r]] = std::min(first[kinds[r]], r);
  }
  for (Sums& row : merged) row.within = std::max<Cost>(0, row.squares - to_ticks(row.gain(), ticks));
  std::vector<std::size_t> order(n_kinds);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return merged[k].sum / merged[k].weight; });
  for (const std::size_t k : order) sums.push_back(merged[k]);

  patterns.resize(n_kinds * drafts.size());
  std::size_t n_all = 0;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    const Draft& draft = drafts[g];
    groups.push_back({originals.size(), draft.columns.size(), n_all, draft.n_patterns});
    if (n_all + draft.n_patterns > std::numeric_limits<std::uint16_t>::max())
      throw std::invalid_argument("too many binary features: at most 65535 patterns are supported");
    for (std::size_t i = 0; i < n_kinds; ++i)
      patterns[i * drafts.size() + g] =
          static_cast<std::uint16_t>(n_all + draft.ids[first[order[i]]]);
    for (const std::int32_t j : draft.columns) {
      const std::span<const Word> column(all_bits.data() + to_size(j) * words, words);
      std::uint64_t mask = 0;
      const std::size_t at = bits.size();
      bits.resize(at + n_words(), 0);
      for (std::size_t i = 0; i < n_kinds; ++i) {
        const std::size_t r = first[order[i]];
        if (!bit(column, r)) continue;
        bits[at + i / 64] |= Word{1} << (i % 64);
        mask |= std::uint64_t{1} << draft.ids[r];
      }
      originals.push_back(j);
      group_of.push_back(g);
      masks.push_back(mask);
    }
    n_all += draft.n_patterns;
  }
}

}  // namespace mixedwood::optimal::squared_error
