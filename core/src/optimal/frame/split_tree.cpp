// Routing rows through the splits of a tree, the arrays of the tree, and splits as features.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "budget.hpp"

namespace mixedwood::optimal {
namespace {

constexpr std::int32_t kMissingCode = -1;

// The branch of a row.
bool evaluate(const SplitTree::Node& split, const ColumnView& column, std::size_t row) {
  const bool numeric = column.numbers != nullptr;
  const std::int32_t code = numeric ? 0 : column.codes[row];
  if (numeric ? std::isnan(column.numbers[row]) : code == kMissingCode) return split.missing;
  if (split.is_subset) return std::ranges::binary_search(split.codes, code);
  if (std::isinf(split.low) && split.low < 0 && std::isinf(split.high) && split.high > 0) return true;
  const double x = numeric ? column.numbers[row] : code;
  return x > split.low && x <= split.high && code >= 0;
}

void check_columns(std::span<const SplitTree::Node> nodes, const TableView& table) {
  for (const SplitTree::Node& node : nodes) {
    if (node.column < 0) continue;
    if (to_size(node.column) >= table.columns.size())
      throw std::invalid_argument("a split refers to a column that the table does not have");
    if (node.is_subset && table.columns[to_size(node.column)].numbers != nullptr)
      throw std::invalid_argument("a column of numbers has no subsets of categories");
  }
}

// The branches of all rows, without a decision for each: numbers are compared in wide registers.
void evaluate_all(const SplitTree::Node& split, const ColumnView& column, std::size_t n_rows,
                  std::uint8_t* feature) {
  const std::uint8_t missing = split.missing;
  if (column.numbers == nullptr) {
    // The branch of each code, shifted by two: of unknown and missing categories first.
    std::int32_t largest = 0;
    for (std::size_t row = 0; row < n_rows; ++row) largest = std::max(largest, column.codes[row]);
    std::vector<std::uint8_t> branch(to_size(largest) + 3);
    for (std::size_t place = 0; place < branch.size(); ++place) {
      const auto code = static_cast<std::int32_t>(place) - 2;
      branch[place] = evaluate(split, {&code, nullptr, 0}, 0);
    }
    for (std::size_t row = 0; row < n_rows; ++row)
      feature[row] = branch[to_size(std::max(column.codes[row], -2) + 2)];
    return;
  }
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double x = column.numbers[row];
    feature[row] = static_cast<std::uint8_t>(((x > split.low) & (x <= split.high)) |
                                             (missing & static_cast<std::uint8_t>(x != x)));
  }
}

}  // namespace

ColumnValues values_of_column(const ColumnView& column, std::size_t n_rows) {
  ColumnValues found;
  if (column.numbers == nullptr) {
    std::vector<std::uint8_t> occurs;
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::int32_t code = column.codes[row];
      found.missing |= code < 0;
      if (code < 0) continue;
      if (to_size(code) >= occurs.size()) occurs.resize(to_size(code) + 1, 0);
      occurs[to_size(code)] = 1;
    }
    for (std::size_t code = 0; code < occurs.size(); ++code)
      if (occurs[code]) found.codes.push_back(static_cast<std::int32_t>(code));
    return found;
  }
  const std::span<const double> numbers(column.numbers, n_rows);
  for (const double x : numbers) {
    found.missing |= x != x;
    found.low = x < found.low ? x : found.low;
    found.high = x > found.high ? x : found.high;
  }
  found.only_ends = std::ranges::none_of(
      numbers, [&](double x) { return x > found.low && x < found.high; });
  return found;
}

SplitFeatures evaluate_splits(const TableView& table, std::span<const SplitTree::Node> splits,
                              bool varying) {
  check_columns(splits, table);
  const std::size_t n = table.n_rows;
  SplitFeatures found;
  std::vector<std::uint8_t> columns(splits.size() * n);  // one feature after the other
  for (std::size_t place = 0; place < splits.size(); ++place) {
    std::uint8_t* feature = columns.data() + found.kept.size() * n;
    evaluate_all(splits[place], table.columns[to_size(splits[place].column)], n, feature);
    if (varying && (n == 0 || std::all_of(feature, feature + n,
                                          [&](std::uint8_t x) { return x == feature[0]; })))
      continue;
    found.kept.push_back(static_cast<std::int32_t>(place));
  }
  const std::size_t width = found.kept.size();
  found.cells.resize(width * n);
  constexpr std::size_t kBlock = 64;  // both sides of a block stay in the cache
  for (std::size_t from = 0; from < n; from += kBlock)
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t row = from; row < std::min(n, from + kBlock); ++row)
        found.cells[row * width + c] = columns[c * n + row];
  return found;
}

void SplitTree::split(std::size_t leaf, Node made) {
  made.if_true = static_cast<std::int32_t>(nodes.size());
  made.if_false = made.if_true + 1;
  nodes[leaf] = std::move(made);
  nodes.resize(nodes.size() + 2);
}

std::vector<std::int32_t> SplitTree::apply(const TableView& table) const {
  check_columns(nodes, table);
  std::vector<std::int32_t> leaf(table.n_rows, 0);
  for (std::size_t row = 0; row < table.n_rows && !nodes.empty(); ++row)
    for (const Node* node = &nodes[0]; node->column >= 0; node = &nodes[to_size(leaf[row])])
      leaf[row] = evaluate(*node, table.columns[to_size(node->column)], row) ? node->if_true
                                                                            : node->if_false;
  return leaf;
}

GrownTree SplitTree::build(const TableView& table, std::span<const std::uint8_t> nominal,
                           std::span<const std::int32_t> classes, std::span<const double> weights,
                           std::size_t n_classes, HandleUnknown unknown) const {
  check_columns(nodes, table);
  if (nominal.size() != table.columns.size() || classes.size() != table.n_rows ||
      (!weights.empty() && weights.size() != table.n_rows))
    throw std::invalid_argument("each column needs a kind, each row a class and a weight");
  for (std::size_t c = 0; c < nominal.size(); ++c)
    if (nominal[c] && table.columns[c].codes == nullptr)
      throw std::invalid_argument("a nominal column needs codes");
  for (const std::int32_t c : classes)
    if (c < 0 || to_size(c) >= n_classes) throw std::invalid_argument("a class is not below n_classes");
  const std::size_t n = nodes.size();

  // Statistics, and the categories that occur at each split of a nominal column.
  std::vector<double> counts(n * n_classes, 0.0);
  std::vector<std::vector<std::uint8_t>> occurs(n);
  for (std::size_t row = 0; row < table.n_rows && n > 0; ++row) {
    const double weight = weights.empty() ? 1.0 : weights[row];
    if (!(weight > 0.0)) continue;
    for (std::size_t at = 0;;) {
      counts[at * n_classes + to_size(classes[row])] += weight;
      const Node& node = nodes[at];
      if (node.column < 0) break;
      const ColumnView& column = table.columns[to_size(node.column)];
      if (nominal[to_size(node.column)] && column.codes[row] >= 0) {
        const std::size_t code = to_size(column.codes[row]);
        if (code >= occurs[at].size()) occurs[at].resize(code + 1, 0);
        occurs[at][code] = 1;
      }
      at = to_size(evaluate(node, column, row) ? node.if_true : node.if_false);
    }
  }
  const auto counts_of = [&](std::int32_t at) {
    return std::span<const double>(counts.data() + to_size(at) * n_classes, n_classes);
  };
  const auto weight_of = [&](std::int32_t at) {
    const auto c = counts_of(at);
    return std::accumulate(c.begin(), c.end(), 0.0);
  };
  const auto errors_of = [&](std::int32_t at) {
    return weight_of(at) - std::ranges::max(counts_of(at));
  };

  // Numbers of nodes: children are numbered when their parent is visited.
  std::vector<std::int32_t> order(n > 0 ? 1 : 0, 0), number(n, 0), open = order;
  while (!open.empty()) {
    const Node& node = nodes[to_size(open.back())];
    open.pop_back();
    if (node.column < 0) continue;
    for (const std::int32_t child : {node.if_true, node.if_false}) {
      number[to_size(child)] = static_cast<std::int32_t>(order.size());
      order.push_back(child);
      open.push_back(child);
    }
  }

  GrownTree tree;
  for (const std::int32_t at : order) {
    const Node& node = nodes[to_size(at)];
    const auto own = counts_of(at);
    const std::size_t made = to_size(tree.add_leaf());
    if (node.column >= 0) {
      const bool subset = nominal[to_size(node.column)] != 0;
      tree.split_kind[made] = subset ? kSubset : kInterval;
      tree.column[made] = node.column;
      if (!subset) tree.low[made] = node.low;
      if (!subset) tree.high[made] = node.high;
      tree.missing_child[made] = node.missing ? 0 : 1;
      if (unknown == HandleUnknown::kWithMissing) tree.unknown_child[made] = tree.missing_child[made];
      if (unknown == HandleUnknown::kMajority)
        tree.unknown_child[made] = weight_of(node.if_true) >= weight_of(node.if_false) ? 0 : 1;
      tree.score[made] = errors_of(at) - (errors_of(node.if_true) + errors_of(node.if_false));
      tree.children.push_back(number[to_size(node.if_true)]);
      tree.children.push_back(number[to_size(node.if_false)]);
    }
    for (std::size_t code = 0; code < occurs[to_size(at)].size(); ++code) {
      if (!occurs[to_size(at)][code]) continue;
      const auto value = static_cast<std::int32_t>(code);
      tree.category_code.push_back(value);
      tree.category_child.push_back(
          node.is_subset && !std::ranges::binary_search(node.codes, value) ? 1 : 0);
    }
    tree.end_lists();
    tree.weighted_n_node_samples.push_back(weight_of(at));
    tree.statistics.insert(tree.statistics.end(), own.begin(), own.end());
    tree.label.push_back(static_cast<std::int32_t>(std::ranges::max_element(own) - own.begin()));
  }
  return tree;
}

}  // namespace mixedwood::optimal
