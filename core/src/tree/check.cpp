#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "mixedwood/tree.hpp"

namespace mixedwood {
namespace {

[[noreturn]] void bad(const std::string& what) {
  throw std::invalid_argument("not a tree: " + what);
}
[[noreturn]] void bad_node(std::size_t node, const std::string& what) {
  bad("node " + std::to_string(node) + " " + what);
}

void check_offsets(std::span<const std::int32_t> offsets, std::size_t n_nodes,
                   std::size_t n_entries, const char* name) {
  if (offsets.size() != n_nodes + 1 || offsets[0] != 0 ||
      static_cast<std::size_t>(offsets[n_nodes]) != n_entries)
    bad(std::string(name) + " offsets do not span their list");
  for (std::size_t i = 0; i < n_nodes; ++i)
    if (offsets[i] > offsets[i + 1]) bad(std::string(name) + " offsets fall");
}

class Checker {
 public:
  Checker(const TreeView& tree, const TableView& table) : tree_(tree), table_(table) {}

  void run() const {
    const std::size_t n = tree_.kind.size();
    if (n == 0) bad("it has no node");
    for (std::size_t size : {tree_.column.size(), tree_.low.size(), tree_.high.size(),
                             tree_.missing_child.size(), tree_.unseen_child.size(),
                             tree_.intercept.size(), tree_.weight.size()})
      if (size != n) bad("its arrays differ in length");
    check_offsets(tree_.child_offset, n, tree_.children.size(), "child");
    check_offsets(tree_.value_offset, n, tree_.value_code.size(), "value");
    check_offsets(tree_.term_offset, n, tree_.term_column.size(), "term");
    if (tree_.value_child.size() != tree_.value_code.size() ||
        tree_.term_value.size() != tree_.term_column.size() ||
        tree_.term_weight.size() != tree_.term_column.size() ||
        tree_.term_fill.size() != tree_.term_column.size())
      bad("its lists differ in length");
    std::vector<char> has_parent(n, 0);
    has_parent[0] = 1;
    for (std::size_t i = 0; i < n; ++i) check_node(i, has_parent);
    for (std::size_t i = 0; i < n; ++i)
      if (!has_parent[i]) bad_node(i, "has no parent");
  }

 private:
  void check_node(std::size_t i, std::vector<char>& has_parent) const {
    const auto node = static_cast<std::int32_t>(i);
    const std::int32_t n_children = tree_.n_children(node);
    for (std::int32_t c = 0; c < n_children; ++c) {
      const std::int32_t child = tree_.child(node, c);
      // Parents before children: no cycles, and one pass visits a parent first.
      if (child <= node || child >= tree_.n_nodes()) bad_node(i, "has a child out of order");
      if (has_parent[static_cast<std::size_t>(child)]) bad_node(i, "shares a child");
      has_parent[static_cast<std::size_t>(child)] = 1;
    }
    if (!(tree_.weight[i] >= 0.0)) bad_node(i, "has a weight below zero");
    const bool leaf = tree_.kind[i] == kLeaf;
    if (leaf != (n_children == 0)) bad_node(i, "has the wrong number of children");
    const bool values = tree_.value_offset[i] < tree_.value_offset[i + 1];
    const bool terms = tree_.term_offset[i] < tree_.term_offset[i + 1];
    const bool nominal = tree_.kind[i] == kSubset || tree_.kind[i] == kMultiway;
    if ((values && !nominal) || (terms && tree_.kind[i] != kLinear))
      bad_node(i, "has lists that its test does not use");
    if (leaf) return;
    for (std::int32_t side : {tree_.missing_child[i], tree_.unseen_child[i]})
      if (side < kFractional || side >= n_children) bad_node(i, "sends rows to no child of its own");
    if (tree_.kind[i] != kMultiway && n_children != 2) bad_node(i, "must have two children");
    switch (tree_.kind[i]) {
      case kInterval:
        if (std::isnan(tree_.low[i]) || std::isnan(tree_.high[i])) bad_node(i, "has no interval");
        check_column(i, tree_.column[i]);
        break;
      case kSubset:
      case kMultiway:
        check_values(i, n_children);
        break;
      case kLinear:
        check_terms(i);
        break;
      default:
        bad_node(i, "has an unknown kind of test");
    }
  }

  void check_values(std::size_t i, std::int32_t n_children) const {
    check_column(i, tree_.column[i]);
    const ColumnView& tested = column(tree_.column[i]);
    if (tested.codes == nullptr) bad_node(i, "has a nominal test on a column of numbers");
    std::int32_t previous = -1;
    for (auto v = tree_.value_offset[i]; v < tree_.value_offset[i + 1]; ++v) {
      const auto entry = static_cast<std::size_t>(v);
      const std::int32_t code = tree_.value_code[entry];
      if (code <= previous || code >= tested.n_values) bad_node(i, "has values out of order");
      if (tree_.value_child[entry] < 0 || tree_.value_child[entry] >= n_children)
        bad_node(i, "sends a value to no child of its own");
      previous = code;
    }
  }

  void check_terms(std::size_t i) const {
    if (!std::isfinite(tree_.intercept[i])) bad_node(i, "has an intercept that is not finite");
    std::vector<std::pair<std::int32_t, std::int32_t>> asked;
    for (auto t = tree_.term_offset[i]; t < tree_.term_offset[i + 1]; ++t) {
      const auto term = static_cast<std::size_t>(t);
      check_column(i, tree_.term_column[term]);
      const ColumnView& tested = column(tree_.term_column[term]);
      const std::int32_t value = tree_.term_value[term];
      const bool has_fill = !std::isnan(tree_.term_fill[term]);
      if (!std::isfinite(tree_.term_weight[term])) bad_node(i, "has a weight that is not finite");
      if (std::isinf(tree_.term_fill[term])) bad_node(i, "fills in a number that is not finite");
      if (value != kNumberTerm) {
        if (tested.codes == nullptr) bad_node(i, "asks a column of numbers for a value");
        if (value < 0 || value >= tested.n_values)
          bad_node(i, "asks for a value that its column does not have");
        if (has_fill) bad_node(i, "fills in a number for a value; missing values count as others");
      }
      asked.emplace_back(tree_.term_column[term], value);
    }
    std::sort(asked.begin(), asked.end());
    if (std::adjacent_find(asked.begin(), asked.end()) != asked.end())
      bad_node(i, "has two terms for the same thing");
  }

  void check_column(std::size_t i, std::int32_t c) const {
    if (c < 0 || static_cast<std::size_t>(c) >= table_.columns.size())
      bad_node(i, "tests a column that is not there");
  }
  const ColumnView& column(std::int32_t c) const {
    return table_.columns[static_cast<std::size_t>(c)];
  }

  const TreeView& tree_;
  const TableView& table_;
};

}  // namespace

void check_tree(const TreeView& tree, const TableView& table) { Checker(tree, table).run(); }

void check_parents(std::span<const std::int32_t> parent) {
  if (parent.empty()) bad("it has no node");
  if (parent[0] != -1) bad_node(0, "has a parent");
  for (std::size_t i = 1; i < parent.size(); ++i)
    if (parent[i] < 0 || static_cast<std::size_t>(parent[i]) >= i)
      bad_node(i, "has no parent before it");
}

}  // namespace mixedwood
