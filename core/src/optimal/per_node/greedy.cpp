// A first incumbent: the greedy tree, pruned to the maximum number of splits.
#include "../../criteria/impurity.hpp"
#include "search.hpp"

namespace mixedwood::optimal::per_node {
namespace {

double gini(Weights weights) { return weighted_impurity<GiniPurity>(weights); }

}  // namespace

// The best single split by Gini impurity, again and again.
TreePtr Search::grow_greedily(const RowSet& set, int depth) {
  if (depth == 0 || errors_of_leaf(set.weights) == 0) return leaf(set);
  double least = std::numeric_limits<double>::infinity();
  NodeSplit split;
  try {
    each_split(set, [&](const CandidateView& seen, Weights no) {
      const double sum = gini(seen.yes) + gini(no);
      if (sum >= least) return;
      least = sum;
      split = splits_.kept(seen);
    });
  } catch (const Stopped&) {
    return leaf(set);
  }
  if (split.column < 0) return leaf(set);
  const auto [yes, no] = divide(set, split);
  return branch(split, grow_greedily(yes, depth - 1), grow_greedily(no, depth - 1));
}

// The cheapest of the trees that are left when subtrees become leaves, for each number of splits.
std::vector<TreePtr> Search::pruned(const TreePtr& tree, std::int64_t splits, const RowSet& set) {
  std::vector<TreePtr> best{leaf(set)};
  if (!tree->yes) return best;
  const auto [yes_rows, no_rows] = divide(set, tree->split);
  const std::vector<TreePtr> yes = pruned(tree->yes, splits - 1, yes_rows);
  const std::vector<TreePtr> no = pruned(tree->no, splits - 1, no_rows);
  const std::size_t most = std::min(to_size(splits), yes.size() + no.size() - 1);
  best.resize(most + 1, best[0]);
  for (std::size_t i = 0; i < yes.size(); ++i)
    for (std::size_t j = 0; j < no.size() && i + j + 1 <= most; ++j)
      if (yes[i]->cost + no[j]->cost < best[i + j + 1]->cost)
        best[i + j + 1] = branch(tree->split, yes[i], no[j]);
  for (std::size_t i = 1; i <= most; ++i)
    if (best[i - 1]->cost <= best[i]->cost) best[i] = best[i - 1];
  return best;
}

}  // namespace mixedwood::optimal::per_node
