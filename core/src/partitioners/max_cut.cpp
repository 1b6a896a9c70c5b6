// A heavy cut of the graph of the values: greedy, then local search by moves and exchanges.
// The cut is at least half of the heaviest one. Returned as one partition and scored by the
// criterion, of which the cut weight is the value for squared_gini and chi2.
#include "cut_search.hpp"
#include "mixedwood/registry.hpp"

namespace mixedwood::partitioners {
namespace {

class MaxCut final : public Partitioner {
 public:
  explicit MaxCut(bool local_search) : local_search_(local_search) {}

  Grouping search(const SplitProblem& problem) const override {
    const PairWeights& weights = *problem.pair_weights();
    Grouping best;
    Sides sides = greedy_cut(weights);
    if (local_search_) best.complete = improve_cut(weights, sides, problem.stop);
    const auto scorer = problem.scorer();
    scorer->assign(sides);
    best.offer(scorer->score(), sides);
    return best;
  }

 private:
  bool local_search_;
};

}  // namespace

std::unique_ptr<Partitioner> make_max_cut(const Options& options) {
  return std::make_unique<MaxCut>(options.get<bool>("local_search"));
}

}  // namespace mixedwood::partitioners
