// Branch and bound over trees whose tests are made from the rows of each node.
//
// A node's tests change with its rows, so a tree that is good for some rows need not exist for
// fewer of them: bounds that carry over from one set of rows to another (a subset costs no more, a
// few rows change the cost by few) are false here. What remains is used: a set of rows met again,
// bounds for larger budgets, what the sibling costs, rows that are equal, and the number of classes
// that a few leaves can name.
#include "mixedwood/rebinarise.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "mixedwood/random.hpp"
#include "node_tests.hpp"
#include "row_memo.hpp"

namespace mixedwood {
namespace {

using Weights = std::span<const std::int64_t>;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;

std::int64_t errors_of_leaf(Weights weights) {
  return std::accumulate(weights.begin(), weights.end(), std::int64_t{0}) -
         *std::max_element(weights.begin(), weights.end());
}

Budget normal(int depth, std::int64_t nodes) {
  depth = std::min(depth, 62);
  nodes = std::min(nodes, (std::int64_t{1} << depth) - 1);
  return {static_cast<int>(std::min<std::int64_t>(depth, nodes)), nodes};
}

std::int64_t most_nodes(int depth) { return normal(depth, kNever).nodes; }

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

// A tree with j leaves names j classes at most, and gets all others wrong.
std::int64_t Search::floor_of(Weights weights, std::int64_t excess, std::int64_t rows,
                              Budget budget) {
  std::int64_t floor = leaf_cost(weights);
  if (budget.depth == 0 || rows < 2 * settings_.min_leaf) return floor;
  const std::int64_t leaves = budget.nodes + 1;
  std::int64_t left = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  sorted_.assign(weights.begin(), weights.end());
  std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  for (std::size_t j = 0; j < sorted_.size(); ++j) {
    const auto used = static_cast<std::int64_t>(j) + 1;
    if (used > leaves) break;
    left -= sorted_[j];
    if (used > 1) floor = std::min(floor, used * settings_.leaf_cost + std::max(left, excess));
    if (left <= excess && used > 1) break;
  }
  return floor;
}

void Search::add_row(RowSet& set, std::int32_t row) const {
  const auto r = static_cast<std::size_t>(row);
  set.rows.push_back(row);
  set.weights[static_cast<std::size_t>(table_.classes[r])] += table_.weights[r];
  set.excess += table_.excess[r];
  set.hash ^= keys_[r];
}

RowSet Search::all_rows() const {
  RowSet set;
  set.weights.assign(table_.n_classes, 0);
  set.rows.reserve(table_.n_rows);
  for (std::size_t row = 0; row < table_.n_rows; ++row)
    add_row(set, static_cast<std::int32_t>(row));
  return set;
}

std::pair<RowSet, RowSet> Search::split(const RowSet& set, const NodeTest& test) {
  std::pair<RowSet, RowSet> sides;
  sides.first.weights.assign(table_.n_classes, 0);
  sides.second.weights.assign(table_.n_classes, 0);
  const std::int32_t* codes = table_.columns[static_cast<std::size_t>(test.column)].codes.data();
  for (const std::int32_t value : test.values) is_listed_[static_cast<std::size_t>(value)] = 1;
  for (const std::int32_t row : set.rows) {
    const std::int32_t code = codes[row];
    const bool yes = test.values.empty()
                         ? code > test.after && code <= test.upto
                         : code >= 0 && is_listed_[static_cast<std::size_t>(code)] != 0;
    add_row(yes ? sides.first : sides.second, row);
  }
  for (const std::int32_t value : test.values) is_listed_[static_cast<std::size_t>(value)] = 0;
  return sides;
}

template <typename Visit>
void Search::each_test(const RowSet& set, Visit visit) {
  const auto n = static_cast<std::int64_t>(set.rows.size());
  tests_.each(set.rows, stop_, [&](const SeenTest& seen) {
    if (std::min(seen.yes_rows, n - seen.yes_rows) < settings_.min_leaf) return;
    for (std::size_t k = 0; k < no_.size(); ++k) no_[k] = set.weights[k] - seen.yes[k];
    visit(seen, Weights(no_));
  });
}

TreePtr Search::solve(const RowSet& set, Budget budget, std::int64_t most) {
  if (stop_.requested()) throw Stopped{};
  if (most < 0) return nullptr;
  ++n_explored_;
  const std::int64_t as_leaf = leaf_cost(set.weights);
  const auto rows = static_cast<std::int64_t>(set.rows.size());
  std::int64_t floor = floor_of(set.weights, set.excess, rows, budget);
  if (floor > most) return nullptr;
  if (floor == as_leaf) return leaf(set);
  const RowMemo::Known known = memo_.find(set, budget);
  if (known.best) return known.best->cost <= most ? known.best : nullptr;
  floor = std::max(floor, known.lower_bound);
  if (floor > most) return nullptr;
  if (floor == as_leaf) return leaf(set);
  return budget.depth == 1 ? best_stump(set, most) : best_branch(set, budget, most, false);
}

TreePtr Search::best_stump(const RowSet& set, std::int64_t most) {
  std::int64_t least = leaf_cost(set.weights), yes_cost = 0;
  NodeTest test;
  each_test(set, [&](const SeenTest& seen, Weights no) {
    const std::int64_t cost = leaf_cost(seen.yes);
    if (cost + leaf_cost(no) >= least) return;
    least = cost + leaf_cost(no);
    yes_cost = cost;
    test = tests_.kept(seen);
  });
  const TreePtr best =
      test.column < 0 ? leaf(set) : branch(test, leaf_of(yes_cost), leaf_of(least - yes_cost));
  memo_.add(set, {1, 1}, best, least);
  return least <= most ? best : nullptr;
}

std::vector<Option> Search::options_of(const RowSet& set, Budget budget) {
  const Budget below = normal(budget.depth - 1, budget.nodes - 1);
  const auto n = static_cast<std::int64_t>(set.rows.size());
  std::vector<Option> options;
  each_test(set, [&](const SeenTest& seen, Weights no) {
    const std::int64_t floor =
        floor_of(seen.yes, seen.yes_excess, seen.yes_rows, below) +
        floor_of(no, set.excess - seen.yes_excess, n - seen.yes_rows, below);
    options.push_back({tests_.kept(seen), leaf_cost(seen.yes) + leaf_cost(no), floor});
  });
  // Good trees first; of equals, the first.
  std::stable_sort(options.begin(), options.end(),
                   [](const Option& a, const Option& b) { return a.stump < b.stump; });
  return options;
}

TreePtr Search::best_branch(const RowSet& set, Budget budget, std::int64_t most, bool is_root) {
  const std::vector<Option> options = options_of(set, budget);
  const std::int64_t as_leaf = leaf_cost(set.weights);
  TreePtr best = as_leaf <= most ? leaf(set) : nullptr;
  if (!options.empty() && options[0].stump <= most && options[0].stump < as_leaf) {
    const auto [yes, no] = split(set, options[0].test);
    best = branch(options[0].test, leaf(yes), leaf(no));
  }
  if (is_root && best) keep(best);
  std::int64_t refined = as_leaf;
  std::size_t at = 0;
  try {
    for (; at < options.size(); ++at)
      try_option(set, options[at], budget, most, is_root, best, refined);
  } catch (const Stopped&) {
    if (is_root) {  // nothing is below what the tests that were not finished may still give
      root_floor_ = best ? best->cost : std::max(most + 1, refined);
      for (; at < options.size(); ++at) root_floor_ = std::min(root_floor_, options[at].floor);
    }
    throw;
  }
  memo_.add(set, budget, best, best ? best->cost : std::max(most + 1, refined));
  return best;
}

void Search::try_option(const RowSet& set, const Option& option, Budget budget, std::int64_t most,
                        bool is_root, TreePtr& best, std::int64_t& refined) {
  const auto limit = [&] { return best ? best->cost - 1 : most; };
  if (option.floor > limit()) {
    refined = std::min(refined, option.floor);
    return;
  }
  const auto [yes, no] = split(set, option.test);
  const std::int64_t most_below = std::min(most_nodes(budget.depth - 1), budget.nodes - 1);
  const bool yes_first = leaf_cost(yes.weights) >= leaf_cost(no.weights);
  const RowSet& first = yes_first ? yes : no;
  const RowSet& second = yes_first ? no : yes;
  for (std::int64_t share = budget.nodes - 1 - most_below; share <= most_below; ++share) {
    const Budget for_first = normal(budget.depth - 1, share);
    const Budget for_second = normal(budget.depth - 1, budget.nodes - 1 - share);
    const std::int64_t least_second = lower_bound(second, for_second);
    const TreePtr one = solve(first, for_first, limit() - least_second);
    const TreePtr other = one ? solve(second, for_second, limit() - one->cost) : nullptr;
    if (!other) {  // a failed search has left a better bound behind
      const std::int64_t least_first = one ? one->cost : lower_bound(first, for_first);
      const std::int64_t both = least_first + (one ? lower_bound(second, for_second) : least_second);
      refined = std::min(refined, std::max(both, limit() + 1));
      continue;
    }
    best = yes_first ? branch(option.test, one, other) : branch(option.test, other, one);
    if (is_root) keep(best);
  }
}

// The best single split by Gini impurity, again and again.
TreePtr Search::grow_greedily(const RowSet& set, int depth) {
  if (depth == 0 || errors_of_leaf(set.weights) == 0) return leaf(set);
  const auto impurity = [](Weights weights) {
    double sum = 0.0, squares = 0.0;
    for (const std::int64_t weight : weights) {
      sum += static_cast<double>(weight);
      squares += static_cast<double>(weight) * static_cast<double>(weight);
    }
    return sum - squares / sum;
  };
  double least = std::numeric_limits<double>::infinity();
  NodeTest test;
  try {
    each_test(set, [&](const SeenTest& seen, Weights no) {
      const double sum = impurity(seen.yes) + impurity(no);
      if (sum >= least) return;
      least = sum;
      test = tests_.kept(seen);
    });
  } catch (const Stopped&) {
    return leaf(set);
  }
  if (test.column < 0) return leaf(set);
  const auto [yes, no] = split(set, test);
  return branch(test, grow_greedily(yes, depth - 1), grow_greedily(no, depth - 1));
}

// The cheapest of the trees that are left when subtrees become leaves, for each number of nodes.
std::vector<TreePtr> Search::pruned(const TreePtr& tree, std::int64_t nodes, const RowSet& set) {
  std::vector<TreePtr> best{leaf(set)};
  if (!tree->yes) return best;
  const auto [yes_rows, no_rows] = split(set, tree->test);
  const std::vector<TreePtr> yes = pruned(tree->yes, nodes - 1, yes_rows);
  const std::vector<TreePtr> no = pruned(tree->no, nodes - 1, no_rows);
  const std::size_t most = std::min(static_cast<std::size_t>(nodes), yes.size() + no.size() - 1);
  best.resize(most + 1, best[0]);
  for (std::size_t i = 0; i < yes.size(); ++i)
    for (std::size_t j = 0; j < no.size() && i + j + 1 <= most; ++j)
      if (yes[i]->cost + no[j]->cost < best[i + j + 1]->cost)
        best[i + j + 1] = branch(tree->test, yes[i], no[j]);
  for (std::size_t i = 1; i <= most; ++i)
    if (best[i - 1]->cost <= best[i]->cost) best[i] = best[i - 1];
  return best;
}

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
    result.status = found ? ProofStatus::kOptimal : ProofStatus::kNoTree;
    result.lower_bound = found ? result.cost : std::max(floor, settings_.upper_bound + 1);
    return result;
  }
  result.status = stop_.timed_out() ? ProofStatus::kTimeLimit : ProofStatus::kInterrupted;
  result.lower_bound = std::min(std::max(floor, final_depth_ ? root_floor_ : 0), incumbent_->cost);
  return result;
}

}  // namespace

RebinarisedResult rebinarised_tree(const std::vector<RebinariseColumn>& columns,
                                   std::span<const std::int32_t> classes,
                                   std::span<const std::int64_t> weights, std::size_t n_classes,
                                   const RebinariseSettings& settings, Stop& stop) {
  if (settings.max_depth < 0 || settings.max_nodes < 0 || settings.leaf_cost < 0 ||
      settings.min_leaf < 1)
    throw std::invalid_argument("limits of depth, nodes, leaf cost and leaf size are negative");
  if (settings.leaf_cost > kNever / 4 / static_cast<std::int64_t>(classes.size() + 1))
    throw std::invalid_argument("the cost of a leaf is too large");
  if (settings.max_subset_values > 16)
    throw std::invalid_argument("all subsets of more than 16 values are too many");
  for (const RebinariseColumn& column : columns)
    if (column.n_bins < 1) throw std::invalid_argument("at least one range is needed");
  const NodeTable table(columns, classes, weights, n_classes);
  return Search(table, settings, stop).run();
}

}  // namespace mixedwood
