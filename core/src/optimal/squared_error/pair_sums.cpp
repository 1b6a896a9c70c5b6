#include "pair_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace mixedwood::optimal::squared_error {
namespace {

// How sums by column follow from sums by pattern: those of the column before, or nothing, with some
// patterns added and some taken away.
struct Step {
  std::size_t column;
  std::uint64_t mask;  // of the patterns that occur
  bool from_last;
  std::uint64_t plus, minus;
};

void for_each_bit(std::uint64_t mask, const auto& visit) {
  for (; mask != 0; mask &= mask - 1) visit(to_size(std::countr_zero(mask)));
}

template <typename T>
T larger(T a, T b) {
  return a > b ? a : b;
}

// kNumbers: weight, sum and, where rows are counted apart from weights, their number.
template <std::size_t kNumbers, bool kMinimum>
class PairSumsOf final : public PairSums {
 public:
  PairSumsOf(const BinaryRows& table, std::int64_t min_samples_leaf)
      : table_(table), least_rows_(static_cast<double>(min_samples_leaf)) {
    const std::size_t all = table.n_patterns();
    std::size_t cells = all;
    for (const Group& g : table.groups) {
      blocks_.push_back(cells);
      const std::size_t later = all - g.first_pattern - g.n_patterns;
      cells += g.n_patterns * later;
      // The block's first cell, for patterns counted over all groups.
      for (std::size_t p = 0; p < g.n_patterns; ++p)
        first_cells_.push_back(static_cast<std::ptrdiff_t>(blocks_.back() + p * later) -
                               static_cast<std::ptrdiff_t>(g.first_pattern + g.n_patterns));
    }
    n_numbers_ = cells * kNumbers;
    for (const Sums& row : table.sums) {
      values_.push_back(row.weight);
      values_.push_back(row.sum);
      if constexpr (kNumbers > 2) values_.push_back(row.rows);
    }
  }

  std::size_t n_numbers() const override { return n_numbers_; }

  void add(PairTable& to, std::span<const std::uint32_t> rows, double sign,
           Stop& stop) const override {
    const std::size_t n_groups = table_.groups.size();
    const auto cost = static_cast<std::int64_t>(n_groups * (n_groups + 1) / 2);
    double* cells = to.data();
    for (const std::uint32_t row : rows) {
      if (stop.requested(cost)) throw Stopped{};
      std::array<double, kNumbers> value;
      for (std::size_t k = 0; k < kNumbers; ++k) value[k] = sign * values_[row * kNumbers + k];
      const std::uint16_t* patterns = table_.patterns_of(row);
      for (std::size_t a = 0; a < n_groups; ++a) {
        double* single = cells + patterns[a] * kNumbers;
        for (std::size_t k = 0; k < kNumbers; ++k) single[k] += value[k];
        const std::ptrdiff_t base = first_cells_[patterns[a]];
        for (std::size_t b = a + 1; b < n_groups; ++b) {
          double* cell = cells + (base + patterns[b]) * static_cast<std::ptrdiff_t>(kNumbers);
          for (std::size_t k = 0; k < kNumbers; ++k) cell[k] += value[k];
        }
      }
    }
  }

  DepthTwoTable solve(const PairTable& pairs, const Sums& all, bool keep, Stop& stop) override {
    prepare(pairs);
    measure(pairs, all, one_);
    if (keep) kept_.resize(kNumbers * steps_.size() * (steps_.size() + 1) / 2);
    for_each_column(pairs, stop, [&](std::size_t i, const Row& row) {
      scan(i, row, all, one_);
      if (!keep) return;
      for (std::size_t k = 0; k < kNumbers; ++k)
        std::copy(row[k] + i, row[k] + steps_.size(), kept_of(i, k));
    });
    candidates_.clear();
    for (std::size_t i = 0; i < steps_.size(); ++i)
      candidates_.push_back({steps_[i].column, one_.best1[i] + one_.best0[i]});
    if (keep) open_ = one_;
    return best_of(all, one_);
  }

  void solve_parts(const PairTable& pairs, const Sums& part, const Sums& rest,
                   DepthTwoTable* of_part, DepthTwoTable* of_rest, Stop& stop) override {
    const std::size_t n = steps_.size();
    measure(pairs, part, one_);
    if (of_rest) {
      other_.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        other_.weight[i] = open_.weight[i] - one_.weight[i];
        other_.sum[i] = open_.sum[i] - one_.sum[i];
        other_.rows[i] = open_.rows[i] - one_.rows[i];
      }
      other_.start(rest);
    }
    for (auto& list : rest_) list.resize(n);
    for_each_column(pairs, stop, [&](std::size_t i, const Row& row) {
      if (of_part) scan(i, row, part, one_);
      if (!of_rest) return;
      Row left;
      for (std::size_t k = 0; k < kNumbers; ++k) {
        const double* whole = kept_of(i, k);
        const double* taken = row[k] + i;
        double* to = rest_[k].data() + i;
        for (std::size_t j = 0; j < n - i; ++j) to[j] = whole[j] - taken[j];
        left[k] = rest_[k].data();
      }
      scan(i, left, rest, other_);
    });
    if (of_part) *of_part = best_of(part, one_);
    if (of_rest) *of_rest = best_of(rest, other_);
  }

  std::size_t kept_bytes() const override {
    const std::size_t n = table_.n_columns();
    return sizeof(double) * kNumbers * n * (n + 1) / 2;
  }

  const std::vector<Candidate>& candidates() const override { return candidates_; }

  SmallTree tree(const RowSet& rows, int max_splits, Stop& stop) override {
    SmallTree made;
    if (max_splits < 1) return made;
    PairTable pairs(n_numbers_, 0.0);
    std::vector<std::uint32_t> list;
    RowSet::for_each(rows.words, [&](std::size_t r) { list.push_back(static_cast<std::uint32_t>(r)); });
    add(pairs, list, 1.0, stop);
    solve(pairs, rows.sums, false, stop);
    const auto &gain1 = one_.gain1, &gain0 = one_.gain0;
    const auto &best1 = one_.best1, &best0 = one_.best0;
    double best = rows.sums.gain();
    bool split1 = false, split0 = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto consider = [&](double gain, bool one, bool zero) {
        if (gain <= best) return;
        best = gain;
        made.root = static_cast<std::int32_t>(steps_[i].column);
        split1 = one;
        split0 = zero;
      };
      consider(gain1[i] + gain0[i], false, false);
      if (max_splits > 1) consider(best1[i] + gain0[i], true, false);
      if (max_splits > 1) consider(gain1[i] + best0[i], false, true);
      if (max_splits > 2) consider(best1[i] + best0[i], true, true);
    }
    if (made.root < 0) return made;
    RowSet with, without;
    divide(table_, rows, to_size(made.root), with, without);
    const auto least = static_cast<std::int64_t>(least_rows_);
    if (split1) made.with = best_stump(table_, with, least).column;
    if (split0) made.without = best_stump(table_, without, least).column;
    return made;
  }

 private:
  const double* single(const PairTable& pairs, std::size_t pattern) const {
    return pairs.data() + pattern * kNumbers;
  }
  static double rows_in(const double* numbers) { return numbers[kNumbers > 2 ? 2 : 0]; }

  // The columns that divide the rows of the set, each kind of division once.
  void prepare(const PairTable& pairs) {
    steps_.clear();
    firsts_.clear();
    present_.clear();
    for (const Group& g : table_.groups) {
      firsts_.push_back(steps_.size());
      std::uint64_t present = 0;
      double rows = 0;
      for (std::size_t p = 0; p < g.n_patterns; ++p) {
        const double here = rows_in(single(pairs, g.first_pattern + p));
        if (here > 0) present |= std::uint64_t{1} << p;
        rows += here;
      }
      present_.push_back(present);
      std::uint64_t last = 0;
      for (std::size_t j = g.first_column; j < g.first_column + g.n_columns; ++j) {
        const std::uint64_t mask = table_.masks[j] & present;
        if (mask == 0 || mask == present) continue;
        const auto same = [&](const Step& s) { return s.mask == mask || s.mask == (present ^ mask); };
        if (std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(firsts_.back()), steps_.end(), same))
          continue;
        if constexpr (kMinimum) {
          double with = 0;
          for_each_bit(mask, [&](std::size_t p) { with += rows_in(single(pairs, g.first_pattern + p)); });
          if (with < least_rows_ || rows - with < least_rows_) continue;
        }
        const bool from_last = std::popcount(mask ^ last) < std::popcount(mask);
        const std::uint64_t before = from_last ? last : 0;
        steps_.push_back({j, mask, from_last, mask & ~before, before & ~mask});
        last = mask;
      }
    }
    firsts_.push_back(steps_.size());
  }

  // Of one set of rows, by step.
  struct Columns {
    std::vector<double> weight, sum, rows;  // where the column is 1
    std::vector<double> gain1, gain0;       // of leaves on both sides of it
    std::vector<double> best1, best0;       // of the best stump or leaf there

    void resize(std::size_t n) {
      for (auto* list : {&weight, &sum, &rows, &gain1, &gain0, &best1, &best0}) list->resize(n);
    }
    void start(const Sums& all) {
      for (std::size_t i = 0; i < weight.size(); ++i) {
        gain1[i] = gain_of(weight[i], sum[i]);
        gain0[i] = gain_of(all.weight - weight[i], all.sum - sum[i]);
      }
      best1 = gain1;
      best0 = gain0;
    }
  };
  // Sums of the rows where two columns are 1, by the second.
  using Row = std::array<const double*, kNumbers>;

  void measure(const PairTable& pairs, const Sums& all, Columns& columns) {
    columns.resize(steps_.size());
    of1_.resize(steps_.size());
    of0_.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Group& g = table_.groups[table_.group_of[steps_[i].column]];
      double weight = 0, sum = 0, rows = 0;
      for_each_bit(steps_[i].mask, [&](std::size_t p) {
        const double* numbers = single(pairs, g.first_pattern + p);
        weight += numbers[0];
        sum += numbers[1];
        rows += rows_in(numbers);
      });
      columns.weight[i] = weight;
      columns.sum[i] = sum;
      columns.rows[i] = rows;
    }
    columns.start(all);
  }

  DepthTwoTable best_of(const Sums& all, const Columns& c) const {
    const double leaf = all.gain();
    double one = leaf, two = leaf, three = leaf;
    for (std::size_t i = 0; i < c.weight.size(); ++i) {
      one = larger(one, c.gain1[i] + c.gain0[i]);
      two = larger(two, larger(c.best1[i] + c.gain0[i], c.gain1[i] + c.best0[i]));
      three = larger(three, c.best1[i] + c.best0[i]);
    }
    two = larger(one, two);
    three = larger(two, three);
    DepthTwoTable costs;
    const std::array<double, 4> gains{leaf, one, two, three};
    for (std::size_t n = 0; n < 4; ++n) costs[n] = all.squares - to_ticks(gains[n], table_.ticks);
    return costs;
  }

  // From column i on.
  double* kept_of(std::size_t i, std::size_t k) {
    const std::size_t n = steps_.size();
    const std::size_t before = i * n - i * (i - 1) / 2;
    return kept_.data() + k * n * (n + 1) / 2 + before;
  }

  // By pattern of group a: the sums with each column of this group and the later ones.
  void fill_group(const PairTable& pairs, std::size_t a) {
    const Group& g = table_.groups[a];
    const std::size_t from = firsts_[a], n = steps_.size() - from;
    const std::size_t later = table_.n_patterns() - g.first_pattern - g.n_patterns;
    for (std::size_t k = 0; k < kNumbers; ++k) by_pattern_[k].resize(g.n_patterns * n);
    for_each_bit(present_[a], [&](std::size_t p) {
      std::array<double*, kNumbers> to;
      for (std::size_t k = 0; k < kNumbers; ++k) to[k] = by_pattern_[k].data() + p * n;
      const double* own = single(pairs, g.first_pattern + p);
      for (std::size_t j = from; j < firsts_[a + 1]; ++j)
        for (std::size_t k = 0; k < kNumbers; ++k)
          to[k][j - from] = (steps_[j].mask >> p & 1) != 0 ? own[k] : 0.0;
      const double* row = pairs.data() + (blocks_[a] + p * later) * kNumbers;
      for (std::size_t b = a + 1; b < table_.groups.size(); ++b) {
        const double* cells =
            row + (table_.groups[b].first_pattern - g.first_pattern - g.n_patterns) * kNumbers;
        std::array<double, kNumbers> running{};
        for (std::size_t j = firsts_[b]; j < firsts_[b + 1]; ++j) {
          const Step& step = steps_[j];
          if (!step.from_last) running = {};
          for_each_bit(step.plus, [&](std::size_t q) {
            for (std::size_t k = 0; k < kNumbers; ++k) running[k] += cells[q * kNumbers + k];
          });
          for_each_bit(step.minus, [&](std::size_t q) {
            for (std::size_t k = 0; k < kNumbers; ++k) running[k] -= cells[q * kNumbers + k];
          });
          for (std::size_t k = 0; k < kNumbers; ++k) to[k][j - from] = running[k];
        }
      }
    });
  }

  // The sums of each column with itself and those that follow.
  void for_each_column(const PairTable& pairs, Stop& stop, const auto& visit) {
    const std::size_t n_all = steps_.size();
    for (auto& list : both_) list.resize(n_all);
    for (std::size_t a = 0; a < table_.groups.size(); ++a) {
      const std::size_t from = firsts_[a], n = n_all - from;
      if (from == firsts_[a + 1]) continue;
      fill_group(pairs, a);
      for (std::size_t i = from; i < firsts_[a + 1]; ++i) {
        if (stop.requested(static_cast<std::int64_t>(8 * n))) throw Stopped{};
        const Step& step = steps_[i];
        Row row;
        for (std::size_t k = 0; k < kNumbers; ++k) {
          double* both = both_[k].data() + from;
          if (!step.from_last) std::fill_n(both, n, 0.0);
          for_each_bit(step.plus, [&](std::size_t p) {
            const double* of = by_pattern_[k].data() + p * n;
            for (std::size_t j = 0; j < n; ++j) both[j] += of[j];
          });
          for_each_bit(step.minus, [&](std::size_t p) {
            const double* of = by_pattern_[k].data() + p * n;
            for (std::size_t j = 0; j < n; ++j) both[j] -= of[j];
          });
          row[k] = both_[k].data();
        }
        visit(i, row);
      }
    }
  }

  // Column i with every later one, as the root and as the stump below it.
  void scan(std::size_t i, const Row& row, const Sums& all, Columns& columns) {
    const std::size_t begin = i + 1, n = steps_.size();
    const double* __restrict both_w = row[0];
    const double* __restrict both_s = row[1];
    const double* __restrict both_n = row[kNumbers > 2 ? 2 : 0];
    const double* __restrict weight = columns.weight.data();
    const double* __restrict sum = columns.sum.data();
    const double* __restrict rows = columns.rows.data();
    double* __restrict best1 = columns.best1.data();
    double* __restrict best0 = columns.best0.data();
    double* __restrict of1 = of1_.data();
    double* __restrict of0 = of0_.data();
    const double wi = weight[i], si = sum[i], ni = rows[i], w = all.weight, s = all.sum;
    const double n_all = kNumbers > 2 ? all.rows : all.weight, least = least_rows_;
    for (std::size_t j = begin; j < n; ++j) {
      const double w11 = both_w[j], s11 = both_s[j], w10 = wi - w11, s10 = si - s11;
      const double w01 = weight[j] - w11, s01 = sum[j] - s11, w00 = w - wi - w01, s00 = s - si - s01;
      const double g11 = s11 * s11 / (w11 > 1.0 ? w11 : 1.0);
      const double g10 = s10 * s10 / (w10 > 1.0 ? w10 : 1.0);
      const double g01 = s01 * s01 / (w01 > 1.0 ? w01 : 1.0);
      const double g00 = s00 * s00 / (w00 > 1.0 ? w00 : 1.0);
      double i1 = g11 + g10, i0 = g01 + g00, j1 = g11 + g01, j0 = g10 + g00;
      if constexpr (kMinimum) {
        const double n11 = both_n[j], n10 = ni - n11, n01 = rows[j] - n11, n00 = n_all - ni - n01;
        const double l11 = n11 < least ? 1.0 : 0.0, l10 = n10 < least ? 1.0 : 0.0;
        const double l01 = n01 < least ? 1.0 : 0.0, l00 = n00 < least ? 1.0 : 0.0;
        i1 = l11 + l10 > 0.0 ? -1.0 : i1;
        i0 = l01 + l00 > 0.0 ? -1.0 : i0;
        j1 = l11 + l01 > 0.0 ? -1.0 : j1;
        j0 = l10 + l00 > 0.0 ? -1.0 : j0;
      }
      of1[j] = i1;
      of0[j] = i0;
      best1[j] = best1[j] > j1 ? best1[j] : j1;
      best0[j] = best0[j] > j0 ? best0[j] : j0;
    }
    columns.best1[i] = larger(columns.best1[i], largest(begin, of1_));
    columns.best0[i] = larger(columns.best0[i], largest(begin, of0_));
  }

  static double largest(std::size_t begin, const std::vector<double>& of) {
    std::array<double, 4> most{-1.0, -1.0, -1.0, -1.0};
    const std::size_t n = of.size();
    std::size_t j = begin;
    for (; j + 4 <= n; j += 4)
      for (std::size_t k = 0; k < 4; ++k) most[k] = most[k] > of[j + k] ? most[k] : of[j + k];
    for (; j < n; ++j) most[0] = larger(most[0], of[j]);
    return larger(larger(most[0], most[1]), larger(most[2], most[3]));
  }

  const BinaryRows& table_;
  double least_rows_;
  std::size_t n_numbers_ = 0;
  std::vector<std::size_t> blocks_;           // first cell of the pairs of each group with later ones
  std::vector<std::ptrdiff_t> first_cells_;   // of each pattern
  std::vector<double> values_;                // of each row

  // Of one set of rows.
  std::vector<Step> steps_;
  std::vector<std::size_t> firsts_;  // first step of each group
  std::vector<std::uint64_t> present_;
  Columns one_, other_, open_;
  std::vector<double> kept_;  // sums of pairs of columns of the open set
  std::vector<double> of1_, of0_;
  std::array<std::vector<double>, kNumbers> by_pattern_, both_, rest_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::unique_ptr<PairSums> make_pair_sums(const BinaryRows& table, const Objective& objective) {
  const std::int64_t least = objective.min_samples_leaf;
  if (least <= 1) return std::make_unique<PairSumsOf<2, false>>(table, 1);
  const bool apart = std::ranges::any_of(table.sums, [](const Sums& s) { return s.weight != s.rows; });
  if (apart) return std::make_unique<PairSumsOf<3, true>>(table, least);
  return std::make_unique<PairSumsOf<2, true>>(table, least);
}

Stump best_stump(const BinaryRows& table, const RowSet& rows, std::int64_t min_samples_leaf) {
  const auto least = static_cast<double>(min_samples_leaf);
  std::vector<Sums> by_pattern(table.n_patterns());
  RowSet::for_each(rows.words, [&](std::size_t row) {
    const std::uint16_t* patterns = table.patterns_of(row);
    for (std::size_t g = 0; g < table.groups.size(); ++g) by_pattern[patterns[g]].add(table.sums[row]);
  });
  Stump best{-1, rows.sums.gain()};
  for (std::size_t j = 0; j < table.n_columns(); ++j) {
    const Group& g = table.groups[table.group_of[j]];
    Sums with;
    for_each_bit(table.masks[j], [&](std::size_t p) { with.add(by_pattern[g.first_pattern + p]); });
    if (with.rows < least || rows.sums.rows - with.rows < least) continue;
    const double gain = with.gain() + gain_of(rows.sums.weight - with.weight, rows.sums.sum - with.sum);
    if (gain > best.gain) best = {static_cast<std::int32_t>(j), gain};
  }
  return best;
}

}  // namespace mixedwood::optimal::squared_error
