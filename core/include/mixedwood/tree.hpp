// A tree as plain arrays: the only definition of their layout.
//
// Nodes are numbered so that parents come before their children; node 0 is the root. A node's
// split names a child by its position among the node's children. Lists of different length
// (children, values of a nominal split, terms of a linear split) lie end to end, with offsets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mixedwood/index.hpp"

namespace mixedwood {

inline constexpr int kTreeLayoutVersion = 3;

enum SplitKind : std::uint8_t {
  kLeaf = 0,
  kInterval = 1,  // child 0 when low < x <= high, else child 1
  kSubset = 2,    // the child that the value is listed with; two children
  kMultiway = 3,  // likewise, any number of children
  kLinear = 4,    // child 0 when intercept + the sum of its terms > 0, else child 1
};

// In place of a term's value: the term reads a number, or the place of a value in the order.
inline constexpr std::int32_t kNumberTerm = -1;

// Where a row goes that the split cannot place, in place of a child's position.
inline constexpr std::int32_t kStop = -1;    // at this node
inline constexpr std::int32_t kFractional = -2;  // to every child, in proportion to its weight

// The arrays, with one name each here, in Python and in model files.
template <template <typename> class Array>
struct TreeArrays {
  Array<std::uint8_t> split_kind;  // a SplitKind
  Array<std::int32_t> column;      // -1 for leaves and linear splits
  Array<double> low, high;
  Array<std::int32_t> child_offset, children;
  Array<std::int32_t> category_offset, category_code, category_child;  // codes ascend in a node
  // A term adds weight * x, where x is a number or a place in an order (kNumberTerm), and the fill if
  // that is missing or unknown; or, for the code of a category, its weight if the row has it. A sum
  // without a number to fill in is undefined. The terms of most importance come first.
  Array<std::int32_t> term_offset, term_column, term_category;
  Array<double> term_weight, term_fill, intercept;
  Array<std::int32_t> missing_child, unknown_child;
  Array<double> weighted_n_node_samples, statistics;  // statistics: node x class
  Array<std::int32_t> label;
  Array<double> score;
};

// What an array has an entry for.
enum class TreeList {
  kNode,        // each node: its split
  kPrediction,  // each node: what it predicts
  kStatistics,  // each node and class
  kOffset,      // each node, and the end
  kChild,
  kCategory,
  kTerm,
};

// Calls visit(name, list, array...) for each array, in the order above, of one or several trees.
template <typename Visit, typename... Trees>
void for_each_array(Visit&& visit, Trees&... trees) {
  visit("split_kind", TreeList::kNode, trees.split_kind...);
  visit("column", TreeList::kNode, trees.column...);
  visit("low", TreeList::kNode, trees.low...);
  visit("high", TreeList::kNode, trees.high...);
  visit("child_offset", TreeList::kOffset, trees.child_offset...);
  visit("children", TreeList::kChild, trees.children...);
  visit("category_offset", TreeList::kOffset, trees.category_offset...);
  visit("category_code", TreeList::kCategory, trees.category_code...);
  visit("category_child", TreeList::kCategory, trees.category_child...);
  visit("term_offset", TreeList::kOffset, trees.term_offset...);
  visit("term_column", TreeList::kTerm, trees.term_column...);
  visit("term_category", TreeList::kTerm, trees.term_category...);
  visit("term_weight", TreeList::kTerm, trees.term_weight...);
  visit("term_fill", TreeList::kTerm, trees.term_fill...);
  visit("intercept", TreeList::kNode, trees.intercept...);
  visit("missing_child", TreeList::kNode, trees.missing_child...);
  visit("unknown_child", TreeList::kNode, trees.unknown_child...);
  visit("weighted_n_node_samples", TreeList::kPrediction, trees.weighted_n_node_samples...);
  visit("statistics", TreeList::kStatistics, trees.statistics...);
  visit("label", TreeList::kPrediction, trees.label...);
  visit("score", TreeList::kNode, trees.score...);
}

template <typename T>
using OwnedArray = std::vector<T>;
template <typename T>
using ArrayView = std::span<const T>;

struct GrownTree : TreeArrays<OwnedArray> {
  GrownTree() { child_offset = category_offset = term_offset = {0}; }

  std::int32_t n_nodes() const { return static_cast<std::int32_t>(split_kind.size()); }
  // Adds a node without a split; what it predicts and its lists are left to the caller.
  std::int32_t add_leaf();
  // Ends the lists of a node, after adding some. std::invalid_argument if they are too long.
  void end_lists();
  void end_lists(const std::vector<std::int32_t>& its_children,
                 const std::vector<std::int32_t>& codes,
                 const std::vector<std::int32_t>& children_of_codes);

  bool complete = true;  // false when the time limit left nodes unsplit
};

struct TreeView : TreeArrays<ArrayView> {
  TreeView() = default;
  TreeView(const GrownTree& tree) {  // the tree must outlive the view
    for_each_array([](const char*, TreeList, auto& view, const auto& array) { view = array; },
                   *this, tree);
  }

  std::int32_t n_nodes() const { return static_cast<std::int32_t>(split_kind.size()); }
  std::int32_t n_children(std::int32_t node) const {
    const auto i = static_cast<std::size_t>(node);
    return child_offset[i + 1] - child_offset[i];
  }
  std::int32_t child(std::int32_t node, std::int32_t position) const {
    return children[at(child_offset[at(node)] +
                                             position)];
  }
};

// Exactly one of the two is set. Codes below zero: -1 missing, -2 never seen.
struct ColumnView {
  const std::int32_t* codes = nullptr;
  const double* numbers = nullptr;
  std::int32_t n_values = 0;  // of a column with codes
};

struct TableView {
  std::vector<ColumnView> columns;
  std::size_t n_rows = 0;
};

// Throws std::invalid_argument when the arrays are no tree over these columns. Routing trusts
// whatever has passed this check.
void check_tree(const TreeView& tree, const TableView& table);

// Likewise, unless node 0 has the parent -1 and every other node one that comes before it.
void check_parents(std::span<const std::int32_t> parent);

}  // namespace mixedwood
