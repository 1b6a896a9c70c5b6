// The best threshold of a column with very many different numbers, as exact as the plain scan but
// at the cost of a coarse histogram.
//
// Codes are counted in buckets of neighbours. The purity of a cut inside a bucket is bounded by
// those at the bucket's two ends, and only buckets that could still hold the best cut of the node
// are looked into, value by value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/encoded_table.hpp"
#include "counting.hpp"
#include "threshold_scan.hpp"

namespace mixedwood {

class BucketedScan {
 public:
  BucketedScan(const Criterion& criterion, double min_leaf)
      : criterion_(criterion), min_leaf_(min_leaf) {}

  // `cells`: (bucket + 1) x class. No cut is returned that scores less than `to_beat`, short of
  // rounding. Every row weighs 1; for impurity gains.
  Cut best(const NodeRows& node, const EncodedColumn& column, const std::uint32_t* cells,
           std::span<const double> counts, double to_beat, Stop& stop);

 private:
  template <typename Running>
  void run(const NodeRows& node, const EncodedColumn& column, bool missing_left, double to_beat,
           Cut& best, Stop& stop);
  template <typename Running>
  void find_promising(double least);
  void count_promising(const NodeRows& node, const EncodedColumn& column);
  template <typename Running>
  void look_into(const EncodedColumn& column, std::size_t bucket, bool missing_left, Cut& best);

  const Criterion& criterion_;
  double min_leaf_;
  std::size_t n_classes_ = 0;
  double n_rows_ = 0.0;
  std::vector<double> all_, missing_;
  std::vector<double> before_;          // class counts left of each bucket, and of all
  std::vector<std::int32_t> slot_;      // of a bucket in fine_, in buckets; -1: not promising
  std::vector<std::size_t> promising_;
  std::vector<std::uint32_t> fine_;     // value x class of the promising buckets
  std::vector<double> left_, right_, best_left_, entry_, corner_;
};

}  // namespace mixedwood
