#include "binary_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "../../hash.hpp"
#include "../../simd/kernels.hpp"

namespace mixedwood::optimal::binary {
namespace {

struct Row {
  std::size_t index;  // in the problem
  std::int32_t cls;
  Cost weight;
};

void check(const BinaryProblem& p) {
  if (p.matrix.size() != p.classes.size() * p.n_columns)
    throw std::invalid_argument("the matrix must have one row for each class");
  for (const auto x : p.matrix)
    if (x > 1) throw std::invalid_argument("the matrix must contain only 0 and 1");
}

// The rows' bits, `stride` words to a row; and which rows are equal.
struct PackedMatrix {
  std::size_t stride = 0;
  std::vector<Word> bits;

  std::span<const Word> row(std::size_t r) const { return {bits.data() + r * stride, stride}; }
};

PackedMatrix pack(const BinaryProblem& p, const std::vector<Row>& rows) {
  PackedMatrix packed;
  packed.stride = (p.n_columns + 63) / 64;
  packed.bits.assign(rows.size() * packed.stride, 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto* from = p.matrix.data() + rows[r].index * p.n_columns;
    Word* to = packed.bits.data() + r * packed.stride;
    std::size_t j = 0;
    for (; j + 8 <= p.n_columns; j += 8) {
      Word eight;
      std::memcpy(&eight, from + j, 8);
      if constexpr (std::endian::native == std::endian::little) {
        // Byte k, which is 0 or 1, becomes bit k.
        to[j / 64] |= ((eight * 0x0102040810204080u) >> 56) << (j % 64);
      } else {
        for (std::size_t k = 0; k < 8; ++k) to[j / 64] |= Word{from[j + k]} << ((j + k) % 64);
      }
    }
    for (; j < p.n_columns; ++j) to[j / 64] |= Word{from[j]} << (j % 64);
  }
  return packed;
}

// The number of each row's kind: equal rows have the same, in the order of their first.
std::vector<std::uint32_t> kinds_of(const PackedMatrix& packed, std::size_t n_rows) {
  std::vector<std::uint32_t> kinds(n_rows), firsts;
  std::size_t size = 16;
  while (size < 2 * n_rows) size *= 2;
  std::vector<std::int32_t> table(size, -1);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const auto row = packed.row(r);
    std::size_t at = hash_of(row) & (size - 1);
    while (table[at] >= 0 &&
           !std::ranges::equal(row, packed.row(firsts[to_size(table[at])])))
      at = (at + 1) & (size - 1);
    if (table[at] < 0) {
      table[at] = static_cast<std::int32_t>(firsts.size());
      firsts.push_back(static_cast<std::uint32_t>(r));
    }
    kinds[r] = static_cast<std::uint32_t>(table[at]);
  }
  return kinds;
}

// Columns that can make a difference: not constant, and the first of those that split alike.
std::vector<std::int32_t> useful(const PackedMatrix& packed, std::size_t n_columns,
                                 std::size_t n_rows) {
  std::vector<std::int32_t> kept;
  if (n_rows == 0) return kept;
  const std::size_t n_words = (n_rows + 63) / 64;
  std::vector<Word> columns(n_columns * n_words);
  for (std::size_t r = 0; r < n_rows; ++r)
    for (std::size_t w = 0; w < packed.stride; ++w)
      for (Word bits = packed.row(r)[w]; bits; bits &= bits - 1)
        columns[(w * 64 + to_size(std::countr_zero(bits))) * n_words + r / 64] |=
            Word{1} << (r % 64);
  const Word last = n_rows % 64 ? (Word{1} << (n_rows % 64)) - 1 : ~Word{0};
  std::unordered_multimap<std::uint64_t, std::size_t> seen;
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::span<Word> key(columns.data() + j * n_words, n_words);
    if (key[0] & 1) {  // equal to its complement: write the first row as 0
      for (auto& w : key) w = ~w;
      key.back() &= last;
    }
    if (std::ranges::all_of(key, [](Word w) { return w == 0; })) continue;
    const auto hash = hash_of(key);
    const auto [from, to] = seen.equal_range(hash);
    if (std::any_of(from, to, [&](const auto& other) {
          return std::ranges::equal(
              key, std::span<Word>(columns.data() + other.second * n_words, n_words));
        }))
      continue;
    seen.emplace(hash, j);
    kept.push_back(static_cast<std::int32_t>(j));
  }
  return kept;
}

int top_bit(Cost weight) { return 63 - std::countl_zero(static_cast<std::uint64_t>(weight)); }

}  // namespace

BinaryTable::BinaryTable(const BinaryProblem& p, const Kernels& kernels, bool merge_rows,
                         bool count_rows)
    : kernels_(kernels) {
  check(p);
  n_classes_ = p.n_classes;
  const bool weighted =
      !p.weights.empty() && std::ranges::any_of(p.weights, [](Cost w) { return w > 1; });
  n_counts_ = n_classes_ + (weighted && count_rows ? 1 : 0);

  std::vector<Row> rows;
  for (std::size_t r = 0; r < p.classes.size(); ++r) {
    const Cost w = p.weights.empty() ? 1 : p.weights[r];
    if (w > 0) rows.push_back({r, p.classes[r], w});
  }
  const PackedMatrix packed = pack(p, rows);
  originals_ = useful(packed, p.n_columns, rows.size());
  const std::size_t m = originals_.size();
  row_bytes_ = (m + 31) / 32 * 4;

  // Of equal rows, all but the heaviest class are wrong in any tree.
  const auto kinds = kinds_of(packed, rows.size());
  const auto k = to_size(n_classes_);
  const std::size_t n_kinds = rows.empty() ? 0 : 1 + std::ranges::max(kinds);
  std::vector<Cost> by_class(n_kinds * k);
  for (std::size_t r = 0; r < rows.size(); ++r)
    by_class[kinds[r] * k + to_size(rows[r].cls)] += rows[r].weight;
  std::vector<std::int32_t> label(n_kinds);
  for (std::size_t i = 0; i < n_kinds; ++i) {
    const auto first = by_class.begin() + static_cast<std::ptrdiff_t>(i * k);
    label[i] = static_cast<std::int32_t>(std::max_element(first, first + n_classes_) - first);
  }
  std::vector<char> lost(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) lost[r] = rows[r].cls != label[kinds[r]];

  if (merge_rows && !rows_apart()) {
    std::vector<Row> merged;
    std::vector<char> merged_lost;
    std::vector<char> taken(n_kinds * k);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t cell = kinds[r] * k + to_size(rows[r].cls);
      if (std::exchange(taken[cell], 1)) continue;
      merged.push_back({rows[r].index, rows[r].cls, by_class[cell]});
      merged_lost.push_back(lost[r]);
    }
    const auto positions = [](const std::vector<Row>& all) {
      std::size_t n = 0;
      Cost any = 0;
      for (const Row& r : all) {
        n += to_size(std::popcount(static_cast<std::uint64_t>(r.weight)));
        any |= r.weight;
      }
      // Every further power of two costs a group of its own, at least a word.
      return n + 32 * to_size(std::popcount(static_cast<std::uint64_t>(any)));
    };
    if (positions(merged) < positions(rows)) {
      rows = std::move(merged);
      lost = std::move(merged_lost);
    }
  }

  // Where each row lies.
  const int n_shifts =
      rows.empty() ? 1 : 1 + top_bit(std::ranges::max(rows, {}, &Row::weight).weight);
  struct Place {
    std::size_t row, position;
  };
  std::vector<Place> places;
  std::vector<std::vector<std::size_t>> of_class(k);
  std::vector<std::size_t> all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    of_class[to_size(rows[r].cls)].push_back(r);
    if (rows_apart()) all.push_back(r);
  }
  for (std::int32_t count = 0; count < n_counts_; ++count)
    for (int shift = 0; shift < n_shifts; ++shift) {
      if (count >= n_classes_ && shift > 0) continue;
      Group g{count, shift, n_words_, 0};
      std::size_t position = n_words_ * 64;
      const auto& candidates = count < n_classes_ ? of_class[to_size(count)] : all;
      for (const std::size_t r : candidates)
        if (count >= n_classes_ || ((rows[r].weight >> shift) & 1) != 0)
          places.push_back({r, position++});
      g.n_words = (position + 63) / 64 - n_words_;
      n_words_ += g.n_words;
      if (g.n_words > 0) groups_.push_back(g);
    }

  columns_.assign(m * n_words_, 0);
  everything_.assign(n_words_, 0);
  unavoidable_.assign(n_words_, 0);
  row_bits_.assign(n_words_ * 64 * row_bytes_, 0);
  for (const auto& [r, position] : places) {
    const Word bit = Word{1} << (position % 64);
    everything_[position / 64] |= bit;
    if (lost[r]) unavoidable_[position / 64] |= bit;
    const auto* from = p.matrix.data() + rows[r].index * p.n_columns;
    auto* to = row_bits_.data() + position * row_bytes_;
    for (std::size_t j = 0; j < m; ++j) {
      if (!from[originals_[j]]) continue;
      columns_[j * n_words_ + position / 64] |= bit;
      const auto place = bit_place(j);
      to[place.byte] = static_cast<std::uint8_t>(to[place.byte] | (1 << place.bit));
    }
  }
}

const Kernels& pair_kernels(const BinarySwitches& switches) {
  return simd::kernels(switches.wide_registers ? simd::Level::kAvx2 : simd::Level::kScalar).pairs;
}

}  // namespace mixedwood::optimal::binary
