// The best cut of one column at one node.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sums.hpp"

namespace mixedwood {

struct GradientSplit {
  double gain = 0.0;
  double rank = 0.0;  // columns are compared by it
  std::int32_t column = -1;
  bool missing_left = true;
  bool missing_known = false;    // whether training rows decide where missing values go
  std::int32_t last_left = 0;    // ordered columns: bin; and the next bin that has rows
  std::int32_t first_right = 0;
  std::vector<std::int32_t> bins;  // nominal columns: those with rows, the left ones first
  std::size_t n_left = 0;
  std::vector<std::uint8_t> place_of_cell;  // target statistics: bin x part -> child, of training rows
  std::vector<Sum> left;  // of the left rows, one for each output
  bool found() const { return column >= 0; }
};

// Steps that a node may take; see GradientSettings::monotonic_cst.
struct StepBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double clip(double step) const { return std::min(std::max(step, lower), upper); }
};

class SplitSearch {
 public:
  // `row_weight`: mean weight of a row, weighed by itself, times the dispersion.
  // `adder`: adds up the rows of nodes without sums; null if all nodes have sums.
  SplitSearch(const BinnedSchema& table, const GradientSettings& settings, const Scale& scale,
              const SumLayout& layout, const Adder* adder, std::size_t n_outputs, double row_weight);

  // What is known of a node.
  struct Node {
    std::span<const std::int32_t> rows;
    const Sums& sums;  // empty: the rows are added up column by column
    std::span<const Sum> total;
    StepBounds bounds;
  };

  // Replaces `best` when the column has a cut that gains more.
  void improve(std::int32_t column, const Node& node, std::uint64_t node_seed, GradientSplit& best);
  // What the rows of a node lose by one Newton step each.
  double worth(std::span<const Sum> total, double l2) const;

 private:
  void ordered(std::int32_t column, const Sum* sums, std::span<const Sum> total,
               GradientSplit& best);
  void nominal(std::int32_t column, const Sum* sums, std::span<const Sum> total,
               std::uint64_t node_seed, GradientSplit& best);
  void by_target_statistics(std::int32_t column, const Sum* sums, std::span<const Sum> total,
                            std::uint64_t node_seed, GradientSplit& best);
  void add_up_parts(const Sum* sums, std::size_t n_bins);
  void find_bins(const Sum* sums, std::size_t n_bins);
  void find_bins_met(std::size_t n_bins);
  // work(part) for the parts of a bin: for those with rows if they are known, else for all.
  template <typename Work>
  void for_parts(std::int32_t bin, const Work& work) const {
    if (!parts_known_) {
      for (std::size_t part = 0; part < layout_.n_parts(); ++part) work(part);
      return;
    }
    for (unsigned left = parts_of_bin_[static_cast<std::size_t>(bin)]; left != 0; left &= left - 1)
      work(static_cast<std::size_t>(std::countr_zero(left)));
  }
  std::pair<std::size_t, double> agreement(std::size_t n_bins, const Sum* sums) const;
  void start(std::span<const Sum> total, double l2, double chance);
  void scan(std::int32_t column, const Sum* sums, GradientSplit& best);
  void sort_by_step(std::int32_t column, const Sum* sums, std::size_t output);
  double gain() const;
  double constrained_gain(double left, double left_hessian, double right, double right_hessian) const;
  bool is_better(double gain, const GradientSplit& best) const;
  double chance(const Sum* sums, std::span<const Sum> total, bool sorted) const;
  void put_in_random_order(std::int32_t column, std::uint64_t node_seed);

  const BinnedSchema& table_;
  const GradientSettings& settings_;
  const Scale& scale_;
  const SumLayout& layout_;
  const Adder* adder_;
  std::size_t n_outputs_;
  double row_weight_;
  std::vector<std::vector<std::uint32_t>> rank_;  // per tree: of a nominal column's bins
  struct Slope {
    double gradient = 0.0, hessian = 0.0;
  };
  // Of the node that is searched.
  std::vector<Slope> total_;
  std::int64_t all_rows_ = 0;
  StepBounds bounds_;
  std::int8_t sign_ = 0;  // of the column's constraint
  double l2_ = 0.0, before_ = 0.0;
  double chance_ = 0.0;  // gain of a column that is noise
  // Buffers.
  std::vector<Sum> left_;
  std::vector<std::int32_t> bins_;  // those with rows
  bool parts_known_ = false;
  std::vector<std::uint8_t> parts_of_bin_;  // a bit for each part with rows; 0 between searches
  std::vector<Sum> of_column_;  // of a node without sums; 0 between searches
  std::vector<std::uint64_t> keys_, other_keys_;
  // Target statistics: sums of bins over all parts, the statistic of each cell, and sums by its value.
  std::vector<Sum> all_parts_, by_statistic_;
  std::vector<double> statistic_;
  std::vector<std::uint16_t> place_;  // of each cell among the values of its statistic
};

}  // namespace mixedwood
