#include "pair_weights.hpp"

#include <cstdint>
#include <algorithm>
#include <stdexcept>
#include <string>

#include "criteria/quadratic.hpp"

namespace mixedwood {
namespace {

constexpr int kMostValues = 10'000;  // 0.8 GB of weights

// sum over classes of (p_l - q_l)^2 / (a_l + b_l), classes absent from both rows left out.
// Four running sums: independent of each other, so the divisions overlap.
double distance(std::span<const double> p, std::span<const double> q, std::span<const double> a,
                std::span<const double> b) {
  const std::size_t k = p.size();
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  const auto term = [&](std::size_t l) {
    const double pooled = a[l] + b[l];
    const double gap = p[l] - q[l];
    // A class absent from both has gap 0: any positive divisor will do.
    return gap * gap / (pooled > 0.0 ? pooled : 1.0);
  };
  std::size_t l = 0;
  for (; l + 4 <= k; l += 4)
    for (std::size_t s = 0; s < 4; ++s) sum[s] += term(l + s);
  for (; l < k; ++l) sum[0] += term(l);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

PairWeights::PairWeights(int n) : n_(static_cast<std::size_t>(n)) {
  if (n > kMostValues) {
    throw std::invalid_argument(
        "weighing all pairs of " + std::to_string(n) + " values takes too much memory; it is done "
        "for at most " + std::to_string(kMostValues) + " values. Use criterion='gini' or 'entropy' with partitioner='auto' or 'principal_ext'.");
  }
  w_.assign(n_ * n_, 0.0);
}

double PairWeights::sum() const {
  double total = 0.0;
  for (int i = 0; i < size(); ++i)
    for (int j = 0; j < i; ++j) total += (*this)(i, j);
  return total;
}

PairWeights chi2_weights(const CountTable& table, Stop& stop) {
  const int n = table.n_values();
  const auto k = static_cast<std::size_t>(table.n_classes());
  PairWeights weights(n);
  // Proportions inside each value, and weights relative to the value's own: no overflow for any scale.
  std::vector<double> proportions(static_cast<std::size_t>(n) * k);
  for (int i = 0; i < n; ++i)
    for (std::size_t l = 0; l < k; ++l)
      proportions[at(i) * k + l] = table.row(i)[l] / table.row_total(i);
  const auto proportions_of = [&](int i) {
    return std::span<const double>(proportions).subspan(static_cast<std::size_t>(i) * k, k);
  };
  const double divisor = std::max(1, n - 1);
  for (int i = 0; i < n; ++i) {
    if (stop.requested(i * static_cast<std::int64_t>(k))) throw Stopped{};
    for (int j = 0; j < i; ++j) {
      const double a = table.row_total(i), b = table.row_total(j);
      double w = a * b * distance(proportions_of(i), proportions_of(j), table.row(i), table.row(j));
      // The exact weight is at most a + b; weights of very different size may round past it.
      if (!(w <= a + b)) w = a + b;
      weights.set(i, j, w / divisor);
    }
  }
  return weights;
}

PairWeights squared_gini_weights(const CountTable& table, std::span<const double> costs,
                                 Stop& stop) {
  const int n = table.n_values();
  const auto k = static_cast<std::size_t>(table.n_classes());
  PairWeights weights(n);
  const double factor = 2.0 / table.total() / table.total();
  const CostForm form(std::vector<double>(costs.begin(), costs.end()));
  for (int i = 0; i < n; ++i) {
    if (stop.requested(i * static_cast<std::int64_t>(k))) throw Stopped{};
    for (int j = 0; j < i; ++j)
      weights.set(i, j, factor * form.between(table.row(i), table.row(j)));
  }
  return weights;
}

PairWeights score_weights(const CountTable& table, const Criterion& criterion, Stop& stop) {
  const int n = table.n_values();
  const auto k = static_cast<std::size_t>(table.n_classes());
  PairWeights weights(n);
  std::vector<double> rows(2 * k), both(k);
  for (int i = 0; i < n; ++i) {
    if (stop.requested(i * static_cast<std::int64_t>(k))) throw Stopped{};
    std::copy(table.row(i).begin(), table.row(i).end(), rows.begin());
    for (int j = 0; j < i; ++j) {
      const auto other = table.row(j);
      std::copy(other.begin(), other.end(), rows.begin() + static_cast<std::ptrdiff_t>(k));
      for (std::size_t l = 0; l < k; ++l) both[l] = rows[l] + other[l];
      const double totals[2] = {table.row_total(i), table.row_total(j)};
      const double score = criterion.score({rows, totals, table.n_classes()}, criterion.before(both));
      weights.set(i, j, score > 0.0 ? score : 0.0);
    }
  }
  return weights;
}

}  // namespace mixedwood
