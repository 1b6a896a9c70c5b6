// Shapley values of the columns for one tree, where a column that is not known averages over the
// children of its splits in proportion to their training weight (path-dependent TreeSHAP).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mixedwood/stop.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {

// A tree that check_tree lets through, prepared for one walk per row.
class ShapTree {
 public:
  // Throws std::invalid_argument if a split weighs several columns. Borrows the arrays and the values
  // (n_nodes x n_outputs).
  ShapTree(const TreeView& tree, std::span<const double> values, std::size_t n_outputs);

  // What the tree predicts when no column is known.
  std::vector<double> base() const;

  // Adds the values of one row, times `scale`, to out[column * stride + output].
  void add(const TableView& table, std::size_t row, double scale, double* out, std::size_t stride,
           Stop& stop);

 private:
  struct Known {  // a column on the path
    std::int32_t column;
    double one, zero;  // fractions of the path's rows if the column is known, and if not
  };
  std::int32_t side_of(std::int32_t node, const TableView& table, std::size_t row) const;
  double weight_below(std::int32_t node) const;
  void visit(std::int32_t node, std::size_t depth, Stop& stop);
  void follow(std::int32_t node, std::int32_t to, double one, double zero, std::size_t depth,
              Stop& stop);
  void arrive(std::int32_t node, std::size_t depth);

  TreeView tree_;
  std::span<const double> values_;
  std::size_t n_outputs_;
  std::vector<double> points_, weights_;  // of a quadrature that is exact for the longest path
  // Of the row at hand.
  const TableView* table_ = nullptr;
  std::size_t row_ = 0;
  double scale_ = 1.0;
  double* out_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<Known> path_;
  std::vector<double> products_;  // depth x points: the product over the columns of the path
};

}  // namespace mixedwood
