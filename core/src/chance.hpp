// How well chance does: the mean of the largest chi-square statistic of all cuts of an order, where
// the column does not depend on the classes, beyond the mean of the statistic of one cut.
//
// Fitted to simulations of 2 to 10,000 values and 2 to 10 classes, within some 15 %
// (benchmarks/chance_of_cuts.py).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace mixedwood {

// For two classes.
inline double excess_of_cuts(double n_values) {
  const double x = std::log(std::max(1.0, n_values - 1.0));
  return 0.9 * x / (1.0 + 0.045 * x);
}

// The factor for more classes, with one degree of freedom less than there are.
inline double excess_of_degrees(double degrees) { return std::pow(degrees, 0.45); }

// A function of one number between two others, from a table of its values.
template <std::size_t kSteps, typename Function>
std::array<double, kSteps + 1> tabulate(double from, double to, Function function) {
  std::array<double, kSteps + 1> values{};
  for (std::size_t i = 0; i <= kSteps; ++i)
    values[i] = function(from + (to - from) * static_cast<double>(i) / kSteps);
  return values;
}

// The normal distribution function within 2e-6, which no choice hangs on.
inline double normal_probability(double z) {
  constexpr double kEnd = 6.0;
  constexpr std::size_t kSteps = 12 * 128;
  static const auto kTable = tabulate<kSteps>(-kEnd, kEnd, [](double x) {
    return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2.0);
  });
  if (!(z > -kEnd)) return 0.0;
  if (z >= kEnd) return 1.0;
  const double at = (z + kEnd) * (kSteps / (2.0 * kEnd));
  const auto i = static_cast<std::size_t>(at);
  if (i == kSteps) return kTable[kSteps];  // the sum was rounded up
  return kTable[i] + (at - static_cast<double>(i)) * (kTable[i + 1] - kTable[i]);
}

}  // namespace mixedwood
