#include "binary_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

namespace mixedwood::optimal {
namespace {

struct Row {
  std::size_t index;  // in the problem
  std::int32_t cls;
  Cost weight;
};

void check(const BinaryProblem& p) {
  if (p.matrix.size() != p.n_rows * p.n_columns)
    throw std::invalid_argument("the matrix has not one entry per row and column");
  if (p.classes.size() != p.n_rows) throw std::invalid_argument("each row needs a class");
  if (!p.weights.empty() && p.weights.size() != p.n_rows)
    throw std::invalid_argument("each row needs a weight");
  if (p.n_classes < 1) throw std::invalid_argument("there must be a class");
  for (const auto c : p.classes)
    if (c < 0 || c >= p.n_classes) throw std::invalid_argument("a class is out of range");
  for (const auto x : p.matrix)
    if (x > 1) throw std::invalid_argument("the matrix must hold 0 and 1 only");
  Cost total = 0;
  for (const auto w : p.weights) {
    if (w < 0) throw std::invalid_argument("weights must not be negative");
    if (w > (Cost{1} << 30) || (total += w) > (Cost{1} << 30))
      throw std::invalid_argument("weights must add up to 2^30 at most; scale them down");
  }
  if (p.weights.empty() && p.n_rows > (std::size_t{1} << 30))
    throw std::invalid_argument("2^30 rows is the most that can be taken");
}

// Bits of every kept row, column by column.
class Bits {
 public:
  Bits(const BinaryProblem& p, const std::vector<Row>& rows)
      : n_words_((rows.size() + 63) / 64), bits_(p.n_columns * n_words_) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto* from = p.matrix.data() + rows[r].index * p.n_columns;
      for (std::size_t j = 0; j < p.n_columns; ++j)
        bits_[j * n_words_ + r / 64] |= Word{from[j]} << (r % 64);
    }
  }
  std::span<const Word> column(std::size_t j) const {
    return {bits_.data() + j * n_words_, n_words_};
  }

 private:
  std::size_t n_words_;
  std::vector<Word> bits_;
};

// Columns that can make a difference: not constant, and the first of those that split alike.
std::vector<std::int32_t> useful(const Bits& bits, std::size_t n_columns, std::size_t n_rows) {
  std::vector<std::int32_t> kept;
  if (n_rows == 0) return kept;
  std::map<std::vector<Word>, std::size_t> seen;
  const Word last = n_rows % 64 ? (Word{1} << (n_rows % 64)) - 1 : ~Word{0};
  for (std::size_t j = 0; j < n_columns; ++j) {
    const auto column = bits.column(j);
    std::vector<Word> key(column.begin(), column.end());
    if (key[0] & 1) {  // equal to its complement: write the first row as 0
      for (auto& w : key) w = ~w;
      key.back() &= last;
    }
    if (std::ranges::all_of(key, [](Word w) { return w == 0; })) continue;
    if (seen.emplace(std::move(key), j).second) kept.push_back(static_cast<std::int32_t>(j));
  }
  return kept;
}

int top_bit(Cost weight) { return 63 - std::countl_zero(static_cast<std::uint64_t>(weight)); }

}  // namespace

BinaryTable::BinaryTable(const BinaryProblem& p, bool merge_rows, bool count_rows) {
  check(p);
  n_classes_ = p.n_classes;
  const bool weighted =
      !p.weights.empty() && std::ranges::any_of(p.weights, [](Cost w) { return w > 1; });
  n_counts_ = n_classes_ + (weighted && count_rows ? 1 : 0);

  std::vector<Row> rows;
  for (std::size_t r = 0; r < p.n_rows; ++r) {
    const Cost w = p.weights.empty() ? 1 : p.weights[r];
    if (w > 0) rows.push_back({r, p.classes[r], w});
  }
  {
    const Bits bits(p, rows);
    originals_ = useful(bits, p.n_columns, rows.size());
  }
  const std::size_t m = originals_.size();
  row_bytes_ = (m + 31) / 32 * 4;

  const auto same = [&](const Row& a, const Row& b) {
    const auto *x = p.matrix.data() + a.index * p.n_columns,
               *y = p.matrix.data() + b.index * p.n_columns;
    for (const auto j : originals_)
      if (x[j] != y[j]) return x[j] < y[j] ? -1 : 1;
    return 0;
  };
  // Equal rows side by side, and of them the same class.
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const int order = same(a, b);
    return order != 0 ? order < 0 : a.cls < b.cls;
  });
  // Of equal rows, all but the heaviest class are wrong in any tree.
  std::vector<char> lost(rows.size());
  for (std::size_t a = 0, b; a < rows.size(); a = b) {
    std::vector<Cost> by_class(static_cast<std::size_t>(n_classes_));
    for (b = a; b < rows.size() && same(rows[a], rows[b]) == 0; ++b)
      by_class[static_cast<std::size_t>(rows[b].cls)] += rows[b].weight;
    const auto heaviest = std::ranges::max_element(by_class) - by_class.begin();
    for (std::size_t r = a; r < b; ++r) lost[r] = rows[r].cls != heaviest;
  }
  if (merge_rows && !rows_apart()) {
    std::vector<Row> merged;
    std::vector<char> merged_lost;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!merged.empty() && merged.back().cls == rows[r].cls && same(merged.back(), rows[r]) == 0)
        merged.back().weight += rows[r].weight;
      else {
        merged.push_back(rows[r]);
        merged_lost.push_back(lost[r]);
      }
    }
    const auto positions = [](const std::vector<Row>& all) {
      std::size_t n = 0;
      Cost any = 0;
      for (const Row& r : all) {
        n += static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(r.weight)));
        any |= r.weight;
      }
      // Every further power of two costs a group of its own, at least a word.
      return n + 32 * static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(any)));
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
  for (std::int32_t count = 0; count < n_counts_; ++count)
    for (int shift = 0; shift < n_shifts; ++shift) {
      if (count >= n_classes_ && shift > 0) continue;
      Group g{count, shift, n_words_, 0};
      std::size_t position = n_words_ * 64;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const bool here = count >= n_classes_ ||
                          (rows[r].cls == count && ((rows[r].weight >> shift) & 1) != 0);
        if (here) places.push_back({r, position++});
      }
      g.n_words = (position + 63) / 64 - n_words_;
      n_words_ += g.n_words;
      if (g.n_words > 0) groups_.push_back(g);
    }

  columns_.assign(m * n_words_, 0);
  everything_.assign(n_words_, 0);
  hopeless_.assign(n_words_, 0);
  row_bits_.assign(n_words_ * 64 * row_bytes_, 0);
  for (const auto& [r, position] : places) {
    const Word bit = Word{1} << (position % 64);
    everything_[position / 64] |= bit;
    if (lost[r]) hopeless_[position / 64] |= bit;
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

}  // namespace mixedwood::optimal
