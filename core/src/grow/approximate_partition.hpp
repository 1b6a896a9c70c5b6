// Two groups of the values of a large table, by_approximate_search: for impurity gains, where the thorough search
// would cost more than counting the rows.
//
// Values are ordered along the first principal component of their class proportions and cut where the
// Gini gain is largest. On request orders by the share of a single class are tried as well, and
// single values then move between the groups while the criterion's own impurity falls. O(values * classes) and no allocation after the first call.
#pragma once

#include <cstdint>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/scorer.hpp"
#include "mixedwood/stop.hpp"
#include "column_counts.hpp"

namespace mixedwood {

class ApproximatePartition {
 public:
  explicit ApproximatePartition(ImpurityKind impurity) : impurity_(impurity) {}

  // At least two values. The sides stay valid until the next call.
  const Sides& best(const ColumnCounts& table, bool refine, Stop& stop);
  // Class weights of the left side of that partition.
  const std::vector<double>& left() const { return best_left_; }

 private:
  struct Entry {
    double weight;
    std::size_t cls;
  };

  void list_entries(const ColumnCounts& table);
  void find_axis(const ColumnCounts& table);
  void order_along_axis(const ColumnCounts& table);
  void order_by_share(const ColumnCounts& table, std::size_t cls);
  std::vector<std::size_t> varying_classes(const ColumnCounts& table) const;
  double cut_by_criterion(const ColumnCounts& table);
  template <typename Purity>
  double cut_in_order(const ColumnCounts& table, const Purity& purity);
  void refine(const ColumnCounts& table, Stop& stop);
  template <typename Purity>
  void move_while_better(const ColumnCounts& table, const Purity& purity, Stop& stop);

  ImpurityKind impurity_;
  Sides sides_;
  double purity_ = 0.0;  // of the refined partition, on the criterion's own scale
  std::vector<double> covariance_, axis_, next_, left_, right_, best_left_;
  std::vector<std::size_t> start_;  // of each value in present_
  std::vector<Entry> present_;      // classes that a value has
  std::vector<std::uint64_t> order_, other_order_;  // key and place
};

}  // namespace mixedwood
