// Best trees of depth two, of one set of rows or of both children of every column of a set, from
// counts of pairs of columns. The rows are never divided.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "binary_table.hpp"
#include "mixedwood/optimal.hpp"
#include "mixedwood/stop.hpp"
#include "pair_kernel.hpp"

namespace mixedwood::optimal::binary {

// The depth-two table of a set of rows: minimum errors with at most 0, 1, 2 and 3 splits.
using DepthTwoTable = std::array<Cost, 4>;

// The columns of such a tree; -1: a leaf.
struct SmallTree {
  std::int32_t root = -1, with = -1, without = -1;
};

// Counts of pairs of columns for one set of rows at a time, in integers of one width. Throws Stopped
// if a stop is requested.
class PairCounter {
 public:
  virtual ~PairCounter() = default;
  // With `keep`, the set stays open for the functions below.
  virtual DepthTwoTable solve(std::span<const Word> rows, bool keep, Stop& stop) = 0;
  // The cheapest tree, leaves included. The open set stays open.
  virtual SmallTree tree(std::span<const Word> rows, int max_splits, Stop& stop) = 0;

  // Tables of the rows of the open set where a column is 1, and of the others; null pointers are not
  // computed.
  virtual void children(std::size_t column, std::span<const Word> with,
                        std::span<const Word> without, DepthTwoTable* of_with,
                        DepthTwoTable* of_without, Stop& stop) = 0;
  // Weight of the rows where a column is 1, and where two are.
  virtual Cost weight(std::size_t column) const = 0;
  virtual Cost weight(std::size_t i, std::size_t j) const = 0;
  virtual bool has_pairs() const = 0;
  // Errors of the two leaves below the column; whether both are large enough.
  virtual Cost errors_after(std::size_t column) const = 0;
  virtual bool may_split(std::size_t column) const = 0;

  // Maximum bytes of counts of pairs; what is larger is freed.
  virtual void limit(std::size_t most) = 0;
  virtual std::size_t bytes() const = 0;
};

class DepthTwo {
 public:
  DepthTwo(const BinaryTable& table, const Objective& objective, const BinarySwitches& switches)
      : table_(table), objective_(objective), switches_(switches) {}

  // The narrowest counter for a set of rows; made on first use.
  PairCounter& counter(std::span<const Word> rows);
  void limit(std::size_t most);
  std::size_t bytes() const;

 private:
  const BinaryTable& table_;
  Objective objective_;
  BinarySwitches switches_;
  std::size_t most_bytes_ = std::size_t{1} << 28;
  std::array<std::unique_ptr<PairCounter>, 4> counters_;
};

}  // namespace mixedwood::optimal::binary
