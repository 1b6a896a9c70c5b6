// What a node of a regression tree predicts, and the loss of it.
#pragma once

#include <cstdint>
#include <span>

#include "mixedwood/regress.hpp"
#include "moments.hpp"

namespace mixedwood::regression {

struct NodeStatistics {
  double weight = 0.0, value = 0.0, squares = 0.0, loss = 0.0, mean = 0.0;
};

// `weights` are those of `rows`, `target` that of the table. The value is moved into the bounds.
NodeStatistics node_statistics(RegressionLoss loss, std::span<const std::int32_t> rows,
                               std::span<const double> weights, std::span<const double> target,
                               const Bounds& bounds = {});

// Loss of predicting `value` for a row. A Poisson mean of 0 excludes every count above it, so that means
// are at least kSmallestMean, as in pruning by cross-validation.
inline constexpr double kSmallestMean = 1e-9;
double row_loss(RegressionLoss loss, double y, double value);

}  // namespace mixedwood::regression
