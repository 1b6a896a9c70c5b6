#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "column_selector.hpp"
#include "counting.hpp"
#include "mixedwood/costs.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/random.hpp"
#include "rows.hpp"

namespace mixedwood {
namespace {

// A node that has been looked at and has a split, but no children yet.
struct OpenNode {
  std::int32_t node = 0;
  std::int32_t depth = 0;
  std::uint64_t seed = 0;  // of this place in the tree, whatever the order of growth
  RowSet rows;
  std::vector<std::int32_t> columns;  // that may still differ below
  Histogram histogram;
  Candidate split;
  double worth = 0.0;
};

// Which node is split next: the one made last, or the one whose split is worth most.
class Frontier {
 public:
  explicit Frontier(bool best_first) : best_first_(best_first) {}
  bool empty() const { return nodes_.empty(); }
  void push(OpenNode node) {
    nodes_.push_back(std::move(node));
    if (best_first_) std::push_heap(nodes_.begin(), nodes_.end(), worse);
  }
  OpenNode pop() {
    if (best_first_) std::pop_heap(nodes_.begin(), nodes_.end(), worse);
    OpenNode node = std::move(nodes_.back());
    nodes_.pop_back();
    return node;
  }

 private:
  static bool worse(const OpenNode& a, const OpenNode& b) {
    return a.worth < b.worth || (a.worth == b.worth && a.node > b.node);
  }
  bool best_first_;
  std::vector<OpenNode> nodes_;
};

class Grower {
 public:
  Grower(const EncodedTable& table, const GrowData& data, const GrowSettings& settings, Stop& stop)
      : data_(data),
        settings_(settings),
        stop_(stop),
        columns_(table.columns),
        rows_(data, settings.fractional() && any_missing(columns_)),
        counter_(columns_, data.n_classes),
        selector_(settings, columns_, counter_, rows_, stop),
        frontier_(settings.best_first) {}

  GrownTree run() {
    if (rows_.size() == 0) throw std::invalid_argument("no row has weight");
    std::vector<std::int32_t> columns(columns_.size());
    std::iota(columns.begin(), columns.end(), 0);
    // Columns with buckets come last: a good score to beat spares most of the work on them. C4.5
    // takes the first of nearly equal columns, so there the order stays.
    if (settings_.rules == Rules::kParts)
      std::stable_partition(columns.begin(), columns.end(), [&](std::int32_t c) {
        return columns_[at(c)].bucket_bits() == 0;
      });
    std::vector<OpenNode> roots;
    for (RowSet& rows : rows_.starts()) {
      OpenNode& root = roots.emplace_back();
      root.node = add_node(rows);
      root.rows = std::move(rows);
      root.seed = data_.starts.empty() ? settings_.seed : mix(settings_.seed, roots.size());
      root.columns = columns;
    }
    auto leaves = static_cast<std::int64_t>(roots.size());
    for (std::size_t t = roots.size(); t-- > 0;) consider(std::move(roots[t]));
    while (!frontier_.empty()) {
      if (settings_.max_leaf_nodes && leaves >= settings_.max_leaf_nodes) break;
      if (stop_.requested()) break;
      OpenNode node = frontier_.pop();
      if (settings_.max_leaf_nodes && leaves + node.split.n_children - 1 > settings_.max_leaf_nodes)
        continue;
      leaves += node.split.n_children - 1;
      split(std::move(node));
    }
    tree_.complete = !stop_.timed_out();
    lay_out();
    return std::move(tree_);
  }

 private:
  static bool any_missing(const std::vector<EncodedColumn>& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const EncodedColumn& column) { return column.has_missing(); });
  }

  // Adds a leaf with the classes of its rows.
  std::int32_t add_node(const RowSet& set) {
    const auto k = static_cast<std::size_t>(data_.n_classes);
    const std::int32_t node = tree_.add_leaf();
    tree_.statistics.resize(tree_.statistics.size() + k, 0.0);
    double* counts = tree_.statistics.data() + static_cast<std::size_t>(node) * k;
    const NodeRows rows = rows_.view(set);
    if (rows.blocks != nullptr) {
      BlockWalk walk(*rows.blocks, rows.begin, rows.classes, k);
      walk.finish();
      std::copy(walk.counts().begin(), walk.counts().end(), counts);
    } else if (rows.weights.empty()) {
      class_counts_.assign(k, 0);
      for (const std::int32_t cls : rows.classes) ++class_counts_[at(cls)];
      std::copy(class_counts_.begin(), class_counts_.end(), counts);
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) counts[rows.classes[i]] += rows.weights[i];
    }
    tree_.weighted_n_node_samples.push_back(std::accumulate(counts, counts + k, 0.0));
    tree_.label.push_back(settings_.costs.empty()
                              ? static_cast<std::int32_t>(std::max_element(counts, counts + k) - counts)
                              : least_cost_label({counts, k}, settings_.costs));
    lists_.emplace_back();
    return node;
  }

  std::span<const double> counts_of(std::int32_t node) const {
    const auto k = static_cast<std::size_t>(data_.n_classes);
    return {tree_.statistics.data() + static_cast<std::size_t>(node) * k, k};
  }

  // Rows, by weight where they are shared out.
  double size_of(const OpenNode& node) const {
    return settings_.fractional() ? tree_.weighted_n_node_samples[at(node.node)]
                                : static_cast<double>(node.rows.end - node.rows.begin);
  }

  bool may_be_split(const OpenNode& node) const {
    if (settings_.max_depth && node.depth >= settings_.max_depth) return false;
    const double slack = settings_.fractional() ? 1e-6 : 0.0;
    if (size_of(node) < settings_.min_samples_split - slack) return false;
    const auto counts = counts_of(node.node);
    const auto classes = std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; });
    if (classes < 2) return false;
    if (settings_.rules == Rules::kC45) {  // pure to within WEKA's tolerance
      const double most = *std::max_element(counts.begin(), counts.end());
      return tree_.weighted_n_node_samples[at(node.node)] - most > 1e-6;
    }
    return true;
  }

  bool keeps_histograms() const {
    return rows_.unit_weights() && !settings_.max_features;
  }

  // The one ordered column that a split can use, here and below; null where there are others.
  const EncodedColumn* only_ordered(const OpenNode& node) const {
    if (settings_.rules != Rules::kParts || !settings_.axis_aligned || settings_.linear != nullptr ||
        !settings_.criterion->traits().impurity_gain)
      return nullptr;
    const bool one_left = !settings_.max_features && node.columns.size() == 1;
    if (!one_left && columns_.size() != 1) return nullptr;
    const EncodedColumn& column = columns_[one_left ? static_cast<std::size_t>(node.columns[0]) : 0];
    return column.ordered() ? &column : nullptr;
  }

  // Looks for a split, and puts the node on the frontier if it has one.
  void consider(OpenNode node) {
    if (!may_be_split(node)) return;
    if (const EncodedColumn* column = only_ordered(node); column != nullptr && !node.rows.in_order)
      rows_.put_in_order(node.rows, *column, static_cast<std::size_t>(data_.n_classes));
    NodeRows rows = rows_.view(node.rows);
    rows.fractional = settings_.fractional() && settings_.rules == Rules::kParts;
    if (node.rows.in_order)
      node.histogram.clear();
    else if (node.histogram.empty() && keeps_histograms() && counter_.worth_keeping(rows.size()))
      node.histogram = counter_.count(rows, node.columns, rows.size());
    AtNode here{node.seed, counts_of(node.node), node.histogram, node.columns};
    selector_.select(here, rows);
    node.split = std::move(here.split);
    if (!node.split.found() || stop_.requested()) return;
    const bool scales = settings_.criterion->traits().scales_with_weight;
    node.worth = node.split.rank *
                 (scales ? 1.0 : tree_.weighted_n_node_samples[at(node.node)]);
    frontier_.push(std::move(node));
  }

  void split(OpenNode node) {
    const auto i = static_cast<std::size_t>(node.node);
    Candidate& split = node.split;
    std::vector<RowSet> parts = partition(node);
    tree_.split_kind[i] = split.kind;
    tree_.column[i] = split.kind == kLinear ? -1 : split.column;
    tree_.score[i] = split.score;
    tree_.missing_child[i] = split.missing_child;
    if (split.kind == kInterval)
      tree_.high[i] = threshold_of(split, columns_[at(split.column)]);
    std::vector<OpenNode> children(parts.size());
    for (std::size_t c = 0; c < parts.size(); ++c) {
      children[c].node = add_node(parts[c]);
      children[c].depth = node.depth + 1;
      children[c].seed = mix(node.seed, columns_.size() + 2 + c);
      children[c].rows = std::move(parts[c]);
      if (!settings_.max_features) children[c].columns = node.columns;
      // A child that no row reached predicts as its parent.
      if (!(tree_.weighted_n_node_samples[at(children[c].node)] > 0.0))
        tree_.label[at(children[c].node)] = tree_.label[i];
      lists_[i].children.push_back(children[c].node);
    }
    choose_sides(i, children);
    if (split.kind == kLinear) {
      lists_[i].terms = std::move(split.terms);
      tree_.intercept[i] = split.intercept;
    } else {
      lists_[i].values = std::move(split.values);
      lists_[i].value_children = std::move(split.children);
    }
    hand_down_histogram(node, children);
    // The last one pushed is split next: the first child.
    for (std::size_t c = children.size(); c-- > 0;) consider(std::move(children[c]));
  }

  std::vector<RowSet> partition(OpenNode& node) {
    const Candidate& split = node.split;
    if (split.kind == kLinear) return rows_.partition_as(node.rows, split.children);
    const EncodedColumn& column = columns_[at(split.column)];
    if (node.rows.in_order) return rows_.cut_at(node.rows, column.codes(), split.last_left);
    if (split.kind == kInterval && rows_.in_place())
      return rows_.partition_at(node.rows, column.codes(), split.last_left, split.child_of_missing());
    split.children_by_code(column.n_values(), child_of_);
    return rows_.partition(std::move(node.rows), column.codes(), child_of_, split.n_children);
  }

  // C4.5's threshold is a number of the rows it grew from, which may be few of the table's.
  double threshold_of(const Candidate& split, const EncodedColumn& column) {
    if (settings_.rules != Rules::kC45 || data_.rows.empty() || !column.is_numeric())
      return split.high;
    auto& present = present_[split.column];
    if (present.empty()) {
      present.resize(static_cast<std::size_t>(column.n_values()) + 1);
      for (const std::int32_t row : data_.rows)
        present[at(column.codes()[row] + 1)] = true;
    }
    std::int32_t code = column.code_of(split.high);
    while (!present[at(code) + 1]) --code;
    return column.number(code);
  }

  // Where rows go that the split cannot place.
  void choose_sides(std::size_t i, const std::vector<OpenNode>& children) {
    std::int32_t heavier = 0;
    for (std::size_t c = 1; c < children.size(); ++c) {
      const auto weight = [&](std::size_t x) {
        return tree_.weighted_n_node_samples[at(children[x].node)];
      };
      if (weight(c) > weight(static_cast<std::size_t>(heavier))) heavier = static_cast<std::int32_t>(c);
    }
    std::int32_t& missing = tree_.missing_child[i];  // learned, if rows decide
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

  // All children but the largest are counted; the largest gets what is left of the parent's.
  void hand_down_histogram(OpenNode& node, std::vector<OpenNode>& children) {
    if (node.histogram.empty()) return;
    std::size_t largest = 0;
    const auto size = [&](std::size_t c) { return children[c].rows.end - children[c].rows.begin; };
    for (std::size_t c = 1; c < children.size(); ++c)
      if (size(c) > size(largest)) largest = c;
    if (!may_be_split(children[largest]) || !counter_.worth_keeping(size(largest))) return;
    for (std::size_t c = 0; c < children.size(); ++c) {
      if (c == largest || size(c) == 0) continue;
      Histogram counted =
          counter_.count(rows_.view(children[c].rows), node.columns, size(largest));
      counter_.subtract(node.histogram, counted, size(largest));
      if (may_be_split(children[c])) children[c].histogram = std::move(counted);
    }
    children[largest].histogram = std::move(node.histogram);
  }

  // Lists of different length, end to end.
  void lay_out() {
    for (const NodeLists& split : lists_) {
      for (const LinearTerm& term : split.terms) {
        tree_.term_column.push_back(term.column);
        tree_.term_category.push_back(term.value);
        tree_.term_weight.push_back(term.weight);
        tree_.term_fill.push_back(term.fill);
      }
      tree_.end_lists(split.children, split.values, split.value_children);
    }
  }

  struct NodeLists {
    std::vector<std::int32_t> children, values, value_children;
    std::vector<LinearTerm> terms;
  };

  const GrowData& data_;
  const GrowSettings& settings_;
  Stop& stop_;
  const std::vector<EncodedColumn>& columns_;
  RowStore rows_;
  Counter counter_;
  ColumnSelector selector_;
  Frontier frontier_;
  GrownTree tree_;
  std::vector<NodeLists> lists_;  // of each node, until they are laid out
  std::vector<std::int32_t> child_of_;
  std::vector<std::uint32_t> class_counts_;
  std::unordered_map<std::int32_t, std::vector<bool>> present_;  // of a column: code + 1
};

void check_data(const EncodedTable& table, const GrowData& data) {
  if (data.classes.size() != table.n_rows)
    throw std::invalid_argument("one class is needed for each row");
  if (!data.weights.empty() && data.weights.size() != table.n_rows)
    throw std::invalid_argument("one weight is needed for each row");
  for (const std::int32_t cls : data.classes)
    if (cls < 0 || cls >= data.n_classes) throw std::invalid_argument("a class is out of range");
  for (const double weight : data.weights)
    if (!(weight >= 0.0) || std::isinf(weight))
      throw std::invalid_argument("weights must be finite and zero or more");
  for (const std::int32_t row : data.rows)
    if (row < 0 || static_cast<std::size_t>(row) >= table.n_rows)
      throw std::invalid_argument("a row is not one of the table");
  if (data.starts.empty()) return;
  if (data.starts.size() < 2 || data.starts.front() != 0 ||
      data.starts.back() != static_cast<std::int64_t>(data.rows.size()) ||
      !std::is_sorted(data.starts.begin(), data.starts.end()))
    throw std::invalid_argument("starts must rise from 0 to the number of rows");
}

}  // namespace

GrownTree grow(const EncodedTable& table, const GrowData& data, const GrowSettings& settings,
               Stop& stop) {
  if (settings.criterion == nullptr || settings.partitioner == nullptr)
    throw std::invalid_argument("a criterion and a partitioner are needed");
  if (settings.partitioner->traits.many_groups && settings.rules == Rules::kParts &&
      !settings.criterion->traits().many_groups)
    throw std::invalid_argument(
        "partitioner='multiway' makes one group per value, but the criterion scores two groups. "
        "Use a criterion for many groups ('gini', 'entropy', 'gain_ratio'), or another "
        "partitioner.");
  if (const LinearSettings* linear = settings.linear.get();
      linear != nullptr &&
      (linear->models.empty() || linear->max_groupings < 1 || linear->max_terms < 2 ||
       linear->node_cv < 1 || linear->max_tuning_rows < 10))
    throw std::invalid_argument("linear splits need a model, groupings, terms, folds and rows");
  for (const auto& costs : {settings.costs, settings.split_costs})
    if (!costs.empty() && costs.size() != at(data.n_classes) * at(data.n_classes))
      throw std::invalid_argument("costs must have one row and one column per class");
  check_data(table, data);
  return Grower(table, data, settings, stop).run();
}

}  // namespace mixedwood
