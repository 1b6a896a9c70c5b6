// The best split that one column offers at a node of a regression tree.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../grow/candidate.hpp"
#include "mixedwood/encoded_table.hpp"
#include "mixedwood/regress.hpp"
#include "moments.hpp"

namespace mixedwood::regression {

// What every split beats.
inline constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Sums over the rows of one value that were counted elsewhere.
struct Cell {
  Moments moments;
  double squares = 0.0;  // sum of weight * target^2
};

// Rows of a node with their weights and targets, side by side.
struct NodeRows {
  std::span<const std::int32_t> rows;
  std::span<const Entry> entries;
  Moments total;
  double squares = 0.0;  // sum of weight * (target - mean)^2
  double loss = 0.0;     // of the node's own prediction
  // With monotonic constraints: what children may predict, relative to the same number as targets.
  bool constrained = false;
  Bounds bounds = {};
  // Instead of rows, the sums of each column's values; the first are those of missing values.
  const std::vector<std::vector<Cell>>* counted = nullptr;
  std::span<const Cell> cells = {};  // of the column that is looked at
};

class Search {
 public:
  // `copies`: how often a row comes in the sample, on average over its rows. `frequencies`: weights are
  // whole numbers, and a row of weight 2 counts as two rows.
  Search(const RegressSettings& settings, double copies, bool frequencies, Stop& stop)
      : settings_(settings), copies_(copies), frequencies_(frequencies), stop_(stop) {}

  // `varies`: whether the column has two values, or one and missing ones, at the node.
  // `sign`: of a monotonic constraint on the column. `to_beat`: the rank of a split whose score is lower is not
  // computed; it is that score.
  Candidate best(const NodeRows& node, const EncodedColumn& column, std::int8_t sign,
                 std::uint64_t seed, bool& varies, double to_beat = kNothing);
  // Logarithm of the p-value of the column's dependence on the target (conditional inference).
  double log_p(const NodeRows& node, const EncodedColumn& column);

 private:
  // The rows of one value that are at the node; `begin` and `end` are positions in order_.
  struct Group {
    std::int32_t code = -1;
    Moments moments;
    std::size_t begin = 0, end = 0;
    double squares = 0.0;  // only where it was counted elsewhere
  };

  // Thresholds by the squared error, without an array of groups: it has as many as there are rows.
  bool is_plain(const NodeRows& node, std::int8_t sign) const {
    return settings_.criterion == RegressionLoss::kSquaredError && !node.constrained && sign == 0 &&
           node.cells.empty();
  }
  Candidate plain(const NodeRows& node, const EncodedColumn& column, bool& varies, std::size_t& n_values);
  void collect(const NodeRows& node, const EncodedColumn& column, bool missing_is_value);
  void find_orders(const NodeRows& node);
  Candidate ordered(const NodeRows& node, const EncodedColumn& column, std::int8_t sign);
  Candidate nominal(const NodeRows& node, std::uint64_t seed);
  Candidate all_partitions(const NodeRows& node);
  Candidate from_sides(std::span<const std::uint8_t> sides, double gain, const NodeRows& node) const;
  double gain(const NodeRows& node, const Moments& left, const Moments& right) const;
  bool breaks_order(const NodeRows& node, const Moments& left, const Moments& right,
                    std::int8_t sign) const;
  double gain_of_sides(const NodeRows& node, std::span<const std::uint8_t> sides);
  double rank(const NodeRows& node, const Candidate& found, bool is_nominal, std::size_t n_values);
  double expected_fraction(const NodeRows& node, const Candidate& found);
  struct Sides;
  void place_rows(const NodeRows& node, const Group& group, Sides& sides) const;
  void place_counted(const Group& group, Sides& sides) const;
  bool large_enough(double left_rows, double right_rows) const {
    return std::min(left_rows, right_rows) >= settings_.min_samples_leaf;
  }
  // Best prefix of the groups in `order_of_groups_`, by the gain: the prefix's length and the side of
  // missing values, which take both sides in turn unless they are a group.
  struct Prefix {
    std::size_t length = 0;
    double gain = -1.0;
    bool missing_left = true;
  };
  Prefix best_prefix(const NodeRows& node, bool with_missing, std::int8_t sign = 0);
  Prefix best_prefix_absolute(const NodeRows& node, bool with_missing);

  const RegressSettings& settings_;
  double copies_;
  bool frequencies_;
  Stop& stop_;
  std::vector<Group> groups_;                      // values present, ascending
  Group missing_;
  std::vector<std::uint32_t> order_of_groups_;
  std::vector<std::int32_t> order_;                // positions of the node's rows, by value
  std::vector<std::uint64_t> keys_, other_keys_;
  std::vector<Moments> by_code_;
  std::vector<std::uint32_t> starts_;
  std::vector<double> sorted_, before_;
  std::vector<std::size_t> target_rank_;
  std::span<const Entry> ranked_for_;
  std::vector<std::uint8_t> sides_;
};

// What the split of a node is chosen by, and the choice.
struct ChoiceAtNode {
  std::uint64_t seed = 0;
  std::vector<std::int32_t> columns;  // that may differ here; then, that may still differ below
  Candidate split = {};
};

// The column that a node is split by, and how.
class ColumnChoice {
 public:
  ColumnChoice(const RegressSettings& settings, const std::vector<EncodedColumn>& columns,
               Search& search, Stop& stop)
      : settings_(settings), columns_(columns), search_(search), stop_(stop) {}

  void choose(ChoiceAtNode& node, const NodeRows& rows);

 private:
  void by_score(ChoiceAtNode& node, const NodeRows& rows);
  void by_significance(ChoiceAtNode& node, const NodeRows& rows);
  std::vector<std::int32_t> columns_to_try(const ChoiceAtNode& node) const;
  Candidate best(const NodeRows& rows, std::int32_t column, std::uint64_t seed, bool& varies,
                 double to_beat);
  NodeRows at_column(const NodeRows& rows, std::int32_t column) const;
  double least_gain(const NodeRows& rows) const;

  const RegressSettings& settings_;
  const std::vector<EncodedColumn>& columns_;
  Search& search_;
  Stop& stop_;
};

}  // namespace mixedwood::regression
