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
    each_split(set, [&](const CandidateView& seen, Weights if_false) {
      const double sum = gini(seen.if_true) + gini(if_false);
      if (sum >= least) return;
      least = sum;
      split = splits_.kept(seen);
    });
  } catch (const Stopped&) {
    return leaf(set);
  }
  if (split.column < 0) return leaf(set);
  const auto [if_true, if_false] = divide(set, split);
  return branch(split, grow_greedily(if_true, depth - 1), grow_greedily(if_false, depth - 1));
}

// The cheapest of the trees that are left when subtrees become leaves, for each number of splits.
std::vector<TreePtr> Search::pruned(const TreePtr& tree, std::int64_t splits, const RowSet& set) {
  std::vector<TreePtr> best{leaf(set)};
  if (!tree->if_true) return best;
  const auto [true_rows, false_rows] = divide(set, tree->split);
  const std::vector<TreePtr> if_true = pruned(tree->if_true, splits - 1, true_rows);
  const std::vector<TreePtr> if_false = pruned(tree->if_false, splits - 1, false_rows);
  const std::size_t most = std::min(to_size(splits), if_true.size() + if_false.size() - 1);
  best.resize(most + 1, best[0]);
  for (std::size_t i = 0; i < if_true.size(); ++i)
    for (std::size_t j = 0; j < if_false.size() && i + j + 1 <= most; ++j)
      if (if_true[i]->cost + if_false[j]->cost < best[i + j + 1]->cost)
        best[i + j + 1] = branch(tree->split, if_true[i], if_false[j]);
  for (std::size_t i = 1; i <= most; ++i)
    if (best[i - 1]->cost <= best[i]->cost) best[i] = best[i - 1];
  return best;
}

}  // namespace mixedwood::optimal::per_node
