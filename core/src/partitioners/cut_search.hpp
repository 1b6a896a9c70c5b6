// Heavy cuts of the complete graph on the values.
#pragma once

#include "../pair_weights.hpp"
#include "mixedwood/partitioner.hpp"
#include "mixedwood/scorer.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood::partitioners {

double cut_weight(const PairWeights& weights, const Sides& sides);

// Values in their order, each to the side that cuts more; at least half of all weight is cut.
Sides greedy_cut(const PairWeights& weights);

// First-improvement moves of one value, then exchanges of two, until neither helps.
// Returns false when stopped early.
bool improve_cut(const PairWeights& weights, Sides& sides, Stop& stop);

}  // namespace mixedwood::partitioners
