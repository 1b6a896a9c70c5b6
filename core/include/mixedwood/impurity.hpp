// Impurity of a vector of class weights, shared by criteria and by superclass searches.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

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

// Weighted mean impurity of the groups.
inline double children_impurity(ImpurityKind kind, const GroupCounts& groups) {
  const double total = groups.total();
  if (!(total > 0.0)) return 0.0;
  double sum = 0.0;
  for (int g = 0; g < groups.n_groups(); ++g)
    sum += groups.weight(g) / total * impurity(kind, groups.group(g), groups.weight(g));
  return sum;
}

}  // namespace mixedwood
