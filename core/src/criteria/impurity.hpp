// Gini and entropy: the impurity of a vector of class weights, and the purity that searches compare.
// Where sums are kept up to date or taken apart for their digits (gini.cpp, gain_ratio.cpp,
// grow/running_impurity.hpp), they are sums of these parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../x_log_x.hpp"
#include "mixedwood/criterion.hpp"

namespace mixedwood {

inline double sum_of(std::span<const double> counts) {
  double sum = 0.0;
  for (double c : counts) sum += c;
  return sum;
}

inline double gini_impurity(std::span<const double> counts, double total) {
  if (!(total > 0.0)) return 0.0;
  double sum = 0.0;
  for (double c : counts) {
    const double share = c / total;
    sum += share * share;
  }
  // Rounding may leave a pure node an ulp below zero.
  return std::max(0.0, 1.0 - sum);
}

// In bits; 0 log 0 = 0.
inline double entropy_impurity(std::span<const double> counts, double total) {
  if (!(total > 0.0)) return 0.0;
  double sum = 0.0;
  for (double c : counts) {
    const double share = c / total;
    if (share > 0.0) sum -= share * std::log2(share);
  }
  return std::max(0.0, sum);
}

inline double impurity(ImpurityKind kind, std::span<const double> counts, double total) {
  return kind == ImpurityKind::kGini ? gini_impurity(counts, total)
                                     : entropy_impurity(counts, total);
}

// The purity of a group is `of` the sum of the `part`s of its class weights, and the group's weight.
// A division gains as much in impurity as the purities of its groups exceed that of the whole,
// divided by the weight. `rest` is what is left to gain: impurity times weight.
struct GiniPurity {
  static double part(double count) { return count * count; }
  static double of(double sum, double weight) { return sum / weight; }
  static double rest(double sum, double weight) { return weight - of(sum, weight); }
};

struct EntropyPurity {
  double part(double count) const { return x_log_x(count); }
  double of(double sum, double weight) const { return sum - part(weight); }
  double rest(double sum, double weight) const { return part(weight) - sum; }

  const XLogX& x_log_x = XLogX::table();
};

// Impurity times weight, of class weights of any type; none where nothing is.
template <typename Purity, typename Count>
double weighted_impurity(std::span<const Count> counts, const Purity& purity = {}) {
  double weight = 0.0, sum = 0.0;
  for (const Count count : counts) {
    const auto c = static_cast<double>(count);
    weight += c;
    sum += purity.part(c);
  }
  return weight > 0.0 ? purity.rest(sum, weight) : 0.0;
}

// Gini's purity of two groups, given the first one and both together.
inline double gini_purity(std::span<const std::int64_t> left, std::int64_t weight_left,
                          std::span<const std::int64_t> all, std::int64_t weight) {
  double sum_left = 0.0, sum_right = 0.0;
  for (std::size_t c = 0; c < left.size(); ++c) {
    sum_left += GiniPurity::part(static_cast<double>(left[c]));
    sum_right += GiniPurity::part(static_cast<double>(all[c] - left[c]));
  }
  return GiniPurity::of(sum_left, static_cast<double>(weight_left)) +
         GiniPurity::of(sum_right, static_cast<double>(weight - weight_left));
}

// Weighted mean impurity of the groups.
inline double children_impurity(ImpurityKind kind, const GroupStatistics& groups) {
  const double total = groups.total();
  if (!(total > 0.0)) return 0.0;
  double sum = 0.0;
  for (int g = 0; g < groups.n_groups(); ++g)
    sum += groups.weight(g) / total * impurity(kind, groups.group(g), groups.weight(g));
  return sum;
}

}  // namespace mixedwood
