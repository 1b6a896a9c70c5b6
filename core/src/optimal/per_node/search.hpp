// Branch and bound over trees whose splits are made from the rows of each node.
//
// The splits of a node depend on its rows, so a tree that is good for some rows need not exist for
// fewer of them: bounds that carry over from one set of rows to another (a subset costs no more, a
// few rows change the cost by few) are false here. These bounds are used: the cache, bounds for
// larger budgets, the cost of the sibling, rows that are equal, and the number of classes that a few
// leaves can predict.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "../../hash.hpp"
#include "../frame/bound_cache.hpp"
#include "../frame/incumbent.hpp"
#include "node_splits.hpp"

namespace mixedwood::optimal::per_node {

using Weights = std::span<const std::int64_t>;
inline std::int64_t errors_of_leaf(Weights weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0}) -
         *std::max_element(weights.begin(), weights.end());
}

struct BestTree {
  std::int64_t cost = 0;
  Budget size;  // depth and number of splits
  NodeSplit split;
  std::shared_ptr<const BestTree> if_true, if_false;  // both, or none: a leaf
};
using TreePtr = std::shared_ptr<const BestTree>;

// Rows ascending, and what is computed from them.
struct RowSet {
  std::vector<std::int32_t> rows;
  std::int32_t depth = 0;             // of the node; no more than its splits feel
  std::vector<std::int64_t> weights;  // by class
  std::int64_t unavoidable = 0;
  std::vector<std::uint64_t> key;
  std::uint64_t hash = 0;
};

// A tree of a smaller budget is one of a larger, and the splits of a node depend on its rows and depth
// alone, which are the key. So the best tree of a budget is the best of every budget between its own size and that one.
using Cache = BoundCache<TreePtr>;

// A split of a node that may have more splits below.
struct Candidate {
  NodeSplit split;
  std::int64_t stump;  // cost if both sides are leaves
  std::int64_t bound;  // lower bound of the cost with any trees below it
};

class Search {
 public:
  Search(const NodeTable& table, const Objective& objective, const BinarizerSettings& settings,
         Stop& stop)
      : table_(table),
        objective_(objective),
        stop_(stop),
        splits_(table, settings),
        // A tree with its two leaves, or the two trees below it that no other entry keeps.
        cache_(3 * (sizeof(BestTree) + 32)),
        false_(table.n_classes),
        is_listed_(max_codes(table), 0) {}

  SolverResult run(const SearchLimits& limits);

 private:
  static std::size_t max_codes(const NodeTable& table) {
    std::int32_t most = 0;
    for (const NodeColumn& column : table.columns) most = std::max(most, column.n_codes);
    return to_size(most);
  }

  std::int64_t leaf_cost(Weights weights) const {
    return errors_of_leaf(weights) + objective_.leaf_penalty;
  }
  TreePtr leaf(const RowSet& set) const { return leaf_of(leaf_cost(set.weights)); }
  static TreePtr leaf_of(std::int64_t cost) {
    auto tree = std::make_shared<BestTree>();
    tree->cost = cost;
    return tree;
  }
  static TreePtr branch(NodeSplit split, TreePtr if_true, TreePtr if_false) {
    auto tree = std::make_shared<BestTree>();
    tree->cost = if_true->cost + if_false->cost;
    tree->size = {1 + std::max(if_true->size.depth, if_false->size.depth),
                  1 + if_true->size.splits + if_false->size.splits};
    tree->split = std::move(split);
    tree->if_true = std::move(if_true);
    tree->if_false = std::move(if_false);
    return tree;
  }

  std::int64_t simple_bound(Weights weights, std::int64_t unavoidable, std::int64_t rows, Budget budget);
  std::int64_t lower_bound(const RowSet& set, Budget budget) {
    const auto rows = static_cast<std::int64_t>(set.rows.size());
    const std::int64_t bound = simple_bound(set.weights, set.unavoidable, rows, budget);
    return budget.depth == 0 ? bound : std::max(bound, cache_.lower_bound(key_of(set), budget));
  }
  static Cache::Key key_of(const RowSet& set) { return {set.key, set.hash}; }
  void make_key(RowSet& set) const;
  void remember(const RowSet& set, Budget budget, const TreePtr& best, std::int64_t bound);

  RowSet all_rows() const;
  void add_row(RowSet& set, std::int32_t row) const;
  std::pair<RowSet, RowSet> divide(const RowSet& set, const NodeSplit& split);
  // Calls visit(seen, weights of the other side) for each split that leaves enough rows.
  template <typename Visit>
  void each_split(const RowSet& set, Visit visit);

  TreePtr solve(const RowSet& set, Budget budget, std::int64_t most);
  TreePtr best_stump(const RowSet& set, std::int64_t most);
  TreePtr best_branch(const RowSet& set, Budget budget, std::int64_t most, bool is_root);
  std::vector<Candidate> candidates_of(const RowSet& set, Budget budget);
  // Tries one split with all divisions of the splits below; lowers `refined` to what it proves.
  void try_candidate(const RowSet& set, const Candidate& candidate, Budget budget, std::int64_t most,
                  bool is_root, TreePtr& best, std::int64_t& refined);

  TreePtr grow_greedily(const RowSet& set, int depth);
  std::vector<TreePtr> pruned(const TreePtr& tree, std::int64_t splits, const RowSet& set);
  void offer(const TreePtr& tree) { incumbent_.offer(tree, tree->cost); }

  const NodeTable& table_;
  Objective objective_;
  Stop& stop_;
  NodeSplits splits_;
  Cache cache_;
  std::int64_t memory_limit_ = 0;
  std::vector<std::int64_t> false_, sorted_;
  std::vector<std::uint8_t> is_listed_;
  Incumbent<TreePtr> incumbent_;
  std::int64_t root_bound_ = 0, n_explored_ = 0;  // the first: of the depth at hand
  bool final_depth_ = false;
};

template <typename Visit>
void Search::each_split(const RowSet& set, Visit visit) {
  const auto n = static_cast<std::int64_t>(set.rows.size());
  splits_.each(set.rows, set.depth, stop_, [&](const CandidateView& seen) {
    if (std::min(seen.true_rows, n - seen.true_rows) < objective_.min_samples_leaf) return;
    for (std::size_t k = 0; k < false_.size(); ++k) false_[k] = set.weights[k] - seen.if_true[k];
    visit(seen, Weights(false_));
  });
}

}  // namespace mixedwood::optimal::per_node
