#include "mixedwood/partitioner.hpp"
#include "pair_weights.hpp"

namespace mixedwood {

std::unique_ptr<Scorer> SplitProblem::scorer() const {
  if (criterion.traits().pairwise && !ordered) return make_cut_scorer(pair_weights());
  return make_group_scorer(table, criterion);
}

const std::shared_ptr<const PairWeights>& SplitProblem::pair_weights() const {
  if (!pairs) {
    pairs = std::make_shared<const PairWeights>(criterion.traits().pairwise
                                                    ? chi2_weights(table, stop)
                                                    : squared_gini_weights(table, costs, stop));
  }
  return pairs;
}

}  // namespace mixedwood
