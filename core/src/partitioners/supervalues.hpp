// Values with the same class probabilities behave alike; merged, they are one "supervalue".
#pragma once

#include <vector>

#include "mixedwood/contingency.hpp"

namespace mixedwood {

// Groups of values whose class shares are equal to within 1e-9, in order of their first value.
std::vector<std::vector<int>> supervalues(const Contingency& table);

// The table with one row per supervalue.
Contingency merge_values(const Contingency& table, const std::vector<std::vector<int>>& groups);

}  // namespace mixedwood
