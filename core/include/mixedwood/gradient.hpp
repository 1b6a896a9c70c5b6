// Trees for gradient boosting: nodes predict numbers (one or several), and the gain of a split
// is how far a Newton step in each child lowers the loss.
//
//   rows of a node -> sums of gradients in each bin -> best cut of each column -> children
//
// Sums are kept in whole numbers, so that a child's are exactly its parent's less its sibling's,
// and the same for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// The bins of the columns of a table.
class BinnedSchema {
 public:
  struct Column {
    std::size_t first = 0;   // of its bins among those of all columns
    std::int32_t n_bins = 0;  // bin 0 holds missing values
    bool ordered = false;
    bool has_missing = false;
    // Of an ordered column: the last code in bins 1, 2, ... Of others a bin is code + 1.
    std::vector<std::int32_t> last_code;
  };
  const std::vector<Column>& columns() const { return columns_; }
  std::size_t n_bins() const { return n_bins_; }
  // The bins begin after those of the columns before.
  void add(Column column);

 private:
  std::vector<Column> columns_;
  std::size_t n_bins_ = 0;
};

// A coded table with at most `max_bins` bins of neighbouring numbers, row by row. Bins weigh about
// the same; without weights, every row weighs 1.
class BinnedTable : public BinnedSchema {
 public:
  BinnedTable(const EncodedTable& table, std::int32_t max_bins,
              std::span<const double> weights = {});

  const EncodedTable& coded() const { return coded_; }
  std::size_t n_rows() const { return coded_.n_rows; }
  // row * number of columns + column, in the smallest type that has room.
  using Bins =
      std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;
  const Bins& bins() const { return bins_; }

 private:
  EncodedTable coded_;
  Bins bins_;
};

// The categories of a nominal column are put in an order, and cut.
enum class CategoryOrder {
  kSorted,         // by the step that each would take alone: no other two groups gain more
  kRandomPerTree,  // Random Ordinality
  kRandomPerNode,
  // The rows are assigned to parts, anew for each tree. A row's place is the step that rows of its
  // category in earlier parts would take, so that no row has a say in its own place. New rows have
  // that of all rows of their category. Columns of few categories are sorted; where the parts do
  // not agree about a column, its order is random.
  kTargetStatistics,
};

// Named as the parameters of BoostedTreesClassifier. Limits that are not set do not exist.
struct GradientSettings {
  std::optional<std::int32_t> max_depth;
  std::optional<std::int64_t> max_leaf_nodes;
  bool best_first = false;
  double min_samples_leaf = 1.0;
  double min_child_weight = 0.0;   // sum of second derivatives of a child, of all outputs
  double l2_regularization = 1.0;  // added to it
  double min_split_gain = 0.0;
  std::optional<std::int32_t> max_features;  // columns drawn at random at each node
  // All columns with target statistics and half of the others, in place of max_features.
  bool half_of_others = false;
  CategoryOrder category_order = CategoryOrder::kSorted;
  double cat_l2 = 0.0;      // added to l2_regularization for splits of nominal columns
  // kSorted, kTargetStatistics: second derivatives added to a category's, with the step of the node.
  double cat_smooth = 0.0;
  // kScore, or kAdjusted: gains minus what is expected by chance from the number of categories.
  Selection selection = Selection::kScore;
  // kAdjusted: variance of a gradient over its hessian, for rows of weight 1. Log losses have 1.
  double dispersion = 1.0;
  HandleUnknown handle_unknown = HandleUnknown::kStopAtNode;
  std::uint64_t seed = 0;
  int n_threads = 1;
  // For each column 1 where steps may not fall with its numbers, -1 where they may not rise, else 0. Columns
  // with an order only, and a single output. Empty: no constraint.
  std::vector<std::int8_t> monotonic_cst;
};

struct GradientData {
  std::span<const double> gradients, hessians;  // row x output
  std::size_t n_outputs = 1;
  std::span<const std::int32_t> classes;  // for the statistics of nodes
  std::span<const double> weights;        // likewise; empty: 1 each
  std::int32_t n_classes = 0;
  std::span<const std::int32_t> rows;    // to learn from; each at most once
  std::span<const std::int32_t> others;  // only routed to their node
  std::span<const std::int32_t> columns;  // that may be used; empty: all
  std::span<const double> numbers;  // if any, nodes have weight, mean, squared deviations and loss of these
};

struct GradientTree {
  GrownTree tree;
  std::vector<double> values;         // node x output: the Newton step, without a learning rate
  std::vector<std::int32_t> node_of_row;  // for each row of the table its node, or -1
};

// Bad input: std::invalid_argument. Interrupted by the stop's hook: the result is not to be used.
GradientTree grow_gradient_tree(const BinnedTable& table, const GradientData& data,
                                const GradientSettings& settings, Stop& stop);

// Derivatives of the log loss at scores (row x output): one output for two classes, else one for
// each. Weights may be empty.
void log_loss_derivatives(std::span<const double> scores, std::span<const std::int32_t> classes,
                          std::span<const double> weights, std::size_t n_outputs,
                          std::span<double> gradients, std::span<double> hessians,
                          int n_threads = 1);

// Adds to each row of the scores (row x output), from `first` on, the step (node x output) of the
// row's node; rows without a node, -1, stay as they are.
void add_steps(std::span<double> scores, std::size_t n_outputs, std::size_t first,
               std::span<const double> steps, std::size_t n_steps,
               std::span<const std::int32_t> nodes);

}  // namespace mixedwood
