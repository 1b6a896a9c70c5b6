// Growing a regression tree from the root down: the best split of each node, never taken back.
//
//   rows of a node -> sums of each value -> candidate of each column -> choice -> children
//
// Splits lower the loss of predicting one number per node. Squared error and Poisson deviance are sums over
// the weight and the weighted target of a group, and their gain is convex in these: the values of a nominal
// column in the order of their means have a best partition among their prefixes (Fisher 1958; Breiman et al.
// 1984, section 9.4). The absolute error is no such sum; there, prefixes in the order of the medians are tried.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// The last two are impurities of two classes, for targets 0 and 1: the number is the probability of the
// second class.
enum class RegressionLoss { kSquaredError, kPoisson, kAbsoluteError, kGini, kEntropy };

// Which partitions of a nominal column are tried.
enum class RegressionPartitioner {
  kMeanOrder,    // prefixes in the order of the means, or medians
  kOneVsRest,    // one value against all others
  kRandomOrder,  // prefixes in a random order
  kRandomSubset, // one random partition
  kExact,        // all partitions of at most kMostExact values; more in the order of the means
};
inline constexpr std::size_t kMostExact = 12;

struct RegressSettings {
  RegressionLoss criterion = RegressionLoss::kSquaredError;
  RegressionPartitioner partitioner = RegressionPartitioner::kMeanOrder;
  Selection selection = Selection::kScore;  // not kAverageGain
  double min_split_gain = 0.0;
  double alpha = 1.0;
  bool bonferroni = false;
  std::optional<std::int32_t> max_depth;
  double min_samples_split = 2.0;
  double min_samples_leaf = 1.0;
  std::optional<std::int64_t> max_leaf_nodes;
  bool best_first = false;
  std::optional<std::int32_t> max_features;  // drawn at random at each node
  HandleUnknown handle_unknown = HandleUnknown::kStopAtNode;
  HandleMissing handle_missing = HandleMissing::kLearned;  // not kAllChildren
  std::uint64_t seed = 0;
  // For each column 1 where predictions may not fall with its numbers, -1 where they may not rise, else 0.
  // Columns with an order only; not for the absolute error. Empty: no constraint.
  std::vector<std::int8_t> monotonic_cst;
};

struct RegressData {
  std::span<const double> target;      // of each row of the table; finite
  std::span<const double> weights;     // likewise; empty: every row weighs 1
  std::span<const std::int32_t> rows;  // as in GrowData
  std::span<const std::int64_t> starts;  // likewise
};

// Statistics of a node in the result's `counts`: weight, the number it predicts (mean, or median for the
// absolute error), sum of squared deviations from the mean, total loss of the prediction.
inline constexpr std::size_t kRegressionStatistics = 4;

// Bad input: std::invalid_argument. Interrupted by the stop's hook: the result is not to be used.
GrownTree regress(const EncodedTable& table, const RegressData& data, const RegressSettings& settings,
                  Stop& stop);

}  // namespace mixedwood
