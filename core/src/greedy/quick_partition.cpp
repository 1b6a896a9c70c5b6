#include "quick_partition.hpp"

#include <algorithm>
#include <cmath>

#include "x_log_x.hpp"

namespace mixedwood {
namespace {

constexpr int kMostPasses = 10;
constexpr int kMostIterations = 60;

}  // namespace

const Sides& QuickPartition::best(const ValueTable& table, bool refine, Stop& stop) {
  totals_.assign(table.n_classes, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t l = 0; l < table.n_classes; ++l) totals_[l] += table.entry(i)[l];
  find_axis(table);
  cut_along_axis(table);
  if (refine) this->refine(table, stop);
  return sides_;
}

const Sides& QuickPartition::improve(const ValueTable& table, const Sides& sides, Stop& stop) {
  sides_ = sides;
  refine(table, stop);
  return sides_;
}

void QuickPartition::refine(const ValueTable& table, Stop& stop) {
  if (impurity_ == ImpurityKind::kGini)
    move_while_better(table, [](double c) { return c * c; }, stop);
  else
    move_while_better(table, [&x_log_x = XLogX::table()](double c) { return x_log_x(c); }, stop);
}

// Power iteration on the covariance of the values' class shares, each value with its weight.
void QuickPartition::find_axis(const ValueTable& table) {
  const std::size_t k = table.n_classes;
  covariance_.assign(k * k, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto entry = table.entry(i);
    for (std::size_t a = 0; a < k; ++a) {
      if (entry[a] == 0.0) continue;
      const double share = entry[a] / table.totals[i];
      double* row = covariance_.data() + a * k;
      for (std::size_t b = 0; b <= a; ++b) row[b] += share * entry[b];
    }
  }
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      covariance_[a * k + b] -= totals_[a] * totals_[b] / table.known_total;
      covariance_[b * k + a] = covariance_[a * k + b];
    }
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
    if (change < 1e-5) break;
  }
}

void QuickPartition::cut_along_axis(const ValueTable& table) {
  const std::size_t n = table.size(), k = table.n_classes;
  order_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double score = 0.0;
    for (std::size_t l = 0; l < k; ++l) score += axis_[l] * table.entry(i)[l];
    order_[i] = {score / table.totals[i], static_cast<std::int32_t>(i)};
  }
  std::sort(order_.begin(), order_.end());
  left_.assign(k, 0.0);
  right_ = totals_;
  double squares_left = 0.0, squares_right = 0.0, weight = 0.0;
  for (double c : totals_) squares_right += c * c;
  double best = -1.0;
  std::size_t length = 1;
  for (std::size_t t = 0; t + 1 < n; ++t) {
    const auto i = static_cast<std::size_t>(order_[t].second);
    const double* entry = table.entry(i).data();
    double up = 0.0, down = 0.0;
    for (std::size_t l = 0; l < k; ++l) {
      const double c = entry[l];
      up += c * (2.0 * left_[l] + c);
      down += c * (2.0 * right_[l] - c);
      left_[l] += c;
      right_[l] -= c;
    }
    squares_left += up;
    squares_right -= down;
    weight += table.totals[i];
    const double value = squares_left / weight + squares_right / (table.known_total - weight);
    if (value > best) {
      best = value;
      length = t + 1;
    }
  }
  sides_.assign(n, 1);
  for (std::size_t t = 0; t < length; ++t) sides_[static_cast<std::size_t>(order_[t].second)] = 0;
}

// `part` is what a class weight adds to the purity of a group: its square, or x log x.
template <typename Part>
void QuickPartition::move_while_better(const ValueTable& table, Part part, Stop& stop) {
  const std::size_t n = table.size(), k = table.n_classes;
  const bool gini = impurity_ == ImpurityKind::kGini;
  const auto purity = [&](double sum, double weight) {
    return gini ? sum / weight : sum - part(weight);
  };
  std::vector<double>* counts[2] = {&left_, &right_};
  double sums[2] = {0.0, 0.0}, weights[2] = {0.0, 0.0};
  std::size_t sizes[2] = {0, 0};
  left_.assign(k, 0.0);
  right_.assign(k, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    auto& side = *counts[sides_[i]];
    for (std::size_t l = 0; l < k; ++l) side[l] += table.entry(i)[l];
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
      const auto entry = table.entry(i);
      std::vector<double>&source = *counts[from], &target = *counts[to];
      double less = sums[from], more = sums[to];
      for (std::size_t l = 0; l < k; ++l) {
        if (entry[l] == 0.0) continue;
        less += part(source[l] - entry[l]) - part(source[l]);
        more += part(target[l] + entry[l]) - part(target[l]);
      }
      const double weight = table.totals[i];
      const double value = purity(less, weights[from] - weight) + purity(more, weights[to] + weight);
      if (!(value > current + margin)) continue;
      for (std::size_t l = 0; l < k; ++l) {
        source[l] -= entry[l];
        target[l] += entry[l];
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
    if (!moved || stop.requested(static_cast<std::int64_t>(n * k))) break;
  }
}

}  // namespace mixedwood
