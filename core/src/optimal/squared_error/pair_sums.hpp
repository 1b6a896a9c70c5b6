// Best trees of depth two from sums of pairs of patterns.
#pragma once

#include <memory>
#include <vector>

#include "binary_rows.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood::optimal::squared_error {

// Sums of the rows of a set with each pattern, and with each pair of patterns of two groups.
using PairTable = std::vector<double>;

class PairSums {
 public:
  virtual ~PairSums() = default;
  virtual std::size_t n_numbers() const = 0;  // of a PairTable
  virtual std::size_t kept_bytes() const = 0;  // of an open set, at most
  // Adds rows, or with a sign of -1 takes them away. Throws Stopped if a stop is requested.
  virtual void add(PairTable& to, std::span<const std::uint32_t> rows, double sign, Stop& stop) const = 0;
  // Minimum cost, without penalties, with at most 0, 1, 2 and 3 splits. With `keep`, the set stays open
  // for `solve_parts`.
  virtual DepthTwoTable solve(const PairTable& pairs, const Sums& all, bool keep, Stop& stop) = 0;
  // The same for a part of the open set, given its pairs, and for the rest; null pointers are not
  // computed.
  virtual void solve_parts(const PairTable& pairs, const Sums& part, const Sums& rest,
                           DepthTwoTable* of_part, DepthTwoTable* of_rest, Stop& stop) = 0;
  // After `solve`: the columns that may split, and for each the gain of the best stumps on both sides.
  struct Candidate {
    std::size_t column;
    double gain;
  };
  virtual const std::vector<Candidate>& candidates() const = 0;
  // The columns of the best tree of these rows with at most so many splits; closes the open set.
  virtual SmallTree tree(const RowSet& rows, int max_splits, Stop& stop) = 0;
};

std::unique_ptr<PairSums> make_pair_sums(const BinaryRows& table, const Objective& objective);

// The column of the best stump of a set of rows and its gain; -1 if nothing is better than a leaf.
struct Stump {
  std::int32_t column = -1;
  double gain = 0;
};
Stump best_stump(const BinaryRows& table, const RowSet& rows, std::int64_t min_samples_leaf);

}  // namespace mixedwood::optimal::squared_error
