// A heavy cut of the graph of the values: greedy, then local search by moves and exchanges.
// The cut is at least half of the heaviest one. Returned as one partition and scored by the
// criterion, of which the cut weight is the value for squared_gini and chi2 with their own weights.
#include "cut_search.hpp"
#include "mixedwood/registry.hpp"

namespace mixedwood::partitioners {
namespace {

class MaxCut final : public Partitioner {
 public:
  explicit MaxCut(const Options& options)
      : weights_(options), local_search_(options.get<bool>("local_search")) {}

  Grouping search(const SplitProblem& problem) const override {
    const auto edges = weights_.of(problem);
    const PairWeights& weights = *edges;
    Grouping best;
    Sides sides = greedy_cut(weights);
    if (local_search_) best.complete = improve_cut(weights, sides, problem.stop);
    const auto scorer = problem.scorer();
    scorer->assign(sides);
    best.offer(scorer->score(), sides);
    return best;
  }

 private:
  EdgeWeights weights_;
  bool local_search_;
};

}  // namespace

std::unique_ptr<Partitioner> make_max_cut(const Options& options) {
  return std::make_unique<MaxCut>(options);
}

}  // namespace mixedwood::partitioners
