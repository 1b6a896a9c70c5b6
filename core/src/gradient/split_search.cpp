#include "split_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>

#include "../chance.hpp"
#include "../keys.hpp"
#include "mixedwood/random.hpp"

namespace mixedwood {
namespace {

// A gain that is nothing but rounding.
constexpr double kRounding = 1e-10;
// Number of different values of a target statistic.
constexpr std::size_t kStatistics = 512;
// Standard deviations by which parts of the rows have to agree about the categories of a column.
constexpr double kAgreement = 2.0;
// A column whose parts do not agree is cut in a random order if categories have as many rows.
constexpr std::int64_t kRowsPerCategory = 3;

// Twice what a step lowers the loss by.
double step_worth(double gradient, double curvature, double step) {
  return -step * (2.0 * gradient + curvature * step);
}

}  // namespace

SplitSearch::SplitSearch(const BinnedSchema& table, const GradientSettings& settings,
                         const Scale& scale, const SumLayout& layout, const Adder* adder,
                         std::size_t n_outputs, double row_weight)
    : table_(table),
      settings_(settings),
      scale_(scale),
      layout_(layout),
      adder_(adder),
      n_outputs_(n_outputs),
      row_weight_(row_weight),
      rank_(table.columns().size()),
      total_(n_outputs),
      left_(n_outputs) {
  std::size_t most = 0;
  for (const auto& column : table.columns())
    most = std::max(most, static_cast<std::size_t>(column.n_bins));
  parts_of_bin_.resize((most + 7) / 8 * 8);
}

double SplitSearch::worth(std::span<const Sum> total, double l2) const {
  double worth = 0.0;
  for (const Sum& sum : total) {
    const double gradient = scale_.gradient(sum), curvature = scale_.hessian(sum) + l2;
    if (!(curvature > 0.0)) continue;
    if (settings_.monotonic_cst.empty())
      worth += gradient * (gradient / curvature);  // a square may overflow
    else
      worth += step_worth(gradient, curvature, bounds_.clip(-gradient / curvature));
  }
  return worth;
}

// What the node as a whole has: the same for all cuts.
void SplitSearch::start(std::span<const Sum> total, double l2, double chance) {
  l2_ = l2;
  chance_ = chance;
  before_ = worth(total, l2);
  all_rows_ = scale_.rows(total[0]);
  for (std::size_t d = 0; d < n_outputs_; ++d)
    total_[d] = {scale_.gradient(total[d]), scale_.hessian(total[d])};
}

// Of the rows in left_ and the rest of the node; nothing if they may not be children. Hessians are
// those of all outputs together: a row may be certain for one class, and not for the others.
double SplitSearch::gain() const {
  const std::int64_t rows = scale_.rows(left_[0]);
  if (static_cast<double>(rows) < settings_.min_samples_leaf ||
      static_cast<double>(all_rows_ - rows) < settings_.min_samples_leaf)
    return 0.0;
  double gain = 0.0, all_left = 0.0, all_right = 0.0;
  for (std::size_t d = 0; d < n_outputs_; ++d) {
    const double left = scale_.gradient(left_[d]), left_hessian = scale_.hessian(left_[d]);
    const double right = total_[d].gradient - left;
    const double right_hessian = total_[d].hessian - left_hessian;
    all_left += left_hessian;
    all_right += right_hessian;
    if (!settings_.monotonic_cst.empty()) {
      gain += constrained_gain(left, left_hessian, right, right_hessian);
      continue;
    }
    if (left_hessian + l2_ > 0.0) gain += left * (left / (left_hessian + l2_));
    if (right_hessian + l2_ > 0.0) gain += right * (right / (right_hessian + l2_));
  }
  if (all_left < settings_.min_child_weight || all_right < settings_.min_child_weight) return 0.0;
  return gain - before_;
}

// With steps inside the bounds of the node; minus infinity if they are in the wrong order.
double SplitSearch::constrained_gain(double left, double left_hessian, double right,
                                     double right_hessian) const {
  const double left_curvature = left_hessian + l2_, right_curvature = right_hessian + l2_;
  const double left_step = left_curvature > 0.0 ? bounds_.clip(-left / left_curvature) : 0.0;
  const double right_step = right_curvature > 0.0 ? bounds_.clip(-right / right_curvature) : 0.0;
  if (sign_ != 0 && (right_step - left_step) * sign_ < 0.0)
    return -std::numeric_limits<double>::infinity();
  return step_worth(left, left_curvature, left_step) + step_worth(right, right_curvature, right_step);
}

bool SplitSearch::is_better(double gain, const GradientSplit& best) const {
  if (!(gain > settings_.min_split_gain && gain > kRounding * before_)) return false;
  return !best.found() || gain - chance_ > best.rank + kRounding * before_;
}

// What to take off the gain of a nominal column before columns are compared: what noise gains by
// the choice of a cut, as far as the column may be noise. A squared sum of gradients over that of
// hessians has the weight of a row for its mean, in each output, so the spread of the values has as
// many degrees of freedom as there are values but one; a column whose spread is a standard
// deviation above chance is not doubted. Of a random order half of the expected excess is enough:
// more of it keeps many rounds from using columns whose values are weakly informative. Sorted values
// stand on the side that suits them, and two groups of normal numbers keep 2/pi of their spread.
// Numbers are not judged so: a threshold also holds for numbers that did not occur.
double SplitSearch::chance(const Sum* sums, std::span<const Sum> total, bool sorted) const {
  if (settings_.selection != Selection::kAdjusted) return 0.0;
  double spread = 0.0, freedom = 0.0;
  for (std::size_t d = 0; d < n_outputs_; ++d) {
    for (const std::int32_t bin : bins_) {
      const Sum& its = sums[at(bin) * n_outputs_ + d];
      const double gradient = scale_.gradient(its), hessian = scale_.hessian(its);
      if (!(hessian > 0.0)) continue;
      spread += gradient * (gradient / hessian);
      freedom += 1.0;
    }
    const double gradient = scale_.gradient(total[d]), hessian = scale_.hessian(total[d]);
    if (!(hessian > 0.0)) continue;
    spread -= gradient * (gradient / hessian);
    freedom -= 1.0;
  }
  if (!(freedom > 0.0)) return 0.0;
  const double surprise = (spread / row_weight_ - freedom) / std::sqrt(2.0 * freedom);
  const double doubt = std::clamp(1.0 - surprise, 0.0, 1.0);
  const auto n_values = static_cast<double>(bins_.size());
  const double degrees = std::max(1.0, static_cast<double>(n_outputs_) - 1.0);
  const double by_cuts = 0.5 * excess_of_degrees(degrees) * excess_of_cuts(n_values);
  const double by_sides = sorted ? 2.0 * std::numbers::inv_pi * (n_values - 2.0) : 0.0;
  return doubt * row_weight_ * std::max(by_cuts, by_sides);
}

// Of a node without sums, those of a column are made of its rows. Few cells have any, so that only
// these are looked at and cleared.
void SplitSearch::improve(std::int32_t column, const Node& node, std::uint64_t node_seed,
                          GradientSplit& best) {
  const auto c = static_cast<std::size_t>(column);
  const auto& its = table_.columns()[c];
  const auto n_bins = static_cast<std::size_t>(its.n_bins);
  bounds_ = node.bounds;
  sign_ = settings_.monotonic_cst.empty() ? std::int8_t{0} : settings_.monotonic_cst[c];
  const std::size_t n_parts = layout_.in_parts(c) ? layout_.n_parts() : 1;
  const std::size_t block = n_bins * n_outputs_;
  parts_known_ = node.sums.empty();
  const Sum* sums = nullptr;
  if (parts_known_) {
    if (of_column_.size() < n_parts * block) of_column_.resize(n_parts * block);
    adder_->add_column(node.rows, c, of_column_.data(), parts_of_bin_.data());
    find_bins_met(n_bins);
    sums = of_column_.data();
  } else {
    sums = node.sums.data() + layout_.first(0)[c];
  }
  if (n_parts > 1) {
    add_up_parts(sums, n_bins);
    if (!parts_known_) find_bins(all_parts_.data(), n_bins);
    by_target_statistics(column, sums, node.total, node_seed, best);
  } else {
    if (!parts_known_) find_bins(sums, n_bins);
    if (its.ordered)
      ordered(column, sums, node.total, best);
    else
      nominal(column, sums, node.total, node_seed, best);
  }
  if (!parts_known_) return;
  for (const std::int32_t bin : bins_) {
    for_parts(bin, [&](std::size_t part) {
      std::fill_n(of_column_.data() + part * block + at(bin) * n_outputs_, n_outputs_, Sum{});
    });
    parts_of_bin_[at(bin)] = 0;
  }
}

void SplitSearch::add_up_parts(const Sum* sums, std::size_t n_bins) {
  const std::size_t block = n_bins * n_outputs_;
  if (!parts_known_) {
    all_parts_.assign(sums, sums + block);
    for (std::size_t part = 1; part < layout_.n_parts(); ++part)
      for (std::size_t i = 0; i < block; ++i) all_parts_[i] += sums[part * block + i];
    return;
  }
  all_parts_.resize(block);
  for (const std::int32_t bin : bins_) {
    Sum* const all = all_parts_.data() + at(bin) * n_outputs_;
    std::fill_n(all, n_outputs_, Sum{});
    for_parts(bin, [&](std::size_t part) {
      const Sum* const its = sums + part * block + at(bin) * n_outputs_;
      for (std::size_t o = 0; o < n_outputs_; ++o) all[o] += its[o];
    });
  }
}

// Each number is written, and counts if its bin has rows: no branch to guess.
void SplitSearch::find_bins(const Sum* sums, std::size_t n_bins) {
  bins_.resize(n_bins);
  std::size_t n = 0;
  for (std::size_t b = 0; b < n_bins; ++b) {
    bins_[n] = static_cast<std::int32_t>(b);
    n += scale_.rows(sums[b * n_outputs_]) > 0;
  }
  bins_.resize(n);
}

void SplitSearch::find_bins_met(std::size_t n_bins) {
  bins_.resize(parts_of_bin_.size());
  std::size_t n = 0;
  for (std::size_t first = 0; first < n_bins; first += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, parts_of_bin_.data() + first, 8);
    if (eight == 0) continue;
    for (std::size_t b = first; b < first + 8; ++b) {
      bins_[n] = static_cast<std::int32_t>(b);
      n += parts_of_bin_[b] != 0;
    }
  }
  bins_.resize(n);
}

void SplitSearch::ordered(std::int32_t column, const Sum* sums, std::span<const Sum> total,
                        GradientSplit& best) {
  const auto& its = table_.columns()[at(column)];
  start(total, settings_.l2_regularization, 0.0);
  const bool missing = its.has_missing && !bins_.empty() && bins_.front() == 0;
  for (const bool missing_left : {true, false}) {
    if (!missing && !missing_left) break;
    for (std::size_t d = 0; d < n_outputs_; ++d)
      left_[d] = missing && missing_left ? sums[d] : Sum{};
    std::int32_t last = 0;
    for (const std::int32_t b : bins_) {
      if (b == 0) continue;
      const Sum* const here = sums + static_cast<std::size_t>(b) * n_outputs_;
      if (const double gain = last > 0 ? this->gain() : 0.0; is_better(gain, best)) {
        best.gain = gain;
        best.rank = gain - chance_;
        best.column = column;
        best.missing_left = missing_left;
        best.missing_known = missing;
        best.last_left = last;
        best.first_right = b;
        best.left = left_;
        best.place_of_cell.clear();
      }
      for (std::size_t d = 0; d < n_outputs_; ++d) left_[d] += here[d];
      last = b;
    }
  }
}

void SplitSearch::put_in_random_order(std::int32_t column, std::uint64_t node_seed) {
  if (settings_.category_order != CategoryOrder::kRandomPerTree) {
    Random(node_seed ^ (0x632be59bd9b4e019ULL * (static_cast<std::uint64_t>(column) + 1)))
        .shuffle(bins_);
    return;
  }
  auto& rank = rank_[at(column)];
  if (rank.empty()) {
    std::vector<std::uint32_t> order(
        static_cast<std::size_t>(table_.columns()[at(column)].n_bins));
    std::iota(order.begin(), order.end(), 0U);
    Random(settings_.seed, static_cast<std::uint64_t>(column)).shuffle(order);
    rank.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::uint32_t>(i);
  }
  std::sort(bins_.begin(), bins_.end(), [&](std::int32_t a, std::int32_t b) {
    return rank[at(a)] < rank[at(b)];
  });
}

void SplitSearch::nominal(std::int32_t column, const Sum* sums, std::span<const Sum> total,
                        std::uint64_t node_seed, GradientSplit& best) {
  if (bins_.size() < 2) return;
  const bool sorted = settings_.category_order != CategoryOrder::kRandomPerTree &&
                      settings_.category_order != CategoryOrder::kRandomPerNode;
  start(total, settings_.l2_regularization + settings_.cat_l2, chance(sums, total, sorted));
  if (sorted) {
    // With several outputs each has its own order; two values have only one.
    const std::size_t orders = bins_.size() == 2 ? 1 : n_outputs_;
    for (std::size_t d = 0; d < orders; ++d) {
      sort_by_step(column, sums, d);
      scan(column, sums, best);
    }
  } else {
    put_in_random_order(column, node_seed);
    scan(column, sums, best);
  }
}

// By the step that each bin would take by itself. The last bits of a step give way to its bin.
void SplitSearch::sort_by_step(std::int32_t column, const Sum* sums, std::size_t output) {
  const auto n_bins = table_.columns()[at(column)].n_bins;
  const std::uint64_t room = std::bit_ceil(static_cast<std::uint64_t>(n_bins)) - 1;
  keys_.resize(bins_.size());
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const auto bin = static_cast<std::size_t>(bins_[i]);
    const Sum& its = sums[bin * n_outputs_ + output];
    const double curvature = scale_.hessian(its) + settings_.cat_smooth;
    const double step = curvature > 0.0 ? scale_.gradient(its) / curvature : 0.0;
    keys_[i] = (sortable(step) & ~room) | bin;
  }
  merge_sort(keys_, other_keys_);
  for (std::size_t i = 0; i < bins_.size(); ++i)
    bins_[i] = static_cast<std::int32_t>(keys_[i] & room);
}

// All cuts of bins_ in their order.
void SplitSearch::scan(std::int32_t column, const Sum* sums, GradientSplit& best) {
  std::fill(left_.begin(), left_.end(), Sum{});
  std::size_t n_left = 0;
  for (std::size_t i = 0; i + 1 < bins_.size(); ++i) {
    const Sum* const here = sums + static_cast<std::size_t>(bins_[i]) * n_outputs_;
    for (std::size_t d = 0; d < n_outputs_; ++d) left_[d] += here[d];
    if (const double gain = this->gain(); is_better(gain, best)) {
      best.gain = gain;
      best.rank = gain - chance_;
      best.column = column;
      best.left = left_;
      n_left = i + 1;
    }
  }
  if (n_left == 0) return;
  best.bins = bins_;
  best.n_left = n_left;
  best.place_of_cell.clear();
}

// The output for which the parts of the rows agree most about the categories, and by how many
// standard deviations more than noise would: the sum of products of gradients of rows of different
// parts in the same category.
std::pair<std::size_t, double> SplitSearch::agreement(std::size_t n_bins, const Sum* sums) const {
  std::size_t found = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < n_outputs_; ++d) {
    if (!(total_[d].hessian > 0.0)) continue;
    const double step = total_[d].gradient / total_[d].hessian;
    double products = 0.0, variance = 0.0;
    for (const std::int32_t bin : bins_) {
      const Sum& all = all_parts_[at(bin) * n_outputs_ + d];
      const double hessian = scale_.hessian(all);
      const double gradient = scale_.gradient(all) - step * hessian;
      products += gradient * gradient;
      variance += hessian * hessian;
      for_parts(bin, [&](std::size_t part) {
        const Sum& its = sums[(part * n_bins + at(bin)) * n_outputs_ + d];
        const double h = scale_.hessian(its), g = scale_.gradient(its) - step * h;
        products -= g * g;
        variance -= h * h;
      });
    }
    if (!(variance > 0.0)) continue;
    const double deviations = products / (row_weight_ * std::sqrt(2.0 * variance));
    if (deviations > most) {
      most = deviations;
      found = d;
    }
  }
  return {found, most};
}

// A cell is a category in a part of the rows. Its statistic is the step that the rows of the
// category in the parts before would take, drawn to the node's step by `cat_smooth`. Where there
// are none it is the step of the node, so that identifiers cannot be separated. The parts are in
// an order because a statistic of all other parts falls as the own rows rise: after a cut by it,
// rows of the same category that are alike would be together, and the next cut would take that for
// a property of the category.
void SplitSearch::by_target_statistics(std::int32_t column, const Sum* sums,
                                       std::span<const Sum> total, std::uint64_t node_seed,
                                       GradientSplit& best) {
  const auto n_bins = static_cast<std::size_t>(table_.columns()[at(column)].n_bins);
  const std::size_t n_parts = layout_.n_parts(), block = n_bins * n_outputs_;
  if (bins_.size() < 2) return;
  start(total, settings_.l2_regularization + settings_.cat_l2,
        chance(all_parts_.data(), total, false));
  const auto agreed = agreement(n_bins, sums);
  const auto d = agreed.first;  // clang before 16 captures no bindings
  const auto deviations = agreed.second;
  if (!(deviations > kAgreement)) {  // nothing to order by
    // Few new rows have such a category, and they would stop at the node.
    if (all_rows_ < kRowsPerCategory * static_cast<std::int64_t>(bins_.size())) return;
    put_in_random_order(column, node_seed);
    scan(column, all_parts_.data(), best);
    return;
  }
  const double smooth = settings_.cat_smooth, step = total_[d].gradient / total_[d].hessian;
  const auto statistic = [&](Sum of) {
    const double curvature = scale_.hessian(of) + smooth;
    return curvature > 0.0 ? (scale_.gradient(of) + smooth * step) / curvature : step;
  };
  double low = std::numeric_limits<double>::infinity(), high = -low;
  statistic_.resize(n_bins * n_parts);
  place_.resize(n_bins * n_parts);
  for (const std::int32_t bin : bins_) {
    Sum before;
    for_parts(bin, [&](std::size_t part) {
      const Sum& own = sums[part * block + at(bin) * n_outputs_ + d];
      if (scale_.rows(own) == 0) return;
      const double its = scale_.rows(before) > 0 ? statistic(before) : step;
      before += own;
      statistic_[at(bin) * n_parts + part] = its;
      low = std::min(low, its);
      high = std::max(high, its);
    });
  }
  const double width = (high - low) / static_cast<double>(kStatistics);
  if (!(width > 0.0) || !std::isfinite(1.0 / width)) return;
  const auto place = [&](double its) {
    return static_cast<std::size_t>(
        std::clamp((its - low) / width, 0.0, static_cast<double>(kStatistics - 1)));
  };
  by_statistic_.resize(kStatistics * n_outputs_);
  std::uint64_t met[kStatistics / 64] = {};
  for (const std::int32_t bin : bins_) {
    for_parts(bin, [&](std::size_t part) {
      const Sum* const own = sums + part * block + at(bin) * n_outputs_;
      if (scale_.rows(own[0]) == 0) return;
      const std::size_t s = place(statistic_[at(bin) * n_parts + part]);
      place_[at(bin) * n_parts + part] = static_cast<std::uint16_t>(s);
      Sum* const into = by_statistic_.data() + s * n_outputs_;
      const std::uint64_t bit = std::uint64_t{1} << (s % 64);
      if ((met[s / 64] & bit) == 0) std::fill_n(into, n_outputs_, Sum{});
      met[s / 64] |= bit;
      for (std::size_t o = 0; o < n_outputs_; ++o) into[o] += own[o];
    });
  }
  std::fill(left_.begin(), left_.end(), Sum{});
  std::size_t last_left = kStatistics, first_right = 0, last = 0;
  GradientSplit found;
  found.rank = best.rank;
  found.column = best.column;
  for (std::size_t word = 0; word < kStatistics / 64; ++word) {
    for (std::uint64_t left = met[word]; left != 0; left &= left - 1) {
      const std::size_t s = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      const Sum* const here = by_statistic_.data() + s * n_outputs_;
      if (const double gain = s > 0 ? this->gain() : 0.0; is_better(gain, found)) {
        found.gain = gain;
        found.rank = gain - chance_;
        found.column = column;
        found.left = left_;
        last_left = last;
        first_right = s;
      }
      for (std::size_t o = 0; o < n_outputs_; ++o) left_[o] += here[o];
      last = s;
    }
  }
  if (last_left == kStatistics) return;
  // New rows have the statistic of all rows of their category.
  const std::size_t end = last_left + (first_right - last_left + 1) / 2;
  for (const bool right : {false, true}) {
    for (const std::int32_t bin : bins_)
      if ((place(statistic(all_parts_[at(bin) * n_outputs_ + d])) >= end) == right)
        found.bins.push_back(bin);
    if (!right) found.n_left = found.bins.size();
  }
  if (found.n_left == 0 || found.n_left == found.bins.size()) return;
  found.place_of_cell.assign(n_bins * n_parts, 0);
  for (const std::int32_t bin : bins_)
    for_parts(bin, [&](std::size_t part) {
      if (scale_.rows(sums[part * block + at(bin) * n_outputs_]) == 0) return;
      const std::size_t cell = at(bin) * n_parts + part;
      found.place_of_cell[cell] = place_[cell] >= end;
    });
  best = std::move(found);
}

}  // namespace mixedwood
