// Where to cut rows by their distances from a hyperplane.
#pragma once

#include <cstdint>
#include <span>

#include "counting.hpp"
#include "mixedwood/linear_model.hpp"
#include "mixedwood/stop.hpp"
#include "threshold_scan.hpp"
#include "column_counts.hpp"

namespace mixedwood {

class DistanceCut {
 public:
  explicit DistanceCut(Stop& stop) : stop_(stop) {}

  // The best cut, or the one at 0; `where` it is. A distance belongs to the row of the node at the
  // position beside it; rows whose distance is NaN do not count.
  Cut find(std::span<const double> distances, std::span<const std::int32_t> positions,
           const NodeRows& node, const PresentClasses& present, Intercept intercept, ThresholdScan& scan,
           double& where);

 private:
  Stop& stop_;
  ColumnCounts table_;
};

}  // namespace mixedwood
