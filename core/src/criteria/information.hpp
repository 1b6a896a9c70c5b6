// Information gain, shared by `entropy` and `gain_ratio`.
#pragma once

#include <algorithm>
#include <span>

#include "impurity.hpp"
#include "mixedwood/criterion.hpp"

namespace mixedwood {

inline double entropy_of_node(std::span<const double> node) {
  return entropy_impurity(node, sum_of(node));
}

// weight * entropy of a group = W log W - sum c log c: one logarithm per class, no division.
inline double information_gain(const GroupStatistics& groups, double before) {
  const double total = groups.total();
  if (!(total > 0.0)) return 0.0;
  double children = 0.0;
  for (int g = 0; g < groups.n_groups(); ++g) {
    children += x_log_x(groups.weight(g));
    for (double c : groups.group(g)) children -= x_log_x(c);
  }
  return std::max(0.0, before - children / total);
}

}  // namespace mixedwood
