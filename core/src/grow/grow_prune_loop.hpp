// Growing and pruning in turns, whatever the trees predict: who grows, which rows are where, and how
// trees are put together and cut.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/grow_prune.hpp"

namespace mixedwood {

class GrowPruneLoop {
 public:
  // `width`: statistics of a node.
  GrowPruneLoop(const EncodedTable& table, std::span<const std::int8_t> halves, std::size_t width,
                const GrowPruneSettings& turns, Stop& stop);
  virtual ~GrowPruneLoop() = default;

  GrowPruneResult run();

 protected:
  // One tree, or with `starts` several side by side; see GrowData.
  virtual GrownTree grow_from(std::span<const std::int32_t> rows,
                              std::span<const std::int64_t> starts) = 0;
  // 1 for each node to make a leaf of, by its errors on some rows; those of node_of_row_.
  virtual std::vector<std::uint8_t> unwanted(std::span<const std::int32_t> parent,
                                             std::span<const std::int32_t> rows,
                                             std::span<const std::uint8_t> inherited) const = 0;
  // What the nodes predict, from the rows of both halves.
  virtual void refit(std::span<const std::int32_t> parent) = 0;

  std::size_t width_;
  std::array<std::vector<std::int32_t>, 2> half_;  // rows
  std::vector<std::int32_t> node_of_row_;          // that each row reaches
  GrownTree tree_;
  Stop& stop_;

 private:
  std::vector<std::int32_t> grow_on(std::span<const std::int32_t> rows);
  void walk();
  std::int32_t child_of(std::size_t node, std::size_t row) const;
  void prune(std::span<const std::int32_t> rows, std::span<const std::int32_t> leaves);
  void cut(std::span<const std::int32_t> parent, std::span<const std::uint8_t> unwanted);

  const EncodedTable& table_;
  const GrowPruneSettings& limits_;
  std::size_t n_inherited_ = 0;  // nodes that the tree had before it grew on
  GrowPruneResult result_;
};

}  // namespace mixedwood
