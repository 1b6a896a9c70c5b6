#include "group_counts.hpp"
#include "mixedwood/partitioner.hpp"
#include "pair_weights.hpp"

namespace mixedwood {

std::unique_ptr<Scorer> SplitProblem::scorer() const {
  if (criterion.traits().pairwise && !ordered) return make_cut_scorer(pair_weights());
  return make_group_scorer(table, criterion);
}

double SplitProblem::score(const std::vector<int>& groups, int n_groups) const {
  if (criterion.traits().pairwise && !ordered) {
    const PairWeights& weights = *pair_weights();
    double sum = 0.0;
    for (int i = 0; i < weights.size(); ++i)
      for (int j = 0; j < i; ++j)
        if (groups[at(i)] != groups[at(j)]) sum += weights(i, j);
    return sum;
  }
  const GroupCounts added(table, groups, n_groups);
  return criterion.score(added.view(table.n_classes()), criterion.before(table.class_totals()));
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
