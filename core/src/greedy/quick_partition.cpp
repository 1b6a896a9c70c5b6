#include "quick_partition.hpp"

#include <algorithm>
#include <cmath>

#include "keys.hpp"
#include "x_log_x.hpp"

namespace mixedwood {
namespace {

constexpr int kMostPasses = 10;
constexpr int kMostIterations = 15;  // an order needs no more of an axis

std::size_t place_of(std::uint64_t key) { return static_cast<std::size_t>(key & 0xffffffffU); }

}  // namespace

const Sides& QuickPartition::best(const ValueTable& table, bool refine, Stop& stop) {
  list_entries(table);
  find_axis(table);
  cut_along_axis(table);
  if (refine) this->refine(table, stop);
  return sides_;
}

const Sides& QuickPartition::improve(const ValueTable& table, const Sides& sides, Stop& stop) {
  list_entries(table);
  sides_ = sides;
  best_left_.assign(table.n_classes, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (sides_[i] == 0)
      for (std::size_t e = start_[i]; e < start_[i + 1]; ++e)
        best_left_[present_[e].cls] += present_[e].weight;
  refine(table, stop);
  return sides_;
}

void QuickPartition::refine(const ValueTable& table, Stop& stop) {
  if (impurity_ == ImpurityKind::kGini)
    move_while_better(table, [](double c) { return c * c; }, stop);
  else
    move_while_better(table, [&x_log_x = XLogX::table()](double c) { return x_log_x(c); }, stop);
}

// In nodes of few rows most values have rows of one or two classes only.
void QuickPartition::list_entries(const ValueTable& table) {
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

// Power iteration on the covariance of the values' class shares, each value with its weight.
void QuickPartition::find_axis(const ValueTable& table) {
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

void QuickPartition::cut_along_axis(const ValueTable& table) {
  const std::size_t n = table.size(), k = table.n_classes;
  order_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double score = 0.0;
    for (std::size_t e = start_[i]; e < start_[i + 1]; ++e)
      score += axis_[present_[e].cls] * present_[e].weight;
    // Single precision is enough for an order.
    order_[i] = sortable(static_cast<float>(score / table.totals[i])) << 32 | i;
  }
  sort_keys(order_, other_order_, std::uint64_t{1} << 32);
  left_.assign(k, 0.0);
  right_ = table.known;
  double squares_left = 0.0, squares_right = 0.0, weight = 0.0;
  for (double c : right_) squares_right += c * c;
  double best = -1.0;
  std::size_t length = 1;
  for (std::size_t t = 0; t + 1 < n; ++t) {
    const std::size_t i = place_of(order_[t]);
    for (std::size_t e = start_[i]; e < start_[i + 1]; ++e) {
      const double c = present_[e].weight;
      double &l = left_[present_[e].cls], &r = right_[present_[e].cls];
      squares_left += c * (2.0 * l + c);
      squares_right -= c * (2.0 * r - c);
      l += c;
      r -= c;
    }
    weight += table.totals[i];
    const double value = squares_left / weight + squares_right / (table.known_total - weight);
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
}

// `part` is what a class weight adds to the purity of a group: its square, or x log x.
template <typename Part>
void QuickPartition::move_while_better(const ValueTable& table, Part part, Stop& stop) {
  const std::size_t n = table.size(), k = table.n_classes;
  const bool gini = impurity_ == ImpurityKind::kGini;
  const auto purity = [&](double sum, double weight) {
    return gini ? sum / weight : sum - part(weight);
  };
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
    for (double c : *counts[s]) sums[s] += part(c);
  double current = purity(sums[0], weights[0]) + purity(sums[1], weights[1]);
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
        less += part(source[l] - c) - part(source[l]);
        more += part(target[l] + c) - part(target[l]);
      }
      const double weight = table.totals[i];
      const double value = purity(less, weights[from] - weight) + purity(more, weights[to] + weight);
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
}

}  // namespace mixedwood
