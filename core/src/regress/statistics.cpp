#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace mixedwood::regression {
namespace {

class Rows {
 public:
  Rows(std::span<const std::int32_t> rows, std::span<const double> weights,
       std::span<const double> target)
      : rows_(rows), weights_(weights), target_(target) {
    for (const double weight : weights) total += weight;
  }

  std::size_t size() const { return rows_.size(); }
  double target(std::size_t i) const { return target_[static_cast<std::size_t>(rows_[i])]; }
  double weight(std::size_t i) const { return weights_[i]; }

  // In two passes: the second corrects what the first rounded off. `squares`: sum of weight * (target - mean)^2.
  double mean(double& squares) const {
    squares = 0.0;
    const double origin = target(0);
    double sum = 0.0;
    bool equal = true;
    for (std::size_t i = 0; i < size(); ++i) {
      sum += weights_[i] * (target(i) - origin);
      equal &= target(i) == origin;
    }
    if (equal) return origin;
    const double first = origin + sum / total;
    double rest = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
      const double offset = target(i) - first, part = weights_[i] * offset;
      rest += part;
      squares += part * offset;
    }
    squares = std::max(0.0, squares - rest * (rest / total));
    return first + rest / total;
  }

  // The middle of all medians, as numpy has it for weights of 1.
  double median() const {
    std::vector<std::pair<double, double>> sorted;
    for (std::size_t i = 0; i < size(); ++i) sorted.emplace_back(target(i), weights_[i]);
    std::sort(sorted.begin(), sorted.end());
    double below = 0.0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      below += sorted[i].second;
      if (below == total / 2.0 && i + 1 < sorted.size())
        return sorted[i].first + (sorted[i + 1].first - sorted[i].first) / 2.0;
      if (below > total / 2.0) return sorted[i].first;
    }
    return sorted.back().first;
  }

  double total = 0.0;

 private:
  std::span<const std::int32_t> rows_;
  std::span<const double> weights_, target_;
};

// Of two classes, where `mean` is the fraction of the second.
double impurity(RegressionLoss loss, double weight, double mean, double value) {
  const Moments group{0.0, weight, weight * mean};
  const double all = loss == RegressionLoss::kGini ? 2.0 * group.sum : 0.0;  // targets are their squares
  return std::max(0.0, all - explained_by(loss, group, value));
}

// Half of the deviance of a row.
double poisson_loss(double y, double mean) {
  return (y > 0.0 ? y * std::log(y / mean) : 0.0) - y + mean;
}

}  // namespace

NodeStatistics node_statistics(RegressionLoss loss, std::span<const std::int32_t> rows,
                               std::span<const double> weights, std::span<const double> target,
                               const Bounds& bounds) {
  if (rows.empty()) return {};
  const Rows here(rows, weights, target);
  NodeStatistics found;
  found.weight = here.total;
  found.value = found.mean = here.mean(found.squares);
  found.loss = found.squares;
  if (loss == RegressionLoss::kPoisson) {
    found.loss = 0.0;
    for (std::size_t i = 0; i < here.size(); ++i)
      found.loss += here.weight(i) * poisson_loss(here.target(i), found.mean);
  } else if (loss == RegressionLoss::kAbsoluteError) {
    found.value = here.median();
    found.loss = 0.0;
    for (std::size_t i = 0; i < here.size(); ++i)
      found.loss += here.weight(i) * std::abs(here.target(i) - found.value);
  } else if (loss != RegressionLoss::kSquaredError) {
    found.loss = impurity(loss, found.weight, found.mean, found.mean);
  }
  if (const double value = bounds.clip(found.value); value != found.value) {
    found.value = value;
    found.loss = 0.0;
    if (loss == RegressionLoss::kGini || loss == RegressionLoss::kEntropy)
      found.loss = impurity(loss, found.weight, found.mean, value);
    else
      for (std::size_t i = 0; i < here.size(); ++i)
        found.loss += here.weight(i) * row_loss(loss, here.target(i), value);
  }
  return found;
}

double row_loss(RegressionLoss loss, double y, double value) {
  if (loss == RegressionLoss::kPoisson) return poisson_loss(y, std::max(value, kSmallestMean));
  const double offset = y - value;
  return loss == RegressionLoss::kAbsoluteError ? std::abs(offset) : offset * offset;
}

}  // namespace mixedwood::regression
