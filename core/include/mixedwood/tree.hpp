// A tree as plain arrays: the only definition of their layout, shared by every learner.
//
// Nodes are numbered so that parents come before their children; node 0 is the root. A node's
// test names a child by its position among the node's children. Lists of different length
// (children, values of a nominal test, terms of a linear test) lie end to end, with offsets.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mixedwood {

inline constexpr int kTreeLayoutVersion = 3;

enum TestKind : std::uint8_t {
  kLeaf = 0,
  kInterval = 1,  // child 0 when low < x <= high, else child 1
  kSubset = 2,    // the child that the value is listed with; two children
  kMultiway = 3,  // likewise, any number of children
  kLinear = 4,    // child 0 when intercept + the sum of its terms > 0, else child 1
};

// In place of a term's value: the term asks for a number, or for the place of a value in the order.
inline constexpr std::int32_t kNumberTerm = -1;

// Where a row goes when the test has no answer for it, in place of a child's position.
inline constexpr std::int32_t kStopHere = -1;    // this node answers
inline constexpr std::int32_t kFractional = -2;  // to every child, in proportion to its weight

struct TreeView {
  std::span<const std::uint8_t> kind;
  std::span<const std::int32_t> column;  // -1 for leaves and linear tests
  std::span<const double> low, high;
  std::span<const std::int32_t> child_offset, children;
  std::span<const std::int32_t> value_offset, value_code, value_child;  // codes ascending in a node
  // A term adds weight * x, where x is a number or a place in an order (kNumberTerm) and the fill if
  // that is missing or unseen; or, for the code of a value, its weight if the row has that value. A
  // test without a number to fill in has no answer. The terms of most importance come first.
  std::span<const std::int32_t> term_offset, term_column, term_value;
  std::span<const double> term_weight, term_fill, intercept;
  std::span<const std::int32_t> missing_child, unseen_child;
  std::span<const double> weight;  // training weight that reached the node

  std::int32_t n_nodes() const { return static_cast<std::int32_t>(kind.size()); }
  std::int32_t n_children(std::int32_t node) const {
    const auto i = static_cast<std::size_t>(node);
    return child_offset[i + 1] - child_offset[i];
  }
  std::int32_t child(std::int32_t node, std::int32_t position) const {
    return children[static_cast<std::size_t>(child_offset[static_cast<std::size_t>(node)] +
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
