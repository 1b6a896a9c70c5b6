// How well chance does: the mean of the largest chi-square statistic of all cuts of an order, where
// the column does not depend on the classes, beyond the mean of the statistic of one cut.
//
// Fitted to simulations of 2 to 10,000 values and 2 to 10 classes, within some 15 %
// (benchmarks/chance_of_cuts.py).
#pragma once

#include <algorithm>
#include <cmath>

namespace mixedwood {

// For two classes.
inline double excess_of_cuts(double n_values) {
  const double x = std::log(std::max(1.0, n_values - 1.0));
  return 0.9 * x / (1.0 + 0.045 * x);
}

// The factor for more classes, with one degree of freedom less than there are.
inline double excess_of_degrees(double degrees) { return std::pow(degrees, 0.45); }

}  // namespace mixedwood
