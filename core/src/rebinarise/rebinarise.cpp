#include "mixedwood/rebinarise.hpp"

#include <stdexcept>

#include "search.hpp"

namespace mixedwood::rebinarise {

namespace {

void write_down(const TreePtr& tree, RebinarisedTree& out) {
  const std::size_t here = out.column.size();
  const bool is_leaf = !tree->yes;
  out.column.push_back(is_leaf ? -1 : tree->test.column);
  out.low.push_back(is_leaf ? -std::numeric_limits<double>::infinity() : tree->test.low);
  out.high.push_back(is_leaf ? std::numeric_limits<double>::infinity() : tree->test.high);
  if (!is_leaf)
    out.value_code.insert(out.value_code.end(), tree->test.values.begin(),
                          tree->test.values.end());
  out.value_offset.push_back(static_cast<std::int32_t>(out.value_code.size()));
  out.yes.push_back(-1);
  out.no.push_back(-1);
  if (is_leaf) return;
  out.yes[here] = static_cast<std::int32_t>(out.column.size());
  write_down(tree->yes, out);
  out.no[here] = static_cast<std::int32_t>(out.column.size());
  write_down(tree->no, out);
}

}  // namespace

RebinarisedResult Search::run() {
  const RowSet root = all_rows();
  const auto n = static_cast<std::int64_t>(table_.n_rows);
  const auto depth = static_cast<int>(std::min<std::int64_t>(settings_.max_depth, n - 1));
  const Budget budget = normal(depth, settings_.max_nodes);
  RebinarisedResult result;
  keep(leaf(root));
  const std::int64_t floor = floor_of(root.weights, root.excess, n, budget);
  if (budget.depth > 0 && floor < incumbent_->cost) {
    stop_.hold_time(true);
    const TreePtr greedy = grow_greedily(root, budget.depth);
    stop_.hold_time(false);
    const std::int64_t nodes = std::min(budget.nodes, greedy->nodes);
    keep(pruned(greedy, nodes, root).back());
  }
  bool stopped = false;
  try {
    // Small depths first: they cost little, and what they find bounds the larger ones.
    for (int d = 1; d <= budget.depth && floor < incumbent_->cost; ++d) {
      const Budget now = normal(d, budget.nodes);
      const std::int64_t most = std::min(settings_.upper_bound, incumbent_->cost - 1);
      if (most < floor) break;
      root_floor_ = 0;
      final_depth_ = d == budget.depth;
      const TreePtr found = d == 1 ? best_stump(root, most) : best_branch(root, now, most, true);
      if (found) keep(found);
    }
  } catch (const Stopped&) {
    stopped = true;
  }
  result.n_explored = n_explored_;
  result.n_cached = memo_.size();
  const bool found = incumbent_->cost <= settings_.upper_bound;
  if (found) {
    result.cost = incumbent_->cost;
    write_down(incumbent_, result.tree);
  }
  if (!stopped) {
    result.status = found ? ProofStatus::kOptimal : ProofStatus::kInfeasible;
    result.lower_bound = found ? result.cost : std::max(floor, settings_.upper_bound + 1);
    return result;
  }
  result.status = why_stopped(stop_);
  result.lower_bound = std::min(std::max(floor, final_depth_ ? root_floor_ : 0), incumbent_->cost);
  return result;
}

}  // namespace mixedwood::rebinarise

namespace mixedwood {

RebinarisedResult rebinarised_tree(const std::vector<RebinariseColumn>& columns,
                                   std::span<const std::int32_t> classes,
                                   std::span<const std::int64_t> weights, std::size_t n_classes,
                                   const RebinariseSettings& settings, Stop& stop) {
  if (settings.max_depth < 0 || settings.max_nodes < 0 || settings.leaf_cost < 0 ||
      settings.min_leaf < 1)
    throw std::invalid_argument("limits of depth, nodes, leaf cost and leaf size are negative");
  if (settings.leaf_cost > rebinarise::kNever / 4 / static_cast<std::int64_t>(classes.size() + 1))
    throw std::invalid_argument("the cost of a leaf is too large");
  if (settings.max_subset_values > 16)
    throw std::invalid_argument("all subsets of more than 16 values are too many");
  for (const RebinariseColumn& column : columns)
    if (column.n_bins < 1) throw std::invalid_argument("at least one range is needed");
  const rebinarise::NodeTable table(columns, classes, weights, n_classes);
  return rebinarise::Search(table, settings, stop).run();
}

}  // namespace mixedwood
