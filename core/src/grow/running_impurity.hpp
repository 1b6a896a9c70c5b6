// How pure two groups are, kept up to date while values move from right to left. Grows with the
// score of the criterion, and is cheaper.
//
// What is left on the right is a difference, which rounding may make noise where weights differ
// much. That noise is as small as it looks where a group counts by its weight, as long as nothing is
// divided by it: Gini's sums are then those of the class weights as they are. Scores that also tell
// groups of next to no weight apart (`kNeedsRight`) are given the sums of the right side, added up by
// themselves, before their value is asked.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "../criteria/impurity.hpp"
#include "mixedwood/criterion.hpp"

namespace mixedwood {

// Purities closer than this, relative to the node's weight, are equal: the first one wins.
inline constexpr double kEqual = 1e-12;

class RunningGini {
 public:
  static constexpr bool kNeedsRight = false;

  // `whole`: weights are whole numbers, so that running sums are exact.
  explicit RunningGini(bool whole = true) : whole_(whole) {}
  void start(std::span<double> left, std::span<double> right) {
    n_classes_ = left.size();
    left_ = left.data();
    right_ = right.data();
    squares_left_ = squares_right_ = weight_left_ = weight_right_ = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      squares_left_ += GiniPurity::part(left[l]);
      squares_right_ += GiniPurity::part(right[l]);
      weight_left_ += left[l];
      weight_right_ += right[l];
    }
  }
  void move(const double* entry, double total) {
    double up = 0.0, down = 0.0;
    for (std::size_t l = 0; l < n_classes_; ++l) {
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
  void move_rows(std::size_t l, double c) {
    squares_left_ += c * (2.0 * left_[l] + c);
    squares_right_ -= c * (2.0 * right_[l] - c);
    left_[l] += c;
    right_[l] -= c;
    weight_left_ += c;
    weight_right_ -= c;
  }
  double value() const {
    const double left = GiniPurity::of(squares_left_, weight_left_);
    if (whole_) return left + GiniPurity::of(squares_right_, weight_right_);
    double squares = 0.0, weight = 0.0;
    for (std::size_t l = 0; l < n_classes_; ++l) {
      const double c = std::max(0.0, right_[l]);
      squares += GiniPurity::part(c);
      weight += c;
    }
    return left + (weight > 0.0 ? GiniPurity::of(squares, weight) : 0.0);
  }
  // The purity of a division by its sums alone.
  static double of(std::span<const double> left, std::span<const double> all) {
    double squares_left = 0.0, squares_right = 0.0, weight_left = 0.0, weight_right = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      const double right = all[l] - left[l];
      squares_left += GiniPurity::part(left[l]);
      squares_right += GiniPurity::part(right);
      weight_left += left[l];
      weight_right += right;
    }
    return (weight_left > 0.0 ? GiniPurity::of(squares_left, weight_left) : 0.0) +
           (weight_right > 0.0 ? GiniPurity::of(squares_right, weight_right) : 0.0);
  }
  // The most that the purity can rise by a row leaving a group of this weight for the other one.
  static double step(double /*weight*/) { return 2.0; }

 private:
  bool whole_;
  std::size_t n_classes_ = 0;
  double* left_ = nullptr;
  double* right_ = nullptr;
  double squares_left_ = 0.0, squares_right_ = 0.0, weight_left_ = 0.0, weight_right_ = 0.0;
};

class RunningEntropy {
 public:
  static constexpr bool kNeedsRight = false;

  void start(std::span<double> left, std::span<double> right) {
    left_ = left;
    right_ = right;
    parts_left_.resize(left.size());
    parts_right_.resize(left.size());
    sum_left_ = sum_right_ = weight_left_ = weight_right_ = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      sum_left_ += parts_left_[l] = purity_.part(left[l]);
      sum_right_ += parts_right_[l] = purity_.part(right[l]);
      weight_left_ += left[l];
      weight_right_ += right[l];
    }
  }
  void move(const double* entry, double total) {
    for (std::size_t l = 0; l < left_.size(); ++l)
      if (entry[l] != 0.0) move_class(l, entry[l]);
    weight_left_ += total;
    weight_right_ -= total;
  }
  void move_rows(std::size_t l, double c) {
    move_class(l, c);
    weight_left_ += c;
    weight_right_ -= c;
  }
  double value() const {
    return purity_.of(purity_.of(sum_left_, weight_left_) + sum_right_, weight_right_);
  }
  // The purity of a division by its sums alone.
  static double of(std::span<const double> left, std::span<const double> all) {
    const EntropyPurity purity;
    double sum = 0.0, weight_left = 0.0, weight_right = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      const double right = all[l] - left[l];
      sum += purity.part(left[l]) + purity.part(right);
      weight_left += left[l];
      weight_right += right;
    }
    return purity.of(purity.of(sum, weight_left), weight_right);
  }
  // The most that the purity can rise by a row leaving a group of this weight for the other one.
  static double step(double weight) { return std::log2(std::max(weight, 1.0)) + 1.4427; }

 private:
  void move_class(std::size_t l, double c) {
    left_[l] += c;
    right_[l] -= c;
    const double part_left = purity_.part(left_[l]), part_right = purity_.part(right_[l]);
    sum_left_ += part_left - parts_left_[l];
    sum_right_ += part_right - parts_right_[l];
    parts_left_[l] = part_left;
    parts_right_[l] = part_right;
  }

  EntropyPurity purity_;
  std::span<double> left_, right_;
  std::vector<double> parts_left_, parts_right_;  // x log x of each
  double sum_left_ = 0.0, sum_right_ = 0.0, weight_left_ = 0.0, weight_right_ = 0.0;
};

class RunningScore {
 public:
  static constexpr bool kNeedsRight = true;

  RunningScore(const Criterion& criterion, std::vector<double>& groups)
      : criterion_(criterion), groups_(groups) {}
  void start(std::span<double> left, std::span<double> right) {
    n_classes_ = left.size();
    left_ = left;
    right_ = right;
    std::vector<double> node(left.size());
    weight_left_ = total_ = 0.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      node[l] = left[l] + right[l];
      weight_left_ += left[l];
      total_ += node[l];
    }
    before_ = criterion_.before(node);
  }
  void move(const double* entry, double total) {
    for (std::size_t l = 0; l < n_classes_; ++l) {
      left_[l] += entry[l];
      right_[l] -= entry[l];
    }
    weight_left_ += total;
  }
  void move_rows(std::size_t l, double c) {
    left_[l] += c;
    right_[l] -= c;
    weight_left_ += c;
  }
  void replace_right(const double* right) { std::copy_n(right, n_classes_, right_.begin()); }
  double value() const {
    groups_.assign(left_.begin(), left_.end());
    std::array<double, 2> weights = {weight_left_, 0.0};
    for (double r : right_) {
      groups_.push_back(std::max(0.0, r));
      weights[1] += groups_.back();
    }
    const double score =
        criterion_.score({groups_, weights, static_cast<int>(left_.size())}, before_);
    // Scores that scale with weight are on the scale of the other purities' ties as they are.
    return criterion_.traits().scales_with_weight ? score : score * total_;
  }

 private:
  const Criterion& criterion_;
  std::vector<double>& groups_;
  std::size_t n_classes_ = 0;
  std::span<double> left_, right_;
  double weight_left_ = 0.0, before_ = 0.0, total_ = 0.0;
};


}  // namespace mixedwood
