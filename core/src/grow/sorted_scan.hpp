// The best threshold of the one ordered column that still varies at a node.
//
// Rows then lie in the column's order, so nothing is counted and nothing moved: a cut is a place in
// the list. Whole blocks of rows are passed over where no cut inside can be the best, so that a
// node costs a small part of its rows. That matters where nodes lose a row at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "counting.hpp"
#include "threshold_scan.hpp"

namespace mixedwood {

class SortedScan {
 public:
  explicit SortedScan(double min_leaf) : min_leaf_(min_leaf) {}

  // Codes in the cut, as from a histogram; its score is left to the caller. For impurity gains;
  // `node` is in the column's order, every row weighs 1 and has a value.
  Cut best(const NodeRows& node, const EncodedColumn& column, std::span<const double> counts,
           ImpurityKind impurity, Stop& stop);
  // Class counts left of the cut that was found.
  std::span<const double> left() const { return best_left_; }
  // Blocks, steps and cuts judged so far, in all calls.
  std::int64_t work() const { return work_; }

 private:
  template <typename Running>
  void run(const NodeRows& node, const EncodedColumn& column, Cut& best, Stop& stop);
  template <typename Running>
  bool may_hold_best(std::span<const double> start, std::span<const double> end, double at_start,
                     double at_end, double least, const Cut& best);
  template <typename Running>
  void look_into(const NodeRows& node, const std::int32_t* codes, std::size_t from, std::size_t to,
                 double at_start, double least, Cut& best);
  template <typename Running>
  void offer(const NodeRows& node, const std::int32_t* codes, std::size_t place, Cut& best);
  bool may_cut(const NodeRows& node, const std::int32_t* codes, std::size_t place) const;

  double min_leaf_;
  double margin_ = 0.0;
  std::int64_t work_ = 0;
  std::vector<double> all_, start_, step_start_, step_end_, best_left_, corner_;
  std::vector<double> at_end_;  // purity at the end of each block
};

}  // namespace mixedwood
