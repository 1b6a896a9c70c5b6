// The best tree of a given depth and number of nodes over binary columns, with a proof.
//
//   rows as bits -> tables reduced (equal columns, equal rows) -> search with bounds -> tree + proof
//
// Costs are whole numbers, so that bounds are exact: the caller scales weights of rows.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "mixedwood/proof.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

using Cost = std::int64_t;
inline constexpr Cost kNoBound = std::numeric_limits<Cost>::max() / 4;
inline constexpr Cost kMostWeight = Cost{1} << 56;  // of all rows, times the cost of an error

struct BinaryProblem {
  std::size_t n_rows = 0, n_columns = 0;
  std::span<const std::uint8_t> matrix;    // row by row, 0 or 1
  std::span<const std::int32_t> classes;   // of each row
  std::span<const std::int64_t> weights;   // likewise; empty: every row weighs 1
  std::int32_t n_classes = 0;
};

// What may be switched off, for tests and studies; the answer's cost never changes.
struct OptimalSwitches {
  bool cache = true;
  bool similarity = true;         // a set that lacks few rows of a solved one costs little less
  bool equivalent_points = true;  // equal rows of different classes cannot be told apart
  bool parent_minus_child = true; // pair counts of the larger child by subtraction
  bool merge_rows = true;
  bool wide_registers = true;     // the widest there are, or plain loops
};

struct OptimalSettings {
  // A tree costs this much per weight of rows it gets wrong, and that much per leaf.
  Cost error_cost = 1, leaf_cost = 0;
  std::int64_t min_leaf = 1;  // rows, whatever they weigh
  OptimalSwitches switches;
};

struct OptimalBudget {
  std::int32_t max_depth = 0;
  std::int64_t max_nodes = -1;    // tests in the tree; -1: as many as the depth allows
  Cost upper_bound = kNoBound;    // only trees of this cost or less are wanted
  std::int64_t memory = -1;       // bytes for what is remembered; -1: no limit
};

struct OptimalResult {
  ProofStatus status = ProofStatus::kOptimal;
  // Node 0 is the root; test -1: a leaf. A row goes to `yes` where the tested column is 1.
  std::vector<std::int32_t> test, yes, no;
  Cost cost = 0, lower_bound = 0;
  std::int64_t n_explored = 0, n_cached = 0, cache_bytes = 0;
  double seconds = 0.0;
  struct Moment {
    double seconds;
    Cost cost;
  };
  std::vector<Moment> trace;  // each better tree, when it was found
};

class OptimalSolver {
 public:
  // Bad input: std::invalid_argument.
  OptimalSolver(const BinaryProblem& problem, const OptimalSettings& settings);
  ~OptimalSolver();
  OptimalSolver(OptimalSolver&&) noexcept;
  OptimalSolver& operator=(OptimalSolver&&) noexcept;

  // What one call has learnt helps the next: ask for growing budgets.
  OptimalResult solve(const OptimalBudget& budget, Stop& stop);

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace mixedwood
