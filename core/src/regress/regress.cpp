#include "mixedwood/regress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mixedwood/random.hpp"
#include "search.hpp"
#include "statistics.hpp"

namespace mixedwood {
namespace regression {
namespace {

// A node that has a split but no children yet.
struct OpenNode {
  std::int32_t node = 0;
  std::int32_t depth = 0;
  std::uint64_t seed = 0;  // of this place in the tree, whatever the order of growth
  Bounds bounds;           // of what nodes predict here and below
  std::size_t begin = 0, end = 0;
  std::vector<std::int32_t> columns;  // that may still differ below
  Candidate split;
  double worth = 0.0;
};

bool worse(const OpenNode& a, const OpenNode& b) {
  return a.worth < b.worth || (a.worth == b.worth && a.node > b.node);
}

class Grower {
 public:
  Grower(const EncodedTable& table, const RegressData& data, const RegressSettings& settings, Stop& stop)
      : data_(data), settings_(settings), stop_(stop), columns_(table.columns) {
    // Copies of a row in a sample are one row, if they lie together: fewer are sorted and added up.
    std::size_t first = 0;  // of this tree
    const auto add = [&](std::size_t row) {
      const double weight = data.weights.empty() ? 1.0 : data.weights[row];
      if (!(weight > 0.0)) return;
      frequencies_ = frequencies_ && weight == std::floor(weight) && weight < 1e15;
      if (rows_.size() > first && rows_.back() == static_cast<std::int32_t>(row)) {
        weights_.back() += weight;
        ++copies_.back();
        return;
      }
      rows_.push_back(static_cast<std::int32_t>(row));
      weights_.push_back(weight);
      copies_.push_back(1);
    };
    if (data.rows.empty()) {
      for (std::size_t row = 0; row < table.n_rows; ++row) add(row);
    } else {
      std::size_t tree = 0;
      for (std::size_t i = 0; i < data.rows.size(); ++i) {
        for (; tree < data.starts.size() && data.starts[tree] == static_cast<std::int64_t>(i); ++tree)
          starts_.push_back(first = rows_.size());
        add(static_cast<std::size_t>(data.rows[i]));
      }
    }
    starts_.resize(std::max<std::size_t>(data.starts.size(), 2), rows_.size());
    if (data.starts.empty()) starts_[0] = 0;
  }

  GrownTree run() {
    if (rows_.empty()) throw std::invalid_argument("no row has weight");
    search_.emplace(settings_, copies(), frequencies_, stop_);
    choice_.emplace(settings_, columns_, *search_, stop_);
    std::vector<OpenNode> roots(starts_.size() - 1);
    for (std::size_t t = 0; t < roots.size(); ++t) {
      OpenNode& root = roots[t];
      root.begin = starts_[t];
      root.end = starts_[t + 1];
      root.seed = data_.starts.empty() ? settings_.seed : mix(settings_.seed, t + 1);
      root.columns.resize(columns_.size());
      std::iota(root.columns.begin(), root.columns.end(), 0);
      root.node = add_node(root);
    }
    auto leaves = static_cast<std::int64_t>(roots.size());
    for (std::size_t t = roots.size(); t-- > 0;) consider(std::move(roots[t]));
    while (!open_.empty()) {
      if (settings_.max_leaf_nodes && leaves >= *settings_.max_leaf_nodes) break;
      if (stop_.requested()) break;
      if (settings_.best_first) std::pop_heap(open_.begin(), open_.end(), worse);
      OpenNode node = std::move(open_.back());
      open_.pop_back();
      ++leaves;
      split(std::move(node));
    }
    tree_.complete = !stop_.timed_out();
    lay_out();
    return std::move(tree_);
  }

 private:
  struct Lists {
    std::vector<std::int32_t> children, values, value_children;
  };

  // How often a row comes in the sample, on average over its rows.
  double copies() const {
    double squares = 0.0, total = 0.0;
    for (const std::int32_t n : copies_) {
      squares += static_cast<double>(n) * n;
      total += n;
    }
    return squares / total;
  }

  std::int32_t add_node(const OpenNode& at) {
    const std::int32_t node = tree_.add_leaf();
    tree_.label.push_back(0);  // of classes; a number has none
    lists_.emplace_back();
    const NodeStatistics found = statistics_of(at);
    tree_.weighted_n_node_samples.push_back(found.weight);
    for (const double statistic : {found.weight, found.value, found.squares, found.loss})
      tree_.statistics.push_back(statistic);
    means_.push_back(found.mean);
    return node;
  }

  NodeStatistics statistics_of(const OpenNode& at) const {
    const std::size_t n = at.end - at.begin;
    return node_statistics(settings_.criterion, {rows_.data() + at.begin, n},
                           {weights_.data() + at.begin, n}, data_.target, at.bounds);
  }

  std::int8_t sign_of(std::int32_t column) const {
    return settings_.monotonic_cst.empty() ? std::int8_t{0}
                                           : settings_.monotonic_cst[static_cast<std::size_t>(column)];
  }

  double target(std::size_t i) const { return data_.target[static_cast<std::size_t>(rows_[i])]; }

  const double* statistics_of(std::int32_t node) const {
    return tree_.statistics.data() + static_cast<std::size_t>(node) * kRegressionStatistics;
  }

  bool may_be_split(const OpenNode& node) const {
    if (node.begin == node.end) return false;  // one of several trees, without rows
    if (settings_.max_depth && node.depth >= *settings_.max_depth) return false;
    const double least = std::max(settings_.min_samples_split, 2.0 * settings_.min_samples_leaf);
    auto n = static_cast<double>(node.end - node.begin);
    if (n < least) n = std::accumulate(copies_.begin() + static_cast<std::ptrdiff_t>(node.begin),
                                       copies_.begin() + static_cast<std::ptrdiff_t>(node.end), 0.0);
    if (n < least) return false;
    const double first = target(node.begin);
    for (std::size_t i = node.begin + 1; i < node.end; ++i)
      if (target(i) != first) return true;
    return false;
  }

  // Looks for a split, and keeps the node if it has one.
  void consider(OpenNode node) {
    if (!may_be_split(node)) return;
    const std::size_t n = node.end - node.begin;
    entries_.resize(rows_.size());
    // Sums of squares lose least relative to the mean. A Poisson loss needs the targets themselves.
    const double origin = settings_.criterion == RegressionLoss::kPoisson ||
                                  settings_.criterion == RegressionLoss::kEntropy
                              ? 0.0
                              : means_[static_cast<std::size_t>(node.node)];
    Entry* entries = entries_.data() + node.begin;
    Moments total;
    for (std::size_t i = 0; i < n; ++i) {
      entries[i] = {weights_[node.begin + i], target(node.begin + i) - origin,
                    static_cast<double>(copies_[node.begin + i])};
      total.add(entries[i].weight, entries[i].target, entries[i].rows);
    }
    const double* statistics = statistics_of(node.node);
    const NodeRows rows{{rows_.data() + node.begin, n}, {entries, n}, total, statistics[2], statistics[3],
                        !settings_.monotonic_cst.empty(),
                        {node.bounds.lower - origin, node.bounds.upper - origin}};
    ChoiceAtNode here{node.seed, std::move(node.columns)};
    choice_->choose(here, rows);
    node.columns = std::move(here.columns);
    node.split = std::move(here.split);
    if (!node.split.found() || stop_.requested()) return;
    node.worth = node.split.rank * statistics[0];
    open_.push_back(std::move(node));
    if (settings_.best_first) std::push_heap(open_.begin(), open_.end(), worse);
  }

  void split(OpenNode node) {
    const auto i = static_cast<std::size_t>(node.node);
    Candidate& split = node.split;
    const EncodedColumn& column = columns_[static_cast<std::size_t>(split.column)];
    split.children_by_code(column.n_values(), child_of_);
    const std::size_t middle = partition(node, column.codes());
    tree_.split_kind[i] = split.kind;
    tree_.column[i] = split.column;
    tree_.score[i] = split.score;
    tree_.missing_child[i] = split.missing_child;
    if (split.kind == kInterval) tree_.high[i] = split.high;
    OpenNode children[2];
    for (const std::size_t c : {std::size_t{0}, std::size_t{1}}) {
      children[c].begin = c == 0 ? node.begin : middle;
      children[c].end = c == 0 ? middle : node.end;
      children[c].depth = node.depth + 1;
      children[c].seed = mix(node.seed, columns_.size() + 2 + c);
      children[c].bounds = node.bounds;
      if (!settings_.max_features) children[c].columns = node.columns;
    }
    if (split.kind == kInterval && std::isfinite(split.high)) bound(children, sign_of(split.column));
    for (OpenNode& child : children) {
      child.node = add_node(child);
      lists_[i].children.push_back(child.node);
    }
    choose_sides(i, children[0].node, children[1].node);
    lists_[i].values = std::move(split.values);
    lists_[i].value_children = std::move(split.children);
    // The last one pushed is split next: the first child.
    consider(std::move(children[1]));
    consider(std::move(children[0]));
  }

  // The middle of what the children predict bounds all nodes below them: then no node of the lower side
  // predicts more than any of the higher one.
  void bound(OpenNode* children, std::int8_t sign) const {
    if (sign == 0) return;
    const double middle = std::midpoint(statistics_of(children[0]).value, statistics_of(children[1]).value);
    (sign > 0 ? children[0] : children[1]).bounds.upper = middle;
    (sign > 0 ? children[1] : children[0]).bounds.lower = middle;
  }

  // Rows of the left child first, each side in the order of before.
  std::size_t partition(const OpenNode& node, const std::int32_t* codes) {
    other_rows_.clear();
    other_weights_.clear();
    other_copies_.clear();
    std::size_t left = node.begin;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      if (child_of_[static_cast<std::size_t>(codes[rows_[i]] + 1)] == 0) {
        rows_[left] = rows_[i];
        copies_[left] = copies_[i];
        weights_[left++] = weights_[i];
      } else {
        other_rows_.push_back(rows_[i]);
        other_weights_.push_back(weights_[i]);
        other_copies_.push_back(copies_[i]);
      }
    }
    std::copy(other_rows_.begin(), other_rows_.end(), rows_.begin() + static_cast<std::ptrdiff_t>(left));
    std::copy(other_weights_.begin(), other_weights_.end(),
              weights_.begin() + static_cast<std::ptrdiff_t>(left));
    std::copy(other_copies_.begin(), other_copies_.end(),
              copies_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  // Where rows go that the split cannot place.
  void choose_sides(std::size_t i, std::int32_t first, std::int32_t second) {
    const std::int32_t heavier =
        tree_.weighted_n_node_samples[static_cast<std::size_t>(second)] > tree_.weighted_n_node_samples[static_cast<std::size_t>(first)];
    std::int32_t& missing = tree_.missing_child[i];
    const bool unmet = missing == kStop;
    if (unmet) missing = heavier;
    switch (settings_.handle_unknown) {
      case HandleUnknown::kStopAtNode: tree_.unknown_child[i] = kStop; break;
      case HandleUnknown::kWithMissing: tree_.unknown_child[i] = missing; break;
      case HandleUnknown::kMajority: tree_.unknown_child[i] = heavier; break;
    }
    if (unmet && settings_.handle_missing == HandleMissing::kCategory && tree_.split_kind[i] != kInterval)
      missing = tree_.unknown_child[i];
  }

  void lay_out() {
    for (const Lists& lists : lists_)
      tree_.end_lists(lists.children, lists.values, lists.value_children);
  }

  const RegressData& data_;
  const RegressSettings& settings_;
  Stop& stop_;
  const std::vector<EncodedColumn>& columns_;
  std::optional<Search> search_;
  std::optional<ColumnChoice> choice_;
  std::vector<std::int32_t> rows_, other_rows_;  // those of a node lie together
  std::vector<double> weights_, other_weights_;       // of all copies of a row
  std::vector<std::int32_t> copies_, other_copies_;
  bool frequencies_ = true;  // weights of rows are whole numbers
  std::vector<std::size_t> starts_;  // of the trees' rows, and the end
  std::vector<Entry> entries_;
  std::vector<OpenNode> open_;
  GrownTree tree_;
  std::vector<double> means_;  // of each node
  std::vector<Lists> lists_;   // of each node, until they are laid out
  std::vector<std::int32_t> child_of_;
};

void check(const EncodedTable& table, const RegressData& data, const RegressSettings& settings) {
  if (data.target.size() != table.n_rows)
    throw std::invalid_argument("one target is needed for each row");
  if (!data.weights.empty() && data.weights.size() != table.n_rows)
    throw std::invalid_argument("one weight is needed for each row");
  for (const double y : data.target)
    if (!std::isfinite(y) || (settings.criterion == RegressionLoss::kPoisson && y < 0.0))
      throw std::invalid_argument("targets must be finite, and not negative for a Poisson loss");
  for (const double w : data.weights)
    if (!(w >= 0.0) || !std::isfinite(w))
      throw std::invalid_argument("weights must be finite and not negative");
  if (!settings.monotonic_cst.empty()) {
    if (settings.monotonic_cst.size() != table.columns.size())
      throw std::invalid_argument("one monotonic constraint is needed for each column");
    if (settings.criterion == RegressionLoss::kAbsoluteError)
      throw std::invalid_argument("monotonic constraints need a criterion other than absolute error");
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (settings.monotonic_cst[c] != 0 && !table.columns[c].ordered())
        throw std::invalid_argument("a column without an order has a monotonic constraint");
  }
  if (settings.criterion == RegressionLoss::kGini || settings.criterion == RegressionLoss::kEntropy)
    for (const double y : data.target)
      if (y != 0.0 && y != 1.0) throw std::invalid_argument("targets of two classes are 0 and 1");
  if (settings.selection == Selection::kAverageGain)
    throw std::invalid_argument("the average gain is a rule for classes");
  if (settings.handle_missing == HandleMissing::kAllChildren)
    throw std::invalid_argument("rows of a regression tree are not divided among children");
  for (const std::int32_t row : data.rows)
    if (row < 0 || static_cast<std::size_t>(row) >= table.n_rows)
      throw std::invalid_argument("no such row");
  if (!data.starts.empty() &&
      (data.starts.front() != 0 || data.starts.size() < 2 ||
       data.starts.back() != static_cast<std::int64_t>(data.rows.size()) ||
       !std::is_sorted(data.starts.begin(), data.starts.end())))
    throw std::invalid_argument("starts must ascend from 0 to the number of rows");
}

}  // namespace
}  // namespace regression

GrownTree regress(const EncodedTable& table, const RegressData& data, const RegressSettings& settings,
                  Stop& stop) {
  regression::check(table, data, settings);
  return regression::Grower(table, data, settings, stop).run();
}

}  // namespace mixedwood
