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

class DepthTwo {
 public:
  // Throws Stopped if a stop is requested.
  DepthTwo(const BinaryTable& table, const Objective& objective, const BinarySwitches& switches);
  ~DepthTwo();

  DepthTwoTable solve(std::span<const Word> rows, Stop& stop);
  // The cheapest, leaves included. An opened set stays open.
  SmallTree tree(std::span<const Word> rows, int max_splits, Stop& stop);

  // Children of one set: `open` it first. The results are for rows where the column is 1 and for
  // the others; null pointers are not computed.
  DepthTwoTable open(std::span<const Word> rows, Stop& stop);
  void children(std::size_t column, std::span<const Word> with, std::span<const Word> without,
                DepthTwoTable* of_with, DepthTwoTable* of_without, Stop& stop);
  // Of the opened set: rows where a column is 1, in weight, and those where two are.
  Cost weight(std::size_t column) const;
  Cost weight(std::size_t i, std::size_t j) const;
  bool has_pairs() const;
  // Errors of the two leaves below the column; whether both are large enough.
  Cost errors_after(std::size_t column) const;
  bool may_split(std::size_t column) const;

  // Maximum bytes of counts of pairs; what is larger is freed.
  void limit(std::size_t most);
  std::size_t bytes() const;

 private:
  class Base;
  template <typename Number>
  class Counter;
  Base& counter(Cost weight);

  const BinaryTable& table_;
  Objective objective_;
  BinarySwitches switches_;
  std::size_t most_bytes_ = std::size_t{1} << 28;
  std::unique_ptr<Base> narrow_, middle_, wide_, widest_;
  Base* opened_ = nullptr;
};

}  // namespace mixedwood::optimal::binary
