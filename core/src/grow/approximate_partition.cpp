#include "approximate_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../criteria/impurity.hpp"
#include "../keys.hpp"

namespace mixedwood {
namespace {

constexpr int kMostPasses = 10;
constexpr std::size_t kClassesAgainstRest = 4;
constexpr int kMostIterations = 15;  // an order needs no more of an axis

// Sums and weights are differences that may be noise beside the node's; but Gini's purity never
// exceeds the weight.
struct NoisyGini : GiniPurity {
  static double of(double squares, double weight) {
    return weight > 0.0 ? std::clamp(GiniPurity::of(squares, weight), 0.0, weight) : 0.0;
  }
  static double of_two(double sum, double weight, double other_sum, double other_weight) {
    return of(sum, weight) + of(other_sum, other_weight);
  }
};
struct NoisyEntropy : EntropyPurity {
  double of_two(double sum, double weight, double other_sum, double other_weight) const {
    return of(of(sum, weight) + other_sum, other_weight);
  }
};

std::size_t place_of(std::uint64_t key) { return static_cast<std::size_t>(key & 0xffffffffU); }

}  // namespace

const Sides& ApproximatePartition::best(const ColumnCounts& table, bool refined, Stop& stop) {
  list_entries(table);
  find_axis(table);
  order_along_axis(table);
  cut_in_order(table, NoisyGini());
  if (!refined) return sides_;
  refine(table, stop);
  Sides along_axis = sides_;
  std::vector<double> left = best_left_;
  const double purity = purity_;
  // One class set against the rest is often a better start, for entropy above all. The classes that
  // vary most between the values are tried.
  double best = -std::numeric_limits<double>::infinity();
  std::size_t best_class = 0;
  for (const std::size_t cls : varying_classes(table)) {
    order_by_share(table, cls);
    const double value = cut_by_criterion(table);
    if (value > best) {
      best = value;
      best_class = cls;
    }
  }
  order_by_share(table, best_class);
  cut_by_criterion(table);
  refine(table, stop);
  if (purity_ > purity) return sides_;
  sides_.swap(along_axis);
  best_left_.swap(left);
  return sides_;
}

void ApproximatePartition::refine(const ColumnCounts& table, Stop& stop) {
  if (impurity_ == ImpurityKind::kGini)
    move_while_better(table, NoisyGini(), stop);
  else
    move_while_better(table, NoisyEntropy(), stop);
}

std::vector<std::size_t> ApproximatePartition::varying_classes(const ColumnCounts& table) const {
  const std::size_t k = table.n_classes;
  std::vector<std::size_t> classes(k);
  std::iota(classes.begin(), classes.end(), 0);
  std::stable_sort(classes.begin(), classes.end(), [&](std::size_t a, std::size_t b) {
    return covariance_[a * k + a] > covariance_[b * k + b];
  });
  classes.resize(std::min(classes.size(), kClassesAgainstRest));
  return classes;
}

double ApproximatePartition::cut_by_criterion(const ColumnCounts& table) {
  if (impurity_ == ImpurityKind::kGini)
    return cut_in_order(table, NoisyGini());
  return cut_in_order(table, NoisyEntropy());
}

// In nodes of few rows most values have rows of one or two classes only.
void ApproximatePartition::list_entries(const ColumnCounts& table) {
  const std::size_t n = table.size(), k = table.n_classes;
  start_.resize(n + 1);
  present_.resize(n * k);
  std::size_t end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    start_[i] = end;
    const double* entry = table.entry(i).data();
    for (std::size_t l = 0; l < k; ++l) {
      present_[end] = {entry[l], l};
      end += entry[l] != 0.0;
    }
  }
  start_[n] = end;
}

// Power iteration on the covariance of the values' class proportions, each value with its weight.
void ApproximatePartition::find_axis(const ColumnCounts& table) {
  const std::size_t n = table.size(), k = table.n_classes;
  covariance_.assign(k * k, 0.0);
  const bool sparse = 2 * start_[n] < n * k;
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = 1.0 / table.totals[i];
    const double* entry = table.entry(i).data();
    for (std::size_t a = start_[i]; a < start_[i + 1]; ++a) {
      const double share = present_[a].weight * scale;
      double* row = covariance_.data() + present_[a].cls * k;
      if (sparse)
        for (std::size_t b = start_[i]; b < start_[i + 1]; ++b)
          row[present_[b].cls] += share * present_[b].weight;
      else
        for (std::size_t l = 0; l < k; ++l) row[l] += share * entry[l];
    }
  }
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < k; ++b)
      covariance_[a * k + b] -= table.known[a] * table.known[b] / table.known_total;
  // The class that varies most is never at right angles to the axis, but for rare accidents.
  std::size_t start = 0;
  for (std::size_t a = 1; a < k; ++a)
    if (covariance_[a * k + a] > covariance_[start * k + start]) start = a;
  const auto row = covariance_.begin() + static_cast<std::ptrdiff_t>(start * k);
  axis_.assign(row, row + static_cast<std::ptrdiff_t>(k));
  for (int step = 0; step < kMostIterations; ++step) {
    double norm = 0.0;
    next_.assign(k, 0.0);
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) next_[a] += covariance_[a * k + b] * axis_[b];
      norm += next_[a] * next_[a];
    }
    if (!(norm > 0.0)) break;
    norm = std::sqrt(norm);
    double change = 0.0;
    for (std::size_t a = 0; a < k; ++a) {
      next_[a] /= norm;
      change = std::max(change, std::abs(next_[a] - axis_[a]));
    }
    axis_.swap(next_);
    if (change < 1e-3) break;
  }
}

void ApproximatePartition::order_along_axis(const ColumnCounts& table) {
  order_.resize(table.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    double score = 0.0;
    for (std::size_t e = start_[i]; e < start_[i + 1]; ++e)
      score += axis_[present_[e].cls] * present_[e].weight;
    // Single precision is enough for an order.
    order_[i] = sortable(static_cast<float>(score / table.totals[i])) << 32 | i;
  }
  sort_keys(order_, other_order_, std::uint64_t{1} << 32);
}

void ApproximatePartition::order_by_share(const ColumnCounts& table, std::size_t cls) {
  for (std::size_t i = 0; i < order_.size(); ++i)
    order_[i] =
        sortable(static_cast<float>(table.entry(i)[cls] / table.totals[i])) << 32 | i;
  sort_keys(order_, other_order_, std::uint64_t{1} << 32);
}

// Where the groups are purest; returns how pure.
template <typename Purity>
double ApproximatePartition::cut_in_order(const ColumnCounts& table, const Purity& purity) {
  const std::size_t n = table.size(), k = table.n_classes;
  left_.assign(k, 0.0);
  right_ = table.known;
  double sum_left = 0.0, sum_right = 0.0, weight = 0.0;
  for (double c : right_) sum_right += purity.part(c);
  double best = -std::numeric_limits<double>::infinity();
  std::size_t length = 1;
  for (std::size_t t = 0; t + 1 < n; ++t) {
    const std::size_t i = place_of(order_[t]);
    for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
      const double c = present_[e].weight;
      double &l = left_[present_[e].cls], &r = right_[present_[e].cls];
      sum_left += purity.part(l + c) - purity.part(l);
      sum_right += purity.part(r - c) - purity.part(r);
      l += c;
      r -= c;
    }
    weight += table.totals[i];
    const double rest = table.known_total - weight;
    const double value = purity.of_two(sum_left, weight, sum_right, rest);
    if (value > best) {
      best = value;
      length = t + 1;
    }
  }
  sides_.assign(n, 1);
  best_left_.assign(k, 0.0);
  for (std::size_t t = 0; t < length; ++t) {
    const std::size_t i = place_of(order_[t]);
    sides_[i] = 0;
    for (std::size_t e = start_[i]; e < start_[i + 1]; ++e)
      best_left_[present_[e].cls] += present_[e].weight;
  }
  return best;
}

template <typename Purity>
void ApproximatePartition::move_while_better(const ColumnCounts& table, const Purity& purity, Stop& stop) {
  const std::size_t n = table.size(), k = table.n_classes;
  left_ = best_left_;
  std::vector<double>* counts[2] = {&left_, &right_};
  double sums[2] = {0.0, 0.0}, weights[2] = {0.0, 0.0};
  std::size_t sizes[2] = {0, 0};
  for (std::size_t l = 0; l < k; ++l) right_[l] = std::max(0.0, table.known[l] - left_[l]);
  for (std::size_t i = 0; i < n; ++i) {
    weights[sides_[i]] += table.totals[i];
    ++sizes[sides_[i]];
  }
  for (int s : {0, 1})
    for (double c : *counts[s]) sums[s] += purity.part(c);
  double current = purity.of(sums[0], weights[0]) + purity.of(sums[1], weights[1]);
  // Smaller gains are rounding and could go round in circles.
  const double margin = 1e-12 * std::max(std::abs(current), table.known_total);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool moved = false;
    for (std::size_t i = 0; i < n; ++i) {
      const int from = sides_[i], to = 1 - from;
      if (sizes[from] == 1) continue;
      std::vector<double>&source = *counts[from], &target = *counts[to];
      double less = sums[from], more = sums[to];
      for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
        const auto& [c, l] = present_[e];
        less += purity.part(source[l] - c) - purity.part(source[l]);
        more += purity.part(target[l] + c) - purity.part(target[l]);
      }
      const double weight = table.totals[i];
      const double value =
          purity.of(less, weights[from] - weight) + purity.of(more, weights[to] + weight);
      if (!(value > current + margin)) continue;
      for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
        source[present_[e].cls] -= present_[e].weight;
        target[present_[e].cls] += present_[e].weight;
      }
      sums[from] = less;
      sums[to] = more;
      weights[from] -= weight;
      weights[to] += weight;
      --sizes[from];
      ++sizes[to];
      sides_[i] = static_cast<std::uint8_t>(to);
      current = value;
      moved = true;
    }
    if (!moved || stop.requested(static_cast<std::int64_t>(start_[n]))) break;
  }
  best_left_ = left_;
  purity_ = current;
}

}  // namespace mixedwood
