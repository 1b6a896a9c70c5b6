#include "sweep.hpp"

#include <algorithm>
#include <array>

#include "x_log_x.hpp"

namespace mixedwood {
namespace {

// Measures closer than this, relative to the node's weight, are equal: the first one wins.
constexpr double kEqual = 1e-12;

double x_log_x(double x) { return XLogX::table()(x); }

// The class of a value all of whose rows are of one class.
constexpr std::size_t kMixed = static_cast<std::size_t>(-1);
std::size_t only_class(const ValueTable& table, std::size_t i) {
  const auto entry = table.entry(i);
  for (std::size_t l = 0; l < entry.size(); ++l) {
    if (entry[l] == 0.0) continue;
    return entry[l] == table.totals[i] ? l : kMixed;
  }
  return kMixed;
}

// Each measure is told of values that move from right to left.

class GiniMeasure {
 public:
  void start(std::span<double> left, std::span<double> right) {
    left_ = left.data();
    right_ = right.data();
    squares_left_ = squares_right_ = weight_left_ = weight_right_ = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      squares_left_ += left[l] * left[l];
      squares_right_ += right[l] * right[l];
      weight_left_ += left[l];
      weight_right_ += right[l];
    }
  }
  void move(std::span<const double> entry, double total) {
    double up = 0.0, down = 0.0;
    for (std::size_t l = 0; l < entry.size(); ++l) {
      const double c = entry[l];
      up += c * (2.0 * left_[l] + c);
      down += c * (2.0 * right_[l] - c);
      left_[l] += c;
      right_[l] -= c;
    }
    squares_left_ += up;
    squares_right_ -= down;
    weight_left_ += total;
    weight_right_ -= total;
  }
  void move_run(std::size_t l, double c) {
    squares_left_ += c * (2.0 * left_[l] + c);
    squares_right_ -= c * (2.0 * right_[l] - c);
    left_[l] += c;
    right_[l] -= c;
    weight_left_ += c;
    weight_right_ -= c;
  }
  double value() const {
    return squares_left_ / weight_left_ + squares_right_ / weight_right_;
  }

 private:
  double* left_ = nullptr;
  double* right_ = nullptr;
  double squares_left_ = 0.0, squares_right_ = 0.0, weight_left_ = 0.0, weight_right_ = 0.0;
};

class EntropyMeasure {
 public:
  void start(std::span<double> left, std::span<double> right) {
    left_ = left.data();
    right_ = right.data();
    sum_left_ = sum_right_ = weight_left_ = weight_right_ = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      sum_left_ += x_log_x(left[l]);
      sum_right_ += x_log_x(right[l]);
      weight_left_ += left[l];
      weight_right_ += right[l];
    }
  }
  void move(std::span<const double> entry, double total) {
    for (std::size_t l = 0; l < entry.size(); ++l)
      if (entry[l] != 0.0) move_class(l, entry[l]);
    weight_left_ += total;
    weight_right_ -= total;
  }
  void move_run(std::size_t l, double c) {
    move_class(l, c);
    weight_left_ += c;
    weight_right_ -= c;
  }
  double value() const {
    return sum_left_ - x_log_x(weight_left_) + sum_right_ - x_log_x(weight_right_);
  }

 private:
  void move_class(std::size_t l, double c) {
    sum_left_ += x_log_x(left_[l] + c) - x_log_x(left_[l]);
    sum_right_ += x_log_x(right_[l] - c) - x_log_x(right_[l]);
    left_[l] += c;
    right_[l] -= c;
  }

  double* left_ = nullptr;
  double* right_ = nullptr;
  double sum_left_ = 0.0, sum_right_ = 0.0, weight_left_ = 0.0, weight_right_ = 0.0;
};

class AnyMeasure {
 public:
  AnyMeasure(const Criterion& criterion, std::vector<double>& groups)
      : criterion_(criterion), groups_(groups) {}
  void start(std::span<double> left, std::span<double> right) {
    left_ = left;
    right_ = right;
    std::vector<double> node(left.size());
    weights_ = {0.0, 0.0};
    for (std::size_t l = 0; l < left.size(); ++l) {
      node[l] = left[l] + right[l];
      weights_[0] += left[l];
      weights_[1] += right[l];
    }
    before_ = criterion_.before(node);
    // Scores that scale with weight are brought to the scale of the other measures' ties.
    total_ = weights_[0] + weights_[1];
  }
  void move(std::span<const double> entry, double total) {
    for (std::size_t l = 0; l < entry.size(); ++l) {
      left_[l] += entry[l];
      right_[l] -= entry[l];
    }
    weights_[0] += total;
    weights_[1] -= total;
  }
  void move_run(std::size_t l, double c) {
    left_[l] += c;
    right_[l] -= c;
    weights_[0] += c;
    weights_[1] -= c;
  }
  double value() const {
    groups_.assign(left_.begin(), left_.end());
    for (double r : right_) groups_.push_back(std::max(0.0, r));
    const std::array<double, 2> weights = {weights_[0], std::max(0.0, weights_[1])};
    const double score =
        criterion_.score({groups_, weights, static_cast<int>(left_.size())}, before_);
    return criterion_.traits().scales_with_weight ? score : score * total_;
  }

 private:
  const Criterion& criterion_;
  std::vector<double>& groups_;
  std::span<double> left_, right_;
  std::array<double, 2> weights_{};
  double before_ = 0.0, total_ = 0.0;
};

}  // namespace

template <typename Measure>
void Sweep::run(const ValueTable& table, std::span<const std::int32_t> order, bool missing_left,
                double missing_rows, Measure& measure, Cut& best, Stop& stop) {
  const std::size_t n = table.size(), k = table.n_classes;
  left_.assign(k, 0.0);
  right_ = all_;
  if (missing_left) {
    left_ = table.missing;
    for (std::size_t l = 0; l < k; ++l) right_[l] -= left_[l];
  }
  measure.start(left_, right_);
  double rows_left = missing_left ? missing_rows : 0.0;
  const double rows_all = table.known_rows + missing_rows;
  const double margin = kEqual * (table.known_total + table.missing_total);
  // All known values may go left when that leaves the missing ones on the right.
  const std::size_t last = missing_rows > 0.0 && !missing_left ? n : n - 1;
  const auto place = [&](std::size_t t) {
    return order.empty() ? t : static_cast<std::size_t>(order[t]);
  };
  // A cut between two values of one and the same class is never the best one for a convex score
  // (Fayyad and Irani 1992), so long runs of such values move as one.
  // Only where no cut is forbidden: else a cut inside a run may be the best of those allowed.
  const bool skip_runs = whole_rows_ && min_leaf_ <= 1.0 && criterion_.traits().convex;
  std::size_t run_class = skip_runs ? only_class(table, place(0)) : kMixed;
  double run = 0.0;
  for (std::size_t t = 0; t < last; ++t) {
    const std::size_t i = place(t);
    rows_left += table.rows[i];
    if (run_class != kMixed) {
      run += table.totals[i];
      const std::size_t next = t + 1 < n ? only_class(table, place(t + 1)) : kMixed;
      if (next == run_class && t + 1 < last) continue;
      measure.move_run(run_class, run);
      run = 0.0;
      run_class = next;
    } else {
      measure.move(table.entry(i), table.totals[i]);
      if (skip_runs && t + 1 < n) run_class = only_class(table, place(t + 1));
    }
    if (rows_left < min_leaf_) continue;
    if (rows_all - rows_left < min_leaf_) break;
    const double value = measure.value();
    if (value > best.measure + margin) {
      best.measure = value;
      best.length = t + 1;
      best.missing_left = missing_left;
    }
    if (stop.requested(static_cast<std::int64_t>(k))) return;
  }
}

Cut Sweep::best(const ValueTable& table, std::span<const std::int32_t> order, bool with_missing,
                Stop& stop) {
  Cut best;
  if (table.size() == 0) return best;
  const double missing_rows = with_missing ? table.missing_rows : 0.0;
  all_.assign(table.n_classes, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t l = 0; l < table.n_classes; ++l) all_[l] += table.entry(i)[l];
  if (missing_rows > 0.0)
    for (std::size_t l = 0; l < table.n_classes; ++l) all_[l] += table.missing[l];
  const auto both_ways = [&](auto& measure) {
    run(table, order, false, missing_rows, measure, best, stop);
    if (missing_rows > 0.0) run(table, order, true, missing_rows, measure, best, stop);
  };
  const CriterionTraits traits = criterion_.traits();
  if (traits.impurity_gain && traits.impurity == ImpurityKind::kGini) {
    GiniMeasure measure;
    both_ways(measure);
  } else if (traits.impurity_gain) {
    EntropyMeasure measure;
    both_ways(measure);
  } else {
    AnyMeasure measure(criterion_, groups_);
    both_ways(measure);
  }
  return best;
}

double Sweep::score(std::span<const double> left, std::span<const double> all) const {
  std::vector<double> groups(left.begin(), left.end());
  std::array<double, 2> weights = {0.0, 0.0};
  for (std::size_t l = 0; l < all.size(); ++l) {
    groups.push_back(std::max(0.0, all[l] - left[l]));
    weights[0] += left[l];
    weights[1] += groups.back();
  }
  return criterion_.score({groups, weights, static_cast<int>(all.size())}, criterion_.before(all));
}

}  // namespace mixedwood
