// Where to cut rows by their distances from a plane.
#pragma once

#include <cstdint>
#include <span>

#include "counting.hpp"
#include "mixedwood/linear_machine.hpp"
#include "mixedwood/stop.hpp"
#include "sweep.hpp"
#include "value_table.hpp"

namespace mixedwood {

class DistanceCut {
 public:
  explicit DistanceCut(Stop& stop) : stop_(stop) {}

  // The best cut, or the one at 0; `where` it is. A distance belongs to the row of the node at the
  // position beside it; rows whose distance is NaN do not count.
  Cut find(std::span<const double> distances, std::span<const std::int32_t> positions,
           const NodeRows& node, const PresentClasses& present, Intercept intercept, Sweep& sweep,
           double& where);

 private:
  Stop& stop_;
  ValueTable table_;
};

}  // namespace mixedwood
