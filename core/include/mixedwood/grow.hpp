// Growing a tree from the root down, the best test first found first kept.
//
//   rows of a node -> count (value x class) -> candidate of each column -> choice -> children
//
// What is tried and how it is scored are parts (criterion, partitioner, screeners) or named rules
// (`Rules`); which node comes next is the frontier's business.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixedwood/screener.hpp"
#include "mixedwood/coded_table.hpp"
#include "mixedwood/criterion.hpp"
#include "mixedwood/linear_machine.hpp"
#include "mixedwood/partitioner.hpp"
#include "mixedwood/stop.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {

// How a column's candidate test is made.
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

struct GrowSettings {
  Rules rules = Rules::kParts;
  Selection selection = Selection::kScore;
  std::shared_ptr<const Criterion> criterion;
  std::shared_ptr<const Partitioner> partitioner;
  std::vector<std::shared_ptr<const Screener>> screeners;  // for nominal columns
  double min_gain = 0.0;                   // a split must score at least this
  double alpha = 1.0;                      // Selection::kSignificance: stop above this
  bool bonferroni = false;                 // p of the smallest of n: 1 - (1 - p)^n
  std::int32_t max_depth = -1;             // -1: no limit
  double min_split = 2.0;                  // rows a node must have to be split
  double min_leaf = 1.0;                   // rows each child must have
  std::int64_t max_leaves = -1;
  bool best_first = false;
  std::int32_t max_columns = -1;  // drawn at random at each node; -1: all
  bool fractional = false;        // rows with a missing value go to every child in proportion
  // Where values go that a test has never met. A missing value is one of them where it counts as a
  // value and the node had none; otherwise it goes to the heavier child then.
  enum class Unseen { kStop, kLikeMissing, kHeavier } unseen = Unseen::kStop;
  bool missing_is_value = false;
  const LinearTestSettings* linear = nullptr;  // tests of several columns; null: none
  bool thresholds = true;                      // tests of single ordered columns
  std::uint64_t seed = 0;
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

struct GrownTree {
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> column;
  std::vector<double> low, high;
  std::vector<std::int32_t> child_offset{0}, children;
  std::vector<std::int32_t> value_offset{0}, value_code, value_child;
  // All of these are empty, but for the one offset, if the learner knows no linear tests.
  std::vector<std::int32_t> term_offset{0}, term_column, term_value;
  std::vector<double> term_weight, term_fill, intercept;
  std::vector<std::int32_t> missing_child, unseen_child;
  std::vector<double> weight, counts, score;  // counts: node x class
  std::vector<std::int32_t> label;
  bool complete = true;  // false when the time limit left nodes unsplit
};

// Bad input: std::invalid_argument. Interrupted by the stop's hook: the result is not to be used.
GrownTree grow(const CodedTable& table, const GrowData& data, const GrowSettings& settings,
               Stop& stop);

}  // namespace mixedwood
