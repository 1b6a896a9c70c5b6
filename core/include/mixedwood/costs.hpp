// Misclassification costs: costs[i * n_classes + j] is the cost of predicting class j for a row of
// class i. No costs at all: every mistake costs 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace mixedwood {

// What a leaf costs that predicts `label` for rows with these class weights.
inline double cost_of_label(std::span<const double> counts, std::span<const double> costs,
                            std::size_t label) {
  const std::size_t k = counts.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < k; ++i)
    if (i != label) sum += costs.empty() ? counts[i] : counts[i] * costs[i * k + label];
  return sum;
}

// The label of least cost; of labels that differ by rounding only, the first.
inline std::int32_t least_cost_label(std::span<const double> counts,
                                     std::span<const double> costs) {
  const std::size_t k = counts.size();
  double least = cost_of_label(counts, costs, 0);
  for (std::size_t j = 1; j < k; ++j) least = std::min(least, cost_of_label(counts, costs, j));
  std::size_t label = 0;
  while (cost_of_label(counts, costs, label) > least * (1 + 1e-12)) ++label;
  return static_cast<std::int32_t>(label);
}

}  // namespace mixedwood
