// What branch and bound over binary columns has in common, whatever a leaf costs: writing trees,
// improving and pruning them, and the best tree so far.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "../frame/incumbent.hpp"
#include "depth_two.hpp"
#include "small_trees.hpp"

namespace mixedwood::optimal::binary {

// A tree that is one leaf.
inline SplitTree one_leaf() { return {{SplitTree::Node{}}}; }
// The children for rows where the column is 1, and where it is 0.
inline std::pair<std::size_t, std::size_t> split(SplitTree& tree, std::size_t leaf,
                                                 std::int32_t column) {
  SplitTree::Node node;
  node.column = column;
  tree.split(leaf, node);
  return {tree.nodes.size() - 2, tree.nodes.size() - 1};
}

// What the cache has for exactly this budget, or for a smaller one that meets the bound of a larger.
inline std::optional<Solution> optimum(const Cache& cache, const Cache::Key& key,
                                       const Budget& budget) {
  Cost bound = 0;
  const Cache::Entry* best = nullptr;
  for (const auto* e = cache.first(key); e != nullptr; e = cache.next(*e)) {
    if (e->solved && e->budget == budget) return e->plan;
    if (budget.within(e->budget)) bound = std::max(bound, e->lower_bound);
    if (e->solved && e->budget.within(budget) && (!best || e->plan.cost < best->plan.cost)) best = e;
  }
  return best && best->plan.cost <= bound ? std::optional(best->plan) : std::nullopt;
}

// Any solution that costs so little.
inline std::optional<Solution> solution_of_cost(const Cache& cache, const Cache::Key& key,
                                                const Budget& budget, Cost cost) {
  for (const auto* e = cache.first(key); e != nullptr; e = cache.next(*e))
    if (e->solved && e->budget.within(budget) && e->plan.cost <= cost) return e->plan;
  return {};
}

// `Search` has a `cache_` and defines `leaf`, `divide_rows`, `small_tree` and `solve` for `Rows`.
template <typename Search, typename Rows>
class TreeSearch : public Solver {
 protected:
  using Result = std::optional<Solution>;

  void write(const Rows& rows, Budget budget, const Solution& solution, SplitTree& tree,
             std::size_t node) {
    if (solution.column == kLeafOnly) return;
    if (solution.column == kSmallTree) {
      const SmallTree small = self().small_tree(rows, static_cast<int>(solution.splits_with));
      if (small.root < 0) return;
      const auto [with, without] = split(tree, node, small.root);
      if (small.with >= 0) split(tree, with, small.with);
      if (small.without >= 0) split(tree, without, small.without);
      return;
    }
    Rows with, without;
    self().divide_rows(rows, solution.column, with, without);
    const auto [node_with, node_without] = split(tree, node, solution.column);
    const auto below = [&](const Rows& part, std::int64_t splits, Cost cost, std::size_t at) {
      const Budget its = Budget{budget.depth - 1, splits}.normalized();
      if (cost >= self().leaf(part)) return;  // the leaf is as good
      if (its.depth <= 2) {
        write(part, its, Solution{cost, kSmallTree, its.splits}, tree, at);
        return;
      }
      Result s = solution_of_cost(self().cache_, part.key(), its, cost);
      if (!s) s = self().solve(part, its, cost);
      if (s) write(part, its, *s, tree, at);
    };
    below(with, solution.splits_with, solution.cost_with, node_with);
    below(without, solution.splits_without, solution.cost_without, node_without);
  }

  // Replaces the last levels of a tree by the best for their rows.
  void local_search(const Rows& rows, std::int32_t depth, std::int32_t levels,
                    const SplitTree& from, std::size_t node, SplitTree& to, std::size_t leaf) {
    if (depth <= levels) {
      const Budget budget = Budget::full(depth);
      if (const Result s = self().solve(rows, budget, kInfinity)) write(rows, budget, *s, to, leaf);
      return;
    }
    const SplitTree::Node& here = from.nodes[node];
    if (here.column < 0) return;
    Rows with, without;
    self().divide_rows(rows, here.column, with, without);
    const auto [yes, no] = split(to, leaf, here.column);
    local_search(with, depth - 1, levels, from, to_size(here.if_true), to, yes);
    local_search(without, depth - 1, levels, from, to_size(here.if_false), to, no);
  }

  void offer(SplitTree tree) {
    const Cost cost = prune(all_, tree, 0);
    incumbent_.offer(std::move(tree), cost);
  }
  void offer(const Budget& budget, const Solution& solution) {
    SplitTree tree = one_leaf();
    write(all_, budget, solution, tree, 0);
    offer(std::move(tree));
  }

  // The best tree if it costs at most `upper`; `original` gives the number of a column outside.
  SolverResult result(ProofStatus status, Cost lower, Cost upper, const auto& original) const {
    SolverResult found = incumbent_.result(n_explored_, self().cache_);
    found.status = status;
    found.lower_bound = lower;
    if (incumbent_.cost() > upper) return found;
    // Nodes below splits that were pruned are left out.
    found.objective_value = incumbent_.cost();
    found.tree = one_leaf();
    std::vector<std::size_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const SplitTree::Node& node = incumbent_.tree().nodes[order[i]];
      if (node.column < 0) continue;
      split(found.tree, i, original(to_size(node.column)));
      order.push_back(to_size(node.if_true));
      order.push_back(to_size(node.if_false));
    }
    return found;
  }

  Rows all_;

  // Of one call of solve().
  Stop* stop_ = nullptr;
  std::int64_t memory_limit_ = 0;
  const Rows* root_ = nullptr;  // while a better tree of all rows is offered at once
  Incumbent<SplitTree> incumbent_;
  std::int64_t n_explored_ = 0;

 private:
  Search& self() { return static_cast<Search&>(*this); }
  const Search& self() const { return static_cast<const Search&>(*this); }

  // The cost of a subtree, after splits are removed that do not pay.
  Cost prune(const Rows& rows, SplitTree& tree, std::size_t node) const {
    SplitTree::Node& here = tree.nodes[node];
    if (here.column < 0) return self().leaf(rows);
    Rows with, without;
    self().divide_rows(rows, here.column, with, without);
    const Cost cost = prune(with, tree, to_size(here.if_true)) +
                      prune(without, tree, to_size(here.if_false));
    if (cost < self().leaf(rows)) return cost;
    here = {};
    return self().leaf(rows);
  }
};

}  // namespace mixedwood::optimal::binary
