// Columns as growers count them: every column is a list of codes, numbers included. A number's code
// is its rank among the distinct numbers of the column. Made once, used by every tree of a forest.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mixedwood/tree.hpp"

namespace mixedwood {

struct InputColumn {
  ColumnView view;
  bool ordered = false;  // an ordinal column: codes are places in an order
  bool halfway = false;  // cut halfway between two places, not just above the lower one
};

// Cheap to copy: ranks are shared. Codes that came as codes are borrowed.
class EncodedColumn {
 public:
  EncodedColumn(const InputColumn& column, std::size_t n_rows);

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
    return ranked_ == nullptr ? code : ranked_->distinct[at(code)];
  }
  bool is_numeric() const { return ranked_ != nullptr; }
  // The largest number of the whole column that is below x.
  double below(double x) const;
  // Of a number that the column has.
  std::int32_t code_of(double x) const;

 private:
  struct Ranked {
    std::vector<std::int32_t> ranks;
    std::vector<double> distinct;
  };
  class Ranking;

  const std::int32_t* codes_ = nullptr;
  std::int32_t n_values_ = 0;
  int bucket_bits_ = 0;
  bool ordered_ = false;
  bool halfway_ = false;
  bool has_missing_ = false;
  std::shared_ptr<const Ranked> ranked_;  // of numbers
};

struct EncodedTable {
  EncodedTable() = default;
  EncodedTable(const std::vector<InputColumn>& given, std::size_t rows);

  std::vector<EncodedColumn> columns;
  std::size_t n_rows = 0;
};

}  // namespace mixedwood
