// Minimal description length (Fayyad and Irani 1993) cuts where it saves most class entropy, as
// long as the saving pays for naming the cut; CAIM (Kurgan and Cios 2004) adds the cut that makes
// classes and ranges depend most on each other; equal width and equal frequency see no class.
//
// Sums of logarithms and quotients that are equal on paper may differ in their last bits here, and
// "the first of equals" must not hang on them: what differs by less than kSame counts as equal.
#include "mixedwood/discretize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "../criteria/impurity.hpp"

namespace mixedwood {
namespace {

constexpr double kSame = 1e-12;
constexpr std::int64_t kMostBins = 65536;

// Class entropy of some rows in bits, times their number; and how many classes they have.
struct Mix {
  double bits = 0.0;
  double rows = 0.0;
  int classes = 0;
};

Mix mix_of(std::span<const std::int64_t> counts, const EntropyPurity& entropy) {
  Mix mix;
  std::int64_t rows = 0;
  double sum = 0.0;
  for (const std::int64_t count : counts) {
    rows += count;
    mix.classes += count > 0;
    sum += entropy.part(static_cast<double>(count));
  }
  mix.rows = static_cast<double>(rows);
  mix.bits = mix.classes < 2 ? 0.0 : entropy.rest(sum, mix.rows);
  return mix;
}

// Of 3^k - 2, which is too large for a number where k is.
double log2_of_groupings(int classes) {
  return classes < 30 ? std::log2(std::pow(3.0, classes) - 2.0) : classes * std::log2(3.0);
}

bool saving_pays(const Mix& all, const Mix& left, const Mix& right) {
  const auto weighed = [](const Mix& mix) { return mix.classes * mix.bits / mix.rows; };
  const double saved = (all.bits - left.bits - right.bits) / all.rows;
  const double delta =
      log2_of_groupings(all.classes) - (weighed(all) - weighed(left) - weighed(right));
  const double price = (std::log2(all.rows - 1.0) + delta) / all.rows;
  return saved - price > kSame;
}

// Whether rows with these two values, neighbours, are all of one class. No best cut lies between.
bool same_single_class(const ValueCounts& column, std::size_t value) {
  const auto here = column.of(value), next = column.of(value + 1);
  return here.size() == 1 && next.size() == 1 && here[0].of_class == next[0].of_class;
}

void add_rows(const ValueCounts& column, std::size_t begin, std::size_t end,
              std::vector<std::int64_t>& counts) {
  counts.assign(column.n_classes, 0);
  for (std::size_t v = begin; v < end; ++v)
    for (const auto [k, count] : column.of(v)) counts[at(k)] += count;
}

CutPoint cut_after(const ValueCounts& column, std::size_t value) {
  return {halfway(column.values[value], column.values[value + 1]), value + 1};
}

// What one range adds to the sum of CAIM.
double dependence(std::int64_t largest, std::int64_t rows) {
  const auto most = static_cast<double>(largest);
  return most * most / static_cast<double>(rows);
}

}  // namespace

double halfway(double below, double above) {
  const double middle = below / 2 + above / 2;
  return middle >= below && middle < above ? middle : below;
}

void Discretizer::find(CutRule rule, const ValueCounts& column, std::int64_t n_bins,
                       std::vector<CutPoint>& cuts) {
  cuts.clear();
  if (column.size() < 2) return;
  switch (rule) {
    case CutRule::kMdlp: return mdlp(column, cuts);
    case CutRule::kCaim: return caim(column, cuts);
    case CutRule::kEqualWidth: return equal_width(column, n_bins, cuts);
    case CutRule::kEqualFrequency: return equal_frequency(column, n_bins, cuts);
  }
}

void Discretizer::mdlp(const ValueCounts& column, std::vector<CutPoint>& cuts) {
  const EntropyPurity entropy;
  const auto f = [&](std::int64_t x) { return entropy.part(static_cast<double>(x)); };
  pending_.assign(1, {0, column.size()});
  while (!pending_.empty()) {
    const Range range = pending_.back();
    pending_.pop_back();
    add_rows(column, range.begin, range.end, right_);
    const Mix all = mix_of(right_, entropy);
    if (all.classes < 2) continue;  // nothing to save
    const double same = kSame * entropy.part(all.rows);
    double least = std::numeric_limits<double>::infinity();
    std::size_t best = range.end;
    left_.assign(column.n_classes, 0);
    std::int64_t n_left = 0, n_right = static_cast<std::int64_t>(all.rows);
    double left_sum = 0.0, right_sum = f(n_right) - all.bits;  // of x log x over the classes
    for (std::size_t v = range.begin; v + 1 < range.end; ++v) {
      for (const auto [of_class, count] : column.of(v)) {
        std::int64_t& left = left_[at(of_class)];
        std::int64_t& right = right_[at(of_class)];
        left_sum += f(left + count) - f(left);
        right_sum += f(right - count) - f(right);
        left += count;
        right -= count;
      }
      n_left += column.rows[v];
      n_right -= column.rows[v];
      if (same_single_class(column, v)) continue;
      const double bits = f(n_left) - left_sum + f(n_right) - right_sum;
      if (bits < least - same) {
        least = bits;
        best = v;
      }
    }
    if (best == range.end) continue;
    add_rows(column, range.begin, best + 1, left_);
    add_rows(column, best + 1, range.end, right_);
    if (!saving_pays(all, mix_of(left_, entropy), mix_of(right_, entropy))) continue;
    cuts.push_back(cut_after(column, best));
    pending_.push_back({range.begin, best + 1});
    pending_.push_back({best + 1, range.end});
  }
  std::sort(cuts.begin(), cuts.end(), [](const CutPoint& a, const CutPoint& b) { return a.after < b.after; });
}

// A range with what it adds now, and what its best cut would make of it.
struct Discretizer::CaimRange {
  Range range;
  double now = 0.0;
  double after = 0.0;
  std::size_t cut = 0;  // the value left of the cut
  bool can_be_cut() const { return range.end - range.begin > 1; }
};

Discretizer::CaimRange Discretizer::look(const ValueCounts& column, Range range) {
  CaimRange found{range};
  // Rows are only added to a side, so its largest class is known without looking at all of them.
  const auto scan = [&](std::vector<std::int64_t>& counts, std::size_t v, std::int64_t& rows,
                         std::int64_t& largest) {
    for (const auto [of_class, count] : column.of(v)) {
      std::int64_t& mine = counts[at(of_class)];
      mine += count;
      largest = std::max(largest, mine);
    }
    rows += column.rows[v];
    return dependence(largest, rows);
  };
  terms_.resize(column.size());
  right_.assign(column.n_classes, 0);
  std::int64_t rows = 0, largest = 0;
  for (std::size_t v = range.end; v-- > range.begin;) terms_[v] = scan(right_, v, rows, largest);
  found.now = terms_[range.begin];
  left_.assign(column.n_classes, 0);
  rows = largest = 0;
  for (std::size_t v = range.begin; v + 1 < range.end; ++v) {
    const double sum = scan(left_, v, rows, largest) + terms_[v + 1];
    if (sum > found.after * (1.0 + kSame)) {
      found.after = sum;
      found.cut = v;
    }
  }
  return found;
}

// A new cut changes one range only, so every range remembers its best cut: all steps together look
// at a value once for each time its range is cut.
void Discretizer::caim(const ValueCounts& column, std::vector<CutPoint>& cuts) {
  std::vector<CaimRange> ranges{look(column, {0, column.size()})};
  add_rows(column, 0, column.size(), left_);
  const auto classes = std::count_if(left_.begin(), left_.end(), [](auto n) { return n > 0; });
  double best_value = 0.0;
  for (;;) {
    double sum = 0.0;
    for (const CaimRange& range : ranges) sum += range.now;
    double best_sum = 0.0;
    std::size_t chosen = ranges.size();
    for (std::size_t r = 0; r < ranges.size(); ++r) {
      if (!ranges[r].can_be_cut()) continue;
      const double with_cut = sum - ranges[r].now + ranges[r].after;
      if (with_cut > best_sum * (1.0 + kSame)) {
        best_sum = with_cut;
        chosen = r;
      }
    }
    if (chosen == ranges.size()) break;  // no cut is left
    const auto step = static_cast<std::int64_t>(ranges.size());
    const double value = best_sum / static_cast<double>(step + 1);
    if (value <= best_value * (1.0 + kSame) && step >= classes) break;
    best_value = value;
    const CaimRange old = ranges[chosen];
    ranges[chosen] = look(column, {old.range.begin, old.cut + 1});
    ranges.insert(ranges.begin() + static_cast<std::ptrdiff_t>(chosen) + 1,
                  look(column, {old.cut + 1, old.range.end}));
  }
  for (std::size_t r = 0; r + 1 < ranges.size(); ++r)
    cuts.push_back(cut_after(column, ranges[r].range.end - 1));
}

void Discretizer::equal_width(const ValueCounts& column, std::int64_t n_bins,
                              std::vector<CutPoint>& cuts) {
  const double least = column.values.front(), most = column.values.back();
  const auto bins = static_cast<double>(n_bins);
  for (std::int64_t i = 1; i < n_bins; ++i) {
    const auto place = static_cast<double>(i);
    double at = least + (most - least) * place / bins;
    if (!std::isfinite(at)) at = least * (1.0 - place / bins) + most * (place / bins);
    // Between numbers that are close, many cuts fall on one; all others are above the largest.
    if (at >= most) break;
    if (at < least || (!cuts.empty() && at <= cuts.back().at)) continue;
    const auto above = std::upper_bound(column.values.begin(), column.values.end(), at);
    cuts.push_back({at, static_cast<std::size_t>(above - column.values.begin())});
  }
}

void Discretizer::equal_frequency(const ValueCounts& column, std::int64_t n_bins,
                                  std::vector<CutPoint>& cuts) {
  const std::int64_t n =
      std::accumulate(column.rows.begin(), column.rows.end(), std::int64_t{0});
  std::int64_t reached = 0;  // rows up to and with `value`
  std::int64_t part = 1;
  for (std::size_t value = 0; value + 1 < column.size() && part < n_bins; ++value) {
    reached += column.rows[value];
    bool cut = false;
    // Boundaries inside the run of this value move to its end, and several there are one. With
    // fewer rows than ranges some come before the first row; others of them come right after it.
    for (; part < n_bins && part * n / n_bins <= reached; ++part) cut = true;
    if (cut) cuts.push_back(cut_after(column, value));
  }
}

std::vector<CutPoint> cut_points(CutRule rule, std::span<const double> numbers,
                            std::span<const std::int32_t> classes, std::size_t n_classes,
                            std::int64_t n_bins) {
  if (!classes.empty() && classes.size() != numbers.size())
    throw std::invalid_argument("one class is needed for each number");
  if (classes.empty()) n_classes = 1;
  if (numbers.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("columns of more than 2^31 - 1 rows are too long");
  for (const std::int32_t c : classes)
    if (c < 0 || static_cast<std::size_t>(c) >= n_classes)
      throw std::invalid_argument("a class is not one of the classes");
  if (n_bins < 1 || n_bins > kMostBins)
    throw std::invalid_argument("the number of ranges must be from 1 to 65536");
  std::vector<std::pair<double, std::int32_t>> rows;
  rows.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isnan(numbers[i])) rows.emplace_back(numbers[i], classes.empty() ? 0 : classes[i]);
  if (!std::is_sorted(rows.begin(), rows.end())) std::sort(rows.begin(), rows.end());
  std::vector<double> values;
  std::vector<std::int32_t> counts, offset{0};
  std::vector<ValueCounts::Entry> entries;
  for (const auto& [number, c] : rows) {
    if (values.empty() || number != values.back()) {
      offset.back() = static_cast<std::int32_t>(entries.size());
      offset.push_back(0);
      values.push_back(number);
      counts.push_back(0);
    }
    ++counts.back();
    const bool more = static_cast<std::size_t>(offset[offset.size() - 2]) < entries.size() &&
                      entries.back().of_class == c;
    if (more) ++entries.back().count;
    else entries.push_back({c, 1});
  }
  offset.back() = static_cast<std::int32_t>(entries.size());
  std::vector<CutPoint> cuts;
  Discretizer().find(rule, {values, counts, entries, offset, n_classes}, n_bins, cuts);
  return cuts;
}

}  // namespace mixedwood
