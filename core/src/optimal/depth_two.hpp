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

namespace mixedwood::optimal {

// The fewest errors of trees of depth two with at most 0, 1, 2 and 3 tests.
using FewestErrors = std::array<Cost, 4>;

// The tests of such a tree; -1: a leaf.
struct SmallTree {
  std::int32_t root = -1, yes = -1, no = -1;
};

class DepthTwo {
 public:
  // Throws Stopped where `stop` says so; nothing is half done then.
  DepthTwo(const BinaryTable& table, const OptimalSettings& settings);
  ~DepthTwo();

  FewestErrors solve(std::span<const Word> rows, Stop& stop);
  // The cheapest, leaves included. An opened set stays open.
  SmallTree tree(std::span<const Word> rows, int max_tests, Stop& stop);

  // Children of one set: first `open` it, then ask for each column. Answers are for rows where the
  // column is 1 and for the others; only what is wanted is set.
  FewestErrors open(std::span<const Word> rows, Stop& stop);
  void children(std::size_t column, std::span<const Word> with, std::span<const Word> without,
                FewestErrors* of_with, FewestErrors* of_without, Stop& stop);
  // Of the opened set: rows where a column is 1, in weight, and those where two are.
  Cost weight(std::size_t column) const;
  Cost weight(std::size_t i, std::size_t j) const;
  bool knows_pairs() const;
  // Errors of the two leaves below the column; whether both are large enough.
  Cost errors_after(std::size_t column) const;
  bool may_split(std::size_t column) const;

  // Bytes that counts of pairs may take; what has become too large is given back.
  void limit(std::size_t most);
  std::size_t bytes() const;

 private:
  class Base;
  template <typename Number>
  class Room;
  Base& room(Cost weight);

  const BinaryTable& table_;
  OptimalSettings settings_;
  std::size_t most_bytes_ = std::size_t{1} << 28;
  std::unique_ptr<Base> narrow_, middle_, wide_, widest_;
  Base* opened_ = nullptr;
};

}  // namespace mixedwood::optimal
