// Growing a tree from the root down, the best split first found first kept.
//
//   rows of a node -> count (value x class) -> candidate of each column -> choice -> children
//
// What is tried and how it is scored are parts (criterion, partitioner, screeners) or named rules
// (`Rules`); which node comes next is the frontier's business.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mixedwood/screener.hpp"
#include "mixedwood/encoded_table.hpp"
#include "mixedwood/criterion.hpp"
#include "mixedwood/linear_model.hpp"
#include "mixedwood/partitioner.hpp"
#include "mixedwood/stop.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {

// How a column's candidate split is made.
enum class Rules {
  kParts,       // by criterion and partitioner
  kC45,         // Quinlan's C4.5 as in WEKA's J48: gain ratio among columns of average gain
  kRandomTree,  // WEKA's RandomTree: information gain, missing rows shared out before
};

// Which column's candidate wins, under Rules::kParts.
enum class Selection {
  kScore,         // the best score
  kAdjusted,      // the best score less what chance gives a column of its kind (adjusted_score.hpp)
  kAverageGain,   // the best score among those of at least average information gain
  kSignificance,  // the smallest p-value of conditional inference; then its best partition
};

// Rows with a missing value: to the better child, to every child in proportion, or as one more value.
enum class HandleMissing { kLearned, kAllChildren, kCategory };

// Where values go that a split has not seen in training: nowhere, with the missing values, or to the
// heavier child. A missing value is one of them if it counts as a value and the node had none.
enum class HandleUnknown { kStopAtNode, kWithMissing, kMajority };

// Named as the parameters of TreeClassifier. Limits that are not set do not exist.
struct GrowSettings {
  Rules rules = Rules::kParts;
  Selection selection = Selection::kScore;
  std::shared_ptr<const Criterion> criterion;
  std::shared_ptr<const Partitioner> partitioner;
  std::vector<std::shared_ptr<const Screener>> screeners;  // for nominal columns
  double min_split_gain = 0.0;  // a split must score at least this
  double alpha = 1.0;           // Selection::kSignificance: stop above this
  bool bonferroni = false;      // p of the smallest of n: 1 - (1 - p)^n
  std::optional<std::int32_t> max_depth;
  double min_samples_split = 2.0;
  double min_samples_leaf = 1.0;
  std::optional<std::int64_t> max_leaf_nodes;
  bool best_first = false;
  std::optional<std::int32_t> max_features;  // columns drawn at random at each node
  HandleMissing handle_missing = HandleMissing::kLearned;
  HandleUnknown handle_unknown = HandleUnknown::kStopAtNode;
  std::shared_ptr<const LinearSettings> linear;  // splits of several columns; null: none
  bool axis_aligned = true;                      // thresholds of single ordered columns
  std::uint64_t seed = 0;
  // Of mistakes (costs.hpp): for labels and pruning, and, symmetric, those of a criterion that takes
  // costs. Empty: 1 each.
  std::vector<double> costs, split_costs;

  bool fractional() const { return handle_missing == HandleMissing::kAllChildren; }
};

struct GrowData {
  std::span<const std::int32_t> classes;  // of each row of the table
  std::span<const double> weights;        // likewise; empty: every row weighs 1
  std::int32_t n_classes = 0;
  // Which rows to grow from, in this order; a row may come several times. Empty: all, once.
  std::span<const std::int32_t> rows;
  // Several trees at once: tree t has rows[starts[t]] up to rows[starts[t + 1]], and node t is its
  // root. Empty: one tree.
  std::span<const std::int64_t> starts;
};

// Bad input: std::invalid_argument. Interrupted by the stop's hook: the result is not to be used.
GrownTree grow(const EncodedTable& table, const GrowData& data, const GrowSettings& settings,
               Stop& stop);

}  // namespace mixedwood
