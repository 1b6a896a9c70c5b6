// Columns as the grower counts them: every column is a list of codes, numbers included. A number's
// code is its rank among the distinct numbers of the column.
#pragma once

#include <cstdint>
#include <vector>

#include "mixedwood/grow.hpp"

namespace mixedwood {

class CodedColumn {
 public:
  CodedColumn(const GrowColumn& column, std::size_t n_rows);

  // -1 is a missing value.
  const std::int32_t* codes() const { return codes_; }
  std::int32_t n_values() const { return n_values_; }
  bool ordered() const { return ordered_; }
  bool has_missing() const { return has_missing_; }
  // Codes of an ordered column with many values are also counted in buckets of neighbours:
  // code >> bucket_bits(). 0 bits: every value is its own bucket.
  int bucket_bits() const { return bucket_bits_; }
  std::size_t n_buckets() const {
    return static_cast<std::size_t>((n_values_ + (1 << bucket_bits_) - 1) >> bucket_bits_);
  }
  // Where to cut between two codes that are neighbours at a node; left when x <= threshold.
  double threshold(std::int32_t below, std::int32_t above) const;
  // The number, or the place in its order, that a code stands for.
  double number(std::int32_t code) const {
    return distinct_.empty() ? code : distinct_[static_cast<std::size_t>(code)];
  }
  // The largest number of the whole column that is below x.
  double below(double x) const;

 private:
  void rank(const double* numbers, std::size_t n_rows);
  void rank_whole(const double* numbers, double least, double most);
  void rank_any(const double* numbers);
  void rank_by_sorting(const double* numbers);

  const std::int32_t* codes_ = nullptr;
  std::int32_t n_values_ = 0;
  int bucket_bits_ = 0;
  bool ordered_ = false;
  bool has_missing_ = false;
  std::vector<std::int32_t> ranks_;
  std::vector<double> distinct_;
};

}  // namespace mixedwood
