// Routing rows through a tree.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mixedwood/linear_split.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {

class Cells;

// A tree laid out for routing: what a split needs in one small record, children side by side, and
// nominal splits as tables from code to child. It keeps nothing of the arrays it was made from, and
// takes memory in proportion to them.
class Router {
 public:
  // `columns` says what the columns are; its rows do not matter. Throws std::invalid_argument
  // when the arrays are no tree over them (check_tree).
  Router(const TreeView& tree, const TableView& columns);

  // The node that each row reaches: a leaf, or the inner node where a missing or unknown value
  // stops. A tree that sends rows to several children has no such node: std::invalid_argument.
  void route(const TableView& table, std::span<std::int32_t> nodes) const;

  // Writes the mean of the values (n_nodes x n_outputs) of the nodes that each row reaches, weighted
  // by the fraction of the row, into `out` (n_rows x n_outputs). For trees with fractional children.
  void distribute(const TableView& table, std::span<const double> values, std::size_t n_outputs,
                  std::span<double> out) const;
  // Adds the weight of each row, in its class, to the nodes that it reaches, by fractions. `out` is
  // n_nodes x n_classes.
  void add_class_weights(const TableView& table, std::span<const std::int32_t> classes,
                    std::span<const double> weights, std::size_t n_classes,
                    std::span<double> out) const;

  // Adds the values (n_nodes x n_outputs) of each member, one after the other, times its weight, to
  // the rows first..last - 1 of `out`, which are `stride` long. With labels, the weight is added to
  // the class of the node instead; for a distributed row, to the class with the largest fraction, the
  // first of equals.
  struct Vote {
    std::span<const double> values;
    std::size_t n_outputs = 0;
    std::span<const std::int32_t> labels;
    double weight = 1.0;
  };
  struct Member {
    const Router* router = nullptr;
    Vote vote;
    std::size_t place = 0;  // in a row of `out`
  };
  static void add_up(std::span<const Member> members, const TableView& table, std::size_t first,
                     std::size_t last, double* out, std::size_t stride);

  std::size_t n_nodes() const { return n_nodes_; }

  // Of each column; kNoCodes for a column of numbers.
  std::span<const std::int32_t> n_values() const { return n_values_; }
  static constexpr std::int32_t kNoCodes = -1;

  // A place where a row can be: a node, or one of the ends beside a node's children for rows that stop
  // there or are distributed. A split yields a branch: the number of places after the first. Places
  // without a split lead to themselves.
  struct Place {
    double low = 0.0, high = 0.0;
    std::int32_t column = 0;
    std::int32_t first = 0;        // place of child 0; the others and the ends follow
    std::uint32_t start = 0;       // of the split's part in entries_; or its number in linear_
    std::uint8_t split = 0;
    std::uint8_t end = 0;
    std::uint8_t missing = 0;      // branch of missing numbers
    std::uint8_t coded = 0;        // whether the split looks a code up in a table of pairs
  };

 private:
  struct Fraction {
    double weight;                  // of the place
    std::int32_t first, n_children; // what an end fractions out to
  };
  class Layout;
  template <typename Visit>
  void for_each_block(const TableView& table, const Cells* cells, Visit visit) const;
  template <typename Visit>
  void for_each_part(const TableView& table, Visit visit) const;
  void add(const TableView& table, const Cells* cells, const Vote& vote, double* out,
           std::size_t stride) const;
  template <typename Arrive>
  void distribute_row(const TableView& table, std::size_t row, std::int32_t place,
                 std::vector<std::pair<std::int32_t, double>>& pending, Arrive arrive) const;
  // Rows of a block that are at the same place take its split together: a linear split is then
  // added up column by column.
  void walk_together(const TableView& table, std::size_t start, std::size_t n,
                     std::int32_t* place) const;
  void check_table(const TableView& table) const;
  std::int32_t branch(const Place& at, const TableView& table, std::size_t row) const;

  std::vector<Place> places_;
  std::vector<std::int32_t> node_;  // of a place
  std::vector<Fraction> fractions_;       // of a place; empty when no end fractions rows out
  std::vector<std::uint32_t> entries_;
  LinearSplits linear_;
  std::vector<std::int32_t> n_values_;
  std::vector<std::int32_t> tested_;  // columns, when only_split_ is kNumberOrPair
  std::size_t n_nodes_ = 0;
  std::uint8_t only_split_ = 0;  // when all splits are of one kind, or some of them linear
  int first_round_ = 1;         // steps that most rows take
};

}  // namespace mixedwood
