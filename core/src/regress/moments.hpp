// Sums of the target over a group of rows, and the loss of predicting one number for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mixedwood/regress.hpp"

namespace mixedwood::regression {

struct Moments {
  double rows = 0.0, weight = 0.0, sum = 0.0;  // sum of weight * target

  void add(double w, double y, double n_rows = 1.0) {
    rows += n_rows;
    weight += w;
    sum += w * y;
  }
  Moments& operator+=(const Moments& other) {
    rows += other.rows;
    weight += other.weight;
    sum += other.sum;
    return *this;
  }
  Moments operator-(const Moments& other) const {
    return {rows - other.rows, weight - other.weight, sum - other.sum};
  }
  double mean() const { return sum / weight; }
};

// Of two classes: the probability times its logarithm, 0 for 0, in bits as the criterion "entropy".
inline double part_of_entropy(double sum, double probability) {
  return sum > 0.0 ? sum * std::log2(probability) : 0.0;
}

// What a group explains: its loss is a constant of its rows less this.
inline double explained(RegressionLoss loss, const Moments& group) {
  if (!(group.weight > 0.0)) return 0.0;
  if (loss == RegressionLoss::kPoisson)
    return group.sum > 0.0 ? group.sum * std::log(group.sum / group.weight) : 0.0;
  if (loss == RegressionLoss::kEntropy) {
    const double rest = group.weight - group.sum;
    return part_of_entropy(group.sum, group.sum / group.weight) +
           part_of_entropy(rest, rest / group.weight);
  }
  const double squared = group.sum * (group.sum / group.weight);
  return loss == RegressionLoss::kGini ? 2.0 * squared : squared;
}

// What it explains if all of it is predicted by some number, on the scale of `explained` but for a Poisson
// loss, which has the weighted sum of predictions less: without bounds these are the same on both sides.
inline double explained_by(RegressionLoss loss, const Moments& group, double value) {
  if (!(group.weight > 0.0)) return 0.0;
  if (loss == RegressionLoss::kPoisson)
    return (group.sum > 0.0 ? group.sum * std::log(value) : 0.0) - group.weight * value;
  if (loss == RegressionLoss::kEntropy)
    return part_of_entropy(group.sum, value) + part_of_entropy(group.weight - group.sum, 1.0 - value);
  const double squared = value * (2.0 * group.sum - group.weight * value);
  return loss == RegressionLoss::kGini ? 2.0 * squared : squared;
}

// Predictions that a node may have.
struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double clip(double value) const { return std::min(std::max(value, lower), upper); }
};

// A row of a node with its copies in a sample: their number and their weight together. Targets of a node are
// relative to its mean for the squared error.
struct Entry {
  double weight, target, rows;
};

// Weighted medians of a growing set of rows whose targets are known beforehand: two binary indexed trees
// over the ranks of the targets hold weights and weighted targets, so that adding a row and the absolute
// error of the median both take a logarithm of the number of rows.
class RunningMedian {
 public:
  // Ranks are positions in `sorted`, the targets in ascending order.
  explicit RunningMedian(std::span<const double> sorted)
      : sorted_(sorted), weight_(sorted.size() + 1, 0.0), sum_(sorted.size() + 1, 0.0) {
    while (top_ * 2 <= sorted.size()) top_ *= 2;
  }
  void clear() {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    total_weight_ = total_sum_ = 0.0;
  }
  void add(std::size_t rank, double weight) {
    const double part = weight * sorted_[rank];
    total_weight_ += weight;
    total_sum_ += part;
    for (std::size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) {
      weight_[i] += weight;
      sum_[i] += part;
    }
  }
  // Sum of weight * |target - median|.
  double absolute_error() const {
    if (!(total_weight_ > 0.0)) return 0.0;
    std::size_t at = 0;
    double below = 0.0, below_sum = 0.0;
    const double half = total_weight_ / 2.0;
    for (std::size_t step = top_; step > 0; step /= 2) {
      const std::size_t next = at + step;
      if (next < weight_.size() && below + weight_[next] < half) {
        at = next;
        below += weight_[next];
        below_sum += sum_[next];
      }
    }
    const double median = sorted_[std::min(at, sorted_.size() - 1)];
    const double error = median * below - below_sum +
                         (total_sum_ - below_sum) - median * (total_weight_ - below);
    return std::max(0.0, error);
  }

 private:
  std::span<const double> sorted_;
  std::vector<double> weight_, sum_;
  std::size_t top_ = 1;
  double total_weight_ = 0.0, total_sum_ = 0.0;
};

}  // namespace mixedwood::regression
