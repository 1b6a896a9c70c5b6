// Gradient trees of rows that are not in memory: they come in blocks, in the same order, as often as
// the tree has levels. The tree is that of `grow_gradient_tree`.
//
//   while (grower.begin_pass()) { for each block: grower.add(block); grower.end_pass(stop); }
//   grower.finish();
//   for each block: grower.settle(block);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixedwood/gradient.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// Of one column, the bins of the rows of a block, in numbers of so many bytes: 1, 2 or 4.
struct BlockColumn {
  const void* bins = nullptr;
  int width = 1;
};

struct RowBlock {
  std::span<const BlockColumn> columns;
  // Whether a row is one to learn from; the others are only routed. Empty: all are.
  std::span<const std::uint8_t> learns;
  // The node of each row, from one pass to the next; at first the root, 0. Settled: as in the tree.
  std::span<std::int32_t> nodes;
  // Row x output; not needed to settle.
  std::span<const double> gradients, hessians;
};

struct BlockData {
  std::vector<std::vector<double>> thresholds;  // of an ordered column: behind bins 1, 2, ...
  std::size_t n_outputs = 1;
  std::size_t n_rows = 0;  // to learn from, in all blocks
  double max_gradient = 0.0, max_hessian = 0.0;  // of these rows
  double row_weight = 1.0;  // of these rows: the sum of squared weights by that of weights, or 1
  std::vector<std::int32_t> columns;  // that may be used; empty: all
  std::size_t max_memory = std::size_t{1} << 29;  // bytes of the sums of a pass
};

class BlockGrower {
 public:
  // Bad input: std::invalid_argument.
  BlockGrower(BinnedSchema schema, BlockData data, const GradientSettings& settings);
  ~BlockGrower();
  BlockGrower(const BlockGrower&) = delete;
  BlockGrower& operator=(const BlockGrower&) = delete;

  // Whether another pass is needed; then blocks are to be added.
  bool begin_pass();
  void add(const RowBlock& block);
  // All blocks were added. Nodes that are not searched before a limit are leaves.
  void end_pass(Stop& stop);
  // Numbers the nodes. Nodes that are still open are leaves.
  void finish();
  // Moves rows to the nodes where they end.
  void settle(const RowBlock& block);

  std::int32_t n_nodes() const;
  // Node x output.
  std::vector<double> values() const;
  // Given the class weights of the rows that end in each node (node x class).
  GrownTree tree(std::span<const double> statistics, std::size_t n_classes) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mixedwood
