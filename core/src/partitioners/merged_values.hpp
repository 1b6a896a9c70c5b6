// Values with the same class probabilities behave alike; merged, they are one "merged value".
#pragma once

#include <vector>

#include "mixedwood/count_table.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood::partitioners {

// Groups of values whose class proportions are equal to within `tolerance` (relative) of those of the
// group's first member, in order of their first value. Proportions of equal counts, such as 1/3 and
// 2/6, are equal to the last bit, since division rounds correctly; a tolerance is for real weights.
// Throws Stopped when asked to stop.
std::vector<std::vector<int>> merged_values(const CountTable& table, double tolerance, Stop& stop);

// The table with one row per merged value.
CountTable merge_values(const CountTable& table, const std::vector<std::vector<int>>& groups);

}  // namespace mixedwood::partitioners
