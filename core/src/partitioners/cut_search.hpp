// Heavy cuts of the complete graph on the values.
#pragma once

#include <memory>
#include <string>

#include "../pair_weights.hpp"
#include "mixedwood/partitioner.hpp"
#include "mixedwood/registry.hpp"
#include "mixedwood/scorer.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood::partitioners {

// Where the weights of the graph come from: the criterion's own graph (SplitProblem::pair_weights),
// or a criterion by name.
class EdgeWeights {
 public:
  explicit EdgeWeights(const Options& options) : name_(options.get<std::string>("weights")) {}
  std::shared_ptr<const PairWeights> of(const SplitProblem& problem) const;
  // The weight of a cut is the score of the partition.
  bool are_score(const SplitProblem& problem) const;

 private:
  bool are_own(const SplitProblem& problem) const;
  std::string name_;
};

double cut_weight(const PairWeights& weights, const Sides& sides);

// Values in their order, each to the side that cuts more; at least half of all weight is cut.
Sides greedy_cut(const PairWeights& weights);

// First-improvement moves of one value, then exchanges of two, until neither helps.
// Returns false when stopped early.
bool improve_cut(const PairWeights& weights, Sides& sides, Stop& stop);

}  // namespace mixedwood::partitioners
