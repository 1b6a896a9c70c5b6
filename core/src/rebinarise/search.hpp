// Branch and bound over trees whose tests are made from the rows of each node.
//
// A node's tests change with its rows, so a tree that is good for some rows need not exist for
// fewer of them: bounds that carry over from one set of rows to another (a subset costs no more, a
// few rows change the cost by few) are false here. What remains is used: a set of rows met again,
// bounds for larger budgets, what the sibling costs, rows that are equal, and the number of classes
// that a few leaves can name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mixedwood/random.hpp"
#include "mixedwood/rebinarise.hpp"
#include "node_tests.hpp"
#include "row_memo.hpp"

namespace mixedwood::rebinarise {

using Weights = std::span<const std::int64_t>;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;

inline std::int64_t errors_of_leaf(Weights weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0}) -
         *std::max_element(weights.begin(), weights.end());
}

inline Budget normal(int depth, std::int64_t nodes) {
  depth = std::min(depth, 62);
  nodes = std::min(nodes, (std::int64_t{1} << depth) - 1);
  return {static_cast<int>(std::min<std::int64_t>(depth, nodes)), nodes};
}

inline std::int64_t most_nodes(int depth) { return normal(depth, kNever).nodes; }

// One test of a node that may have more tests below.
struct Option {
  NodeTest test;
  std::int64_t stump;  // cost if both sides are leaves
  std::int64_t floor;  // cost that no tree below it undercuts
};

class Search {
 public:
  Search(const NodeTable& table, const RebinariseSettings& settings, Stop& stop)
      : table_(table),
        settings_(settings),
        stop_(stop),
        tests_(table, settings),
        memo_(table.n_rows, settings.memory_limit),
        no_(table.n_classes),
        is_listed_(most_codes(table), 0) {
    Random random(0);
    for (std::size_t row = 0; row < table.n_rows; ++row) keys_.push_back(random.bits());
  }

  RebinarisedResult run();

 private:
  static std::size_t most_codes(const NodeTable& table) {
    std::int32_t most = 0;
    for (const NodeColumn& column : table.columns) most = std::max(most, column.n_codes);
    return static_cast<std::size_t>(most);
  }

  std::int64_t leaf_cost(Weights weights) const {
    return errors_of_leaf(weights) + settings_.leaf_cost;
  }
  TreePtr leaf(const RowSet& set) const {
    auto tree = std::make_shared<BestTree>();
    tree->cost = leaf_cost(set.weights);
    return tree;
  }
  TreePtr branch(NodeTest test, TreePtr yes, TreePtr no) const {
    auto tree = std::make_shared<BestTree>();
    tree->cost = yes->cost + no->cost;
    tree->depth = 1 + std::max(yes->depth, no->depth);
    tree->nodes = 1 + yes->nodes + no->nodes;
    tree->test = std::move(test);
    tree->yes = std::move(yes);
    tree->no = std::move(no);
    return tree;
  }
  TreePtr leaf_of(std::int64_t cost) const {
    auto tree = std::make_shared<BestTree>();
    tree->cost = cost;
    return tree;
  }

  std::int64_t floor_of(Weights weights, std::int64_t excess, std::int64_t rows, Budget budget);
  std::int64_t lower_bound(const RowSet& set, Budget budget) {
    const auto rows = static_cast<std::int64_t>(set.rows.size());
    const std::int64_t floor = floor_of(set.weights, set.excess, rows, budget);
    return budget.depth == 0 ? floor : std::max(floor, memo_.find(set, budget).lower_bound);
  }

  RowSet all_rows() const;
  void add_row(RowSet& set, std::int32_t row) const;
  std::pair<RowSet, RowSet> split(const RowSet& set, const NodeTest& test);
  // Calls visit(seen, weights of the other side) for each test that leaves enough rows.
  template <typename Visit>
  void each_test(const RowSet& set, Visit visit);

  TreePtr solve(const RowSet& set, Budget budget, std::int64_t most);
  TreePtr best_stump(const RowSet& set, std::int64_t most);
  TreePtr best_branch(const RowSet& set, Budget budget, std::int64_t most, bool is_root);
  std::vector<Option> options_of(const RowSet& set, Budget budget);
  // Tries one test with all shares of the nodes; lowers `refined` to what it proves.
  void try_option(const RowSet& set, const Option& option, Budget budget, std::int64_t most,
                  bool is_root, TreePtr& best, std::int64_t& refined);

  TreePtr grow_greedily(const RowSet& set, int depth);
  std::vector<TreePtr> pruned(const TreePtr& tree, std::int64_t nodes, const RowSet& set);
  void keep(const TreePtr& tree) {
    if (!incumbent_ || tree->cost < incumbent_->cost) incumbent_ = tree;
  }

  const NodeTable& table_;
  const RebinariseSettings& settings_;
  Stop& stop_;
  NodeTests tests_;
  RowMemo memo_;
  std::vector<std::uint64_t> keys_;  // of rows, for hashes of sets
  std::vector<std::int64_t> no_, sorted_;
  std::vector<std::uint8_t> is_listed_;
  TreePtr incumbent_;
  std::int64_t root_floor_ = 0, n_explored_ = 0;  // the first: of the depth at hand
  bool final_depth_ = false;
};

template <typename Visit>
void Search::each_test(const RowSet& set, Visit visit) {
  const auto n = static_cast<std::int64_t>(set.rows.size());
  tests_.each(set.rows, stop_, [&](const SeenTest& seen) {
    if (std::min(seen.yes_rows, n - seen.yes_rows) < settings_.min_leaf) return;
    for (std::size_t k = 0; k < no_.size(); ++k) no_[k] = set.weights[k] - seen.yes[k];
    visit(seen, Weights(no_));
  });
}

}  // namespace mixedwood::rebinarise
