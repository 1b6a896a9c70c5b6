// Impurities of whole counts, which most are: the same scores as those of any criterion on group
// weights, and a fast check that a partition is no better than the best so far.
#pragma once

#include <memory>

#include "mixedwood/scorer.hpp"

namespace mixedwood {

// Nothing if the criterion is no plain impurity or some weight is no whole number.
std::unique_ptr<Scorer> make_whole_count_scorer(const CountTable& table,
                                                const Criterion& criterion);

}  // namespace mixedwood
