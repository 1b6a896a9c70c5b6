#include <algorithm>
#include <cmath>
#include <limits>
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
    const std::size_t n = tree_.split_kind.size();
    if (n == 0) bad("it has no node");
    check_offsets(tree_.child_offset, n, tree_.children.size(), "child");
    check_offsets(tree_.category_offset, n, tree_.category_code.size(), "category");
    check_offsets(tree_.term_offset, n, tree_.term_column.size(), "term");
    for_each_array(
        [&](const char*, TreeList list, const auto& array) {
          if ((list == TreeList::kNode || list == TreeList::kPrediction) && array.size() != n)
            bad("its arrays differ in length");
          if ((list == TreeList::kCategory && array.size() != tree_.category_code.size()) ||
              (list == TreeList::kTerm && array.size() != tree_.term_column.size()))
            bad("its lists differ in length");
        },
        tree_);
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
      if (has_parent[at(child)]) bad_node(i, "shares a child");
      has_parent[at(child)] = 1;
    }
    if (!(tree_.weighted_n_node_samples[i] >= 0.0)) bad_node(i, "has a weight below zero");
    const bool leaf = tree_.split_kind[i] == kLeaf;
    if (leaf != (n_children == 0)) bad_node(i, "has the wrong number of children");
    const bool values = tree_.category_offset[i] < tree_.category_offset[i + 1];
    const bool terms = tree_.term_offset[i] < tree_.term_offset[i + 1];
    const bool nominal = tree_.split_kind[i] == kSubset || tree_.split_kind[i] == kMultiway;
    if ((values && !nominal) || (terms && tree_.split_kind[i] != kLinear))
      bad_node(i, "has lists that its split does not use");
    if (leaf) return;
    for (std::int32_t side : {tree_.missing_child[i], tree_.unknown_child[i]})
      if (side < kFractional || side >= n_children) bad_node(i, "sends rows to no child of its own");
    if (tree_.split_kind[i] != kMultiway && n_children != 2) bad_node(i, "must have two children");
    switch (tree_.split_kind[i]) {
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
        bad_node(i, "has an unknown kind of split");
    }
  }

  void check_values(std::size_t i, std::int32_t n_children) const {
    check_column(i, tree_.column[i]);
    const ColumnView& tested = column(tree_.column[i]);
    if (tested.codes == nullptr) bad_node(i, "has a nominal split on a column of numbers");
    std::int32_t previous = -1;
    for (auto v = tree_.category_offset[i]; v < tree_.category_offset[i + 1]; ++v) {
      const auto entry = static_cast<std::size_t>(v);
      const std::int32_t code = tree_.category_code[entry];
      if (code <= previous || code >= tested.n_values) bad_node(i, "has values out of order");
      if (tree_.category_child[entry] < 0 || tree_.category_child[entry] >= n_children)
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
      const std::int32_t value = tree_.term_category[term];
      const bool has_fill = !std::isnan(tree_.term_fill[term]);
      if (!std::isfinite(tree_.term_weight[term])) bad_node(i, "has a weight that is not finite");
      if (std::isinf(tree_.term_fill[term])) bad_node(i, "fills in a number that is not finite");
      if (value != kNumberTerm) {
        if (tested.codes == nullptr) bad_node(i, "compares a numeric column with a category");
        if (value < 0 || value >= tested.n_values)
          bad_node(i, "has a category that its column does not have");
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
      bad_node(i, "splits by a column that is not there");
  }
  const ColumnView& column(std::int32_t c) const {
    return table_.columns[at(c)];
  }

  const TreeView& tree_;
  const TableView& table_;
};

}  // namespace

std::int32_t GrownTree::add_leaf() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::int32_t node = n_nodes();
  if (node == std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("the tree has too many nodes");
  split_kind.push_back(kLeaf);
  column.push_back(-1);
  low.push_back(-kInfinity);
  high.push_back(kInfinity);
  intercept.push_back(0.0);
  missing_child.push_back(kStop);
  unknown_child.push_back(kStop);
  score.push_back(0.0);
  return node;
}

void GrownTree::end_lists() {
  if (category_code.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("the splits of the tree list too many categories");
  child_offset.push_back(static_cast<std::int32_t>(children.size()));
  category_offset.push_back(static_cast<std::int32_t>(category_code.size()));
  term_offset.push_back(static_cast<std::int32_t>(term_column.size()));
}

void GrownTree::end_lists(const std::vector<std::int32_t>& its_children,
                          const std::vector<std::int32_t>& codes,
                          const std::vector<std::int32_t>& children_of_codes) {
  children.insert(children.end(), its_children.begin(), its_children.end());
  category_code.insert(category_code.end(), codes.begin(), codes.end());
  category_child.insert(category_child.end(), children_of_codes.begin(), children_of_codes.end());
  end_lists();
}

void check_tree(const TreeView& tree, const TableView& table) { Checker(tree, table).run(); }

void check_parents(std::span<const std::int32_t> parent) {
  if (parent.empty()) bad("it has no node");
  if (parent[0] != -1) bad_node(0, "has a parent");
  for (std::size_t i = 1; i < parent.size(); ++i)
    if (parent[i] < 0 || static_cast<std::size_t>(parent[i]) >= i)
      bad_node(i, "has no parent before it");
}

}  // namespace mixedwood
