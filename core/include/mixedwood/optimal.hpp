// Optimal trees with a proof. Three solvers differ in the splits they choose from:
//
//   binary      columns of a 0/1 matrix, the same at every node
//   all_splits  every threshold of ordered columns and every subset of nominal ones
//   per_node    binary features that are made again at every node, from the rows of the node
//
// All minimize the weight of the misclassified rows plus a penalty for each leaf; the first two also
// the squared error of numbers. Costs are integers, so that bounds are exact: the caller scales the
// weights.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "mixedwood/discretize.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/stop.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood::optimal {

using Cost = std::int64_t;
inline constexpr Cost kInfinity = std::numeric_limits<Cost>::max() / 4;  // more than any tree costs
inline constexpr Cost kMaxWeight = Cost{1} << 56;  // of all rows, times the penalty of an error

enum class ProofStatus {
  kOptimal,      // no tree within the limits costs less
  kInfeasible,   // no tree within the limits costs as little as the upper bound
  kTimeLimit,    // stopped early: the tree, if any, is the best so far
  kWorkLimit,    // likewise
  kMemoryLimit,  // likewise
  kInterrupted,  // likewise, by the caller
};
const char* name_of(ProofStatus status);

// The splits of a tree. Node 0 is the root, and parents come before their children. An empty tree
// stands for none.
struct SplitTree {
  struct Node {
    std::int32_t column = -1;  // -1: a leaf
    // True if low < x <= high, or if the code is one of `codes`, ascending. An interval without ends
    // is true for every value that is not missing.
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> codes;
    bool is_subset = false;
    bool missing = false;  // the branch of missing values
    std::int32_t if_true = -1, if_false = -1;
  };
  std::vector<Node> nodes;

  // Turns a leaf into this split, with two leaves at the end as its children.
  void split(std::size_t leaf, Node made);
  std::int64_t n_leaves() const { return (static_cast<std::int64_t>(nodes.size()) + 1) / 2; }

  // The leaf of each row.
  std::vector<std::int32_t> apply(const TableView& table) const;
  // The arrays of the tree, with the statistics of the training rows (those with weight; no weights:
  // 1 each). `nominal`: which columns are. Children of the false branch are numbered first.
  GrownTree build(const TableView& table, std::span<const std::uint8_t> nominal,
                  std::span<const std::int32_t> classes, std::span<const double> weights,
                  std::size_t n_classes, HandleUnknown unknown) const;
};

// Which values a column has.
struct ColumnValues {
  bool missing = false;
  std::vector<std::int32_t> codes;  // of categories that occur, ascending
  // Of numbers, NaN left out: the ends, low > high if there are none, and whether there are no others.
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool only_ends = true;
};
ColumnValues values_of_column(const ColumnView& column, std::size_t n_rows);

// Splits as 0/1 features: row by row, one column for each split in `kept`.
struct SplitFeatures {
  std::vector<std::uint8_t> cells;
  std::vector<std::int32_t> kept;
};
// `varying`: leaves out splits with all rows on one side.
SplitFeatures evaluate_splits(const TableView& table, std::span<const SplitTree::Node> splits,
                              bool varying);

// Classes and integer weights of rows; no weights: 1 each.
struct Samples {
  std::span<const std::int32_t> classes;
  std::span<const std::int64_t> weights;
  std::int32_t n_classes = 0;
  // Only the solver over the splits of each node: n_rows x n_classes weights, in place of `weights`.
  // A leaf then costs the sum of its rows' weights less those of the class that it predicts.
  std::span<const std::int64_t> class_weights = {};
};

// Rows with numbers y in place of classes. A leaf costs its weighted sum of squared deviations from its
// mean, in ticks rounded down. Weights w and sums w y are whole, and each add up to at most 2^52.
struct NumberSamples {
  std::span<const double> weights, sums;
  double ticks = 1.0;  // of one unit of w y^2, a power of two
};

// What a tree costs, and which leaves are allowed.
struct Objective {
  Cost error_penalty = 1, leaf_penalty = 0;  // the first: only 1 except for the binary solver
  std::int64_t min_samples_leaf = 1;         // rows, regardless of their weight
};

struct SearchLimits {
  std::int32_t max_depth = 0;
  std::optional<std::int64_t> max_leaf_nodes;
  std::optional<Cost> upper_bound;          // inclusive
  std::optional<std::int64_t> memory_limit;  // bytes
};

struct SolverResult {
  ProofStatus status = ProofStatus::kOptimal;
  SplitTree tree;                   // empty if none is known within the upper bound
  Cost objective_value = kInfinity;  // of that tree
  Cost lower_bound = 0;              // of any tree within the limits
  std::int64_t n_explored = 0;       // subproblems that were searched
  std::int64_t n_cached = 0, cache_bytes = 0;
  double seconds = 0.0;
  struct Moment {
    double seconds;
    Cost cost;
  };
  std::vector<Moment> trace;  // of each better tree
};

// Bad input to any of these: std::invalid_argument.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual SolverResult solve(const SearchLimits& limits, Stop& stop) = 0;
};

// Parts of the binary solver that tests and studies can turn off. Costs never change.
struct BinarySwitches {
  bool cache = true;
  bool similarity = true;          // bounds from solved sets of rows that are nearly the same
  bool equivalent_points = true;   // equal rows of different classes are not separable
  bool parent_minus_child = true;  // pair counts of the larger child by subtraction
  bool merge_rows = true;
  bool wide_registers = true;      // the widest there are, or plain loops
};

// Splits of its trees are columns of the matrix (rows x columns of 0 and 1); true: 1. What one call
// of `solve` has learned helps the next.
std::unique_ptr<Solver> make_binary_solver(std::span<const std::uint8_t> matrix,
                                           std::size_t n_columns, const Samples& samples,
                                           const Objective& objective,
                                           const BinarySwitches& switches = {});

// Refers to the table. Rows of weight 0 are dropped.
std::unique_ptr<Solver> make_all_splits_solver(const EncodedTable& table, const Samples& samples,
                                               const Objective& objective);

// The same two for numbers: trees of the least squared error. The costs of two trees differ from the
// true costs by at most 64 ticks and two for each leaf.
std::unique_ptr<Solver> make_binary_number_solver(std::span<const std::uint8_t> matrix,
                                                  std::size_t n_columns,
                                                  const NumberSamples& samples,
                                                  const Objective& objective);
std::unique_ptr<Solver> make_all_splits_number_solver(const EncodedTable& table,
                                                      const NumberSamples& samples,
                                                      const Objective& objective);

enum class Encoding { kOneHot, kMultiHot, kThresholds, kSubsets };

struct PerNodeColumn {
  ColumnView view;
  bool ordered = false;  // codes are positions in an order
  // Of numbers: thresholds made before, ascending. Without them they are made again at every node.
  std::optional<std::vector<double>> thresholds;
  std::int64_t n_bins = 2;
  // Of numbers that are discretized at every node: the thresholds of nodes where they are not.
  std::vector<double> root_thresholds;
};

struct BinarizerSettings {
  CutRule rule = CutRule::kMdlp;
  Encoding encoding = Encoding::kMultiHot;
  std::size_t max_subset_values = 8;  // nominal columns with more categories at a node are one-hot
  // Of ordered columns: as many bins on each side of a split, or half of those at the node.
  std::size_t min_bins_per_side = 1;
  // Nodes with fewer rows, and deeper ones (the root has depth 0), have the thresholds of the root.
  std::int64_t min_samples_binarize = 1;
  std::optional<std::int32_t> max_depth_binarize;
};

// Weights are positive.
std::unique_ptr<Solver> make_per_node_solver(const std::vector<PerNodeColumn>& columns,
                                             const Samples& samples, const Objective& objective,
                                             const BinarizerSettings& settings);

}  // namespace mixedwood::optimal
