#include "depth_two.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "rows.hpp"

namespace mixedwood::optimal::binary {
namespace {

constexpr std::int64_t kStepsAtOnce = 20'000'000;

// No count is above the largest cost.
template <typename Number>
Cost cost_of(Number count) {
  return static_cast<Cost>(count);
}

struct Packed {
  std::vector<std::uint32_t> positions;
  std::vector<std::uint8_t> nibbles;
  std::vector<PackedRows> groups;
  std::vector<std::size_t> starts, sizes;  // of the groups' positions

  void pack(const BinaryTable& table, const Kernels& kernels, std::span<const Word> rows) {
    const std::size_t stride = table.row_bytes() * 8;
    positions.clear();
    groups.clear();
    std::size_t n_nibbles = 0;
    starts.clear();
    sizes.clear();
    for (const Group& g : table.groups()) {
      const std::size_t begin = positions.size();
      for (std::size_t w = g.first_word; w < g.first_word + g.n_words; ++w)
        for (Word bits = rows[w]; bits; bits &= bits - 1)
          positions.push_back(static_cast<std::uint32_t>(w * 64) +
                              static_cast<std::uint32_t>(std::countr_zero(bits)));
      if (positions.size() == begin) continue;
      const std::size_t n = (positions.size() - begin + 3) / 4;
      starts.push_back(begin);
      sizes.push_back(positions.size() - begin);
      groups.push_back({nullptr, n, g.count, g.shift});
      n_nibbles += n;
    }
    if (nibbles.size() < n_nibbles * stride) nibbles.resize(n_nibbles * stride);
    std::uint8_t* to = nibbles.data();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      groups[g].nibbles = to;
      kernels.gather(table.row_bits(), table.row_bytes(), positions.data() + starts[g], sizes[g], to);
      to += groups[g].n_nibbles * stride;
    }
  }
};

template <typename Number>
class Counter final : public PairCounter {
 public:
  Counter(const BinaryTable& table, const Objective& objective, const BinarySwitches& switches)
      : table_(table),
        kernels_(pair_kernels(switches)),
        n_counts_(to_size(table.n_counts())),
        stride_(table.row_bytes() * 8),
        objective_(objective),
        subtract_(switches.parent_minus_child) {
    buffer_.resize(4 * n_counts_ * stride_);
    for (Counts* c : {&parent_, &child_, &rest_}) c->resize(n_counts_, stride_);
  }

  DepthTwoTable solve(std::span<const Word> rows, bool keep, Stop& stop) override {
    packed_.pack(table_, kernels_, rows);
    count(packed_, parent_);
    kept_ = false;
    const std::size_t bytes = table_.n_columns() * n_counts_ * stride_ * sizeof(Number);
    // Without the parent's counts, children count for themselves.
    const bool store = keep && subtract_ && bytes <= most_bytes_;
    if (store) matrix_.resize(table_.n_columns() * n_counts_ * stride_);
    PairJob<Number> job = new_job();
    job.store = store ? matrix_.data() : nullptr;
    job.child = side(parent_);
    run(job, stop);
    kept_ = store;
    return reduce(parent_);
  }

  void children(std::size_t column, std::span<const Word> with, std::span<const Word> without,
                DepthTwoTable* of_with, DepthTwoTable* of_without, Stop& stop) override {
    const bool with_is_small = 2 * weight(column) <= cost_of(parent_.total);
    const auto small = with_is_small ? with : without, large = with_is_small ? without : with;
    DepthTwoTable *of_small = with_is_small ? of_with : of_without,
                 *of_large = with_is_small ? of_without : of_with;
    if (!kept_) {
      for (const auto& [rows, to] : {std::pair{small, of_small}, std::pair{large, of_large}}) {
        if (!to) continue;
        packed_.pack(table_, kernels_, rows);
        count(packed_, child_);
        *to = alone(child_, stop);
      }
      return;
    }
    packed_.pack(table_, kernels_, small);
    count(packed_, child_);
    if (of_large) subtract(parent_, child_, rest_);
    PairJob<Number> job = new_job();
    job.parent = matrix_.data();
    job.child = side(child_);
    job.child.wanted = of_small && child_.classes.size() > 1;
    job.rest = side(rest_);
    job.rest.wanted = of_large && rest_.classes.size() > 1;
    if (job.child.wanted || job.rest.wanted) run(job, stop);
    if (of_small) *of_small = reduce(child_);
    if (of_large) *of_large = reduce(rest_);
  }

  SmallTree tree(std::span<const Word> rows, int max_splits, Stop& stop) override {
    packed_.pack(table_, kernels_, rows);
    count(packed_, child_);
    const DepthTwoTable best = alone(child_, stop);
    int n_splits = 0;
    for (int t = 1; t <= std::min(max_splits, 3); ++t)
      if (objective_.error_penalty * best[to_size(t)] + objective_.leaf_penalty * t <
          objective_.error_penalty * best[to_size(n_splits)] + objective_.leaf_penalty * n_splits)
        n_splits = t;
    SmallTree result;
    if (n_splits == 0) return result;
    const Cost wanted = best[to_size(n_splits)];
    for (std::size_t i = 0; i < table_.n_columns(); ++i) {
      if (!child_.splits[i]) continue;
      const Cost l0 = cost_of(child_.leaf0[i]), l1 = cost_of(child_.leaf1[i]);
      const Cost b0 = cost_of(child_.best0[i]), b1 = cost_of(child_.best1[i]);
      const bool below0 = (n_splits == 2 && b0 + l1 == wanted) || n_splits == 3;
      const bool below1 = (n_splits == 2 && !below0) || n_splits == 3;
      if ((below0 ? b0 : l0) + (below1 ? b1 : l1) != wanted) continue;
      result.root = static_cast<std::int32_t>(i);
      if (below0) result.without = stump(i, rows, false);
      if (below1) result.with = stump(i, rows, true);
      break;
    }
    return result;
  }

  Cost weight(std::size_t column) const override { return cost_of(parent_.sums[column]); }
  Cost weight(std::size_t i, std::size_t j) const override {
    if (j < i / kLanes * kLanes) std::swap(i, j);
    Cost total = 0;
    for (const auto k : parent_.classes)
      total += cost_of(matrix_[(i * n_counts_ + to_size(k)) * stride_ + j]);
    return total;
  }
  bool has_pairs() const override { return kept_; }
  Cost errors_after(std::size_t column) const override {
    return cost_of(parent_.leaf0[column]) + cost_of(parent_.leaf1[column]);
  }
  bool may_split(std::size_t column) const override { return parent_.splits[column]; }
  void limit(std::size_t most) override {
    most_bytes_ = most;
    if (matrix_.capacity() * sizeof(Number) <= most) return;
    matrix_ = {};
    kept_ = false;
  }
  std::size_t bytes() const override {
    return matrix_.capacity() * sizeof(Number) + packed_.nibbles.capacity();
  }

 private:
  struct Counts {
    std::vector<Number> totals, singles, sums, best0, best1, leaf0, leaf1;
    std::vector<char> splits;  // both sides of the column are large enough
    std::vector<std::int32_t> classes;
    Number total = 0;
    Cost errors = 0;

    void resize(std::size_t n_counts, std::size_t stride) {
      totals.resize(n_counts);
      singles.resize(n_counts * stride);
      for (auto* v : {&sums, &best0, &best1, &leaf0, &leaf1}) v->resize(stride);
      splits.resize(stride);
    }
  };

  PairJob<Number> new_job() {
    PairJob<Number> job;
    job.n_columns = table_.n_columns();
    job.stride = stride_;
    job.n_counts = n_counts_;
    job.packed = packed_.groups;
    job.min_samples_leaf = static_cast<Number>(std::min(static_cast<std::uint64_t>(objective_.min_samples_leaf),
                                                std::uint64_t{std::numeric_limits<Number>::max()}));
    job.rows_count = table_.rows_apart() ? table_.n_classes() : -1;
    job.buffer = buffer_.data();
    return job;
  }

  Side<Number> side(Counts& c) {
    return {c.classes.size() > 1, c.classes,      c.totals.data(), c.singles.data(),
            c.sums.data(),        c.total,        c.best0.data(),  c.best1.data()};
  }

  void run(PairJob<Number>& job, Stop& stop) {
    std::int64_t per_column = static_cast<std::int64_t>(n_counts_);
    for (const auto& g : job.packed) per_column += static_cast<std::int64_t>(g.n_nibbles);
    per_column *= static_cast<std::int64_t>(stride_ / kLanes + 1);
    const auto slice = to_size(
        2 * std::max<std::int64_t>(1, kStepsAtOnce / 2 / std::max<std::int64_t>(1, per_column)));
    for (job.begin = 0; job.begin < job.n_columns; job.begin = job.end) {
      job.end = std::min(job.n_columns, job.begin + slice);
      kernels_.pairs(job);
      if (stop.requested(per_column * static_cast<std::int64_t>(job.end - job.begin)))
        throw Stopped{};
    }
  }

  DepthTwoTable alone(Counts& counts, Stop& stop) {
    PairJob<Number> job = new_job();
    job.child = side(counts);
    if (job.child.wanted) run(job, stop);
    return reduce(counts);
  }

  void count(const Packed& packed, Counts& c) {
    std::ranges::fill(c.singles, Number{0});
    std::ranges::fill(c.totals, Number{0});
    for (std::size_t g = 0; g < packed.groups.size(); ++g) {
      const PackedRows& rows = packed.groups[g];
      const auto count = to_size(rows.count);
      kernels_.singles(rows, stride_, c.singles.data() + count * stride_);
      c.totals[count] = static_cast<Number>(
          c.totals[count] + (static_cast<Number>(packed.sizes[g]) << rows.shift));
    }
    finish(c);
  }

  void subtract(const Counts& all, const Counts& part, Counts& to) {
    for (std::size_t k = 0; k < n_counts_; ++k)
      to.totals[k] = static_cast<Number>(all.totals[k] - part.totals[k]);
    for (std::size_t j = 0; j < to.singles.size(); ++j)
      to.singles[j] = static_cast<Number>(all.singles[j] - part.singles[j]);
    finish(to);
  }

  // Everything that follows from totals and singles.
  void finish(Counts& c) {
    const auto n_classes = to_size(table_.n_classes());
    c.classes.clear();
    c.total = 0;
    Number largest = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      if (c.totals[k] > 0) c.classes.push_back(static_cast<std::int32_t>(k));
      c.total = static_cast<Number>(c.total + c.totals[k]);
      largest = std::max(largest, c.totals[k]);
    }
    c.errors = cost_of(c.total) - cost_of(largest);
    // Sums first, then leaves: total less the largest class on each side.
    Number *sums = c.sums.data(), *leaf0 = c.leaf0.data(), *leaf1 = c.leaf1.data();
    std::ranges::fill(c.sums, Number{0});
    std::ranges::fill(c.leaf0, Number{0});
    std::ranges::fill(c.leaf1, Number{0});
    for (const auto cls : c.classes) {
      const auto k = to_size(cls);
      const Number* with = c.singles.data() + k * stride_;
      const Number all = c.totals[k];
      for (std::size_t j = 0; j < stride_; ++j) {
        const Number without = static_cast<Number>(all - with[j]);
        sums[j] = static_cast<Number>(sums[j] + with[j]);
        leaf1[j] = leaf1[j] > with[j] ? leaf1[j] : with[j];
        leaf0[j] = leaf0[j] > without ? leaf0[j] : without;
      }
    }
    const Number total = c.total;
    for (std::size_t j = 0; j < stride_; ++j) {
      leaf1[j] = static_cast<Number>(sums[j] - leaf1[j]);
      leaf0[j] = static_cast<Number>(total - sums[j] - leaf0[j]);
    }
    c.best0 = c.leaf0;
    c.best1 = c.leaf1;
    const bool apart = table_.rows_apart();
    const Number* rows = apart ? c.singles.data() + n_classes * stride_ : sums;
    const Cost all = cost_of(apart ? c.totals[n_classes] : total);
    for (std::size_t j = 0; j < stride_; ++j)
      c.splits[j] = cost_of(rows[j]) >= objective_.min_samples_leaf && all - cost_of(rows[j]) >= objective_.min_samples_leaf;
  }

  DepthTwoTable reduce(const Counts& c) const {
    DepthTwoTable e;
    e.fill(c.errors);
    if (c.classes.size() < 2) return e;
    const Number *l0 = c.leaf0.data(), *l1 = c.leaf1.data(), *b0 = c.best0.data(),
                 *b1 = c.best1.data();
    const char* splits = c.splits.data();
    using Sum = std::conditional_t<sizeof(Number) <= 4, std::uint32_t, std::uint64_t>;
    auto e1 = static_cast<Sum>(c.errors), e2 = e1, e3 = e1;
    for (std::size_t i = 0; i < table_.n_columns(); ++i) {
      if (!splits[i]) continue;
      const Sum x0 = l0[i], x1 = l1[i], y0 = b0[i], y1 = b1[i];
      e1 = std::min(e1, x0 + x1);
      e2 = std::min(e2, std::min(y0 + x1, x0 + y1));
      e3 = std::min(e3, y0 + y1);
    }
    e[1] = static_cast<Cost>(e1);
    e[2] = static_cast<Cost>(std::min(e1, e2));
    e[3] = static_cast<Cost>(std::min({e1, e2, e3}));
    return e;
  }

  // The first column that reaches the known best below one side of column i.
  std::int32_t stump(std::size_t i, std::span<const Word> rows, bool side) const {
    const Cost wanted = cost_of(side ? child_.best1[i] : child_.best0[i]);
    if (wanted == cost_of(side ? child_.leaf1[i] : child_.leaf0[i])) return -1;
    Rows all, here, with, without;
    all.words.assign(rows.begin(), rows.end());
    divide(table_, all, i, with, without);
    here = side ? with : without;
    for (std::size_t j = 0; j < table_.n_columns(); ++j) {
      divide(table_, here, j, with, without);
      if (std::min(with.n_rows, without.n_rows) < objective_.min_samples_leaf) continue;
      if (with.errors + without.errors == wanted) return static_cast<std::int32_t>(j);
    }
    return -1;
  }

  const BinaryTable& table_;
  const Kernels& kernels_;
  std::size_t n_counts_, stride_, most_bytes_ = 0;
  Objective objective_;
  bool subtract_, kept_ = false;
  std::vector<Number> buffer_, matrix_;
  Counts parent_, child_, rest_;
  Packed packed_;
};

}  // namespace

PairCounter& DepthTwo::counter(std::span<const Word> rows) {
  const Cost weight = table_.weight_in(rows, table_.everything());
  const auto ready = [&]<typename Number>(std::unique_ptr<PairCounter>& made, Number) -> PairCounter& {
    if (!made) {
      made = std::make_unique<Counter<Number>>(table_, objective_, switches_);
      made->limit(most_bytes_);
    }
    return *made;
  };
  if (weight <= std::numeric_limits<std::uint8_t>::max()) return ready(counters_[0], std::uint8_t{});
  if (weight <= std::numeric_limits<std::uint16_t>::max())
    return ready(counters_[1], std::uint16_t{});
  // Up to 2^30, so that sums of errors of two sides fit as well.
  if (weight <= (Cost{1} << 30)) return ready(counters_[2], std::uint32_t{});
  return ready(counters_[3], std::uint64_t{});
}

void DepthTwo::limit(std::size_t most) {
  most_bytes_ = most;
  for (const auto& counter : counters_)
    if (counter) counter->limit(most);
}

std::size_t DepthTwo::bytes() const {
  std::size_t total = 0;
  for (const auto& counter : counters_)
    if (counter) total += counter->bytes();
  return total;
}

}  // namespace mixedwood::optimal::binary
