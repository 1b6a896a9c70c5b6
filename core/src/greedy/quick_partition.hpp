// Two groups of the values of a large table, quickly: for impurity gains, where the thorough search
// would cost more than counting the rows.
//
// Values are ordered along the first principal component of their class shares and cut where the
// Gini gain is largest; on request single values then move between the groups while the criterion's
// own impurity falls. O(values * classes) and no allocation after the first call.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/scorer.hpp"
#include "mixedwood/stop.hpp"
#include "value_table.hpp"

namespace mixedwood {

class QuickPartition {
 public:
  explicit QuickPartition(ImpurityKind impurity) : impurity_(impurity) {}

  // At least two values. The sides stay valid until the next call.
  const Sides& best(const ValueTable& table, bool refine, Stop& stop);
  // Moves single values between given sides while that helps.
  const Sides& improve(const ValueTable& table, const Sides& sides, Stop& stop);

 private:
  void find_axis(const ValueTable& table);
  void cut_along_axis(const ValueTable& table);
  void refine(const ValueTable& table, Stop& stop);
  template <typename Part>
  void move_while_better(const ValueTable& table, Part part, Stop& stop);

  ImpurityKind impurity_;
  Sides sides_;
  std::vector<double> totals_, covariance_, axis_, next_, left_, right_;
  std::vector<std::pair<double, std::int32_t>> order_;
};

}  // namespace mixedwood
