// From numbers to ranges: cut points of one column. A column is seen as a table of counts, one row
// per distinct number, so that a whole table and the rows of one node are cut by the same code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/index.hpp"

namespace mixedwood {

enum class CutRule { kMdlp, kCaim, kEqualWidth, kEqualFrequency };

// Numbers ascending and distinct, with how many rows have each. Rows count once each, whatever they
// weigh. The two rules that look at classes also need the classes of those rows: for value v the
// entries from offset[v] to offset[v + 1], each class once.
struct ValueCounts {
  std::span<const double> values;
  std::span<const std::int32_t> rows;
  struct Entry {
    std::int32_t of_class, count;
  };
  std::span<const Entry> entries;
  std::span<const std::int32_t> offset;
  std::size_t n_classes = 0;

  std::size_t size() const { return values.size(); }
  std::span<const Entry> of(std::size_t value) const {
    const auto begin = static_cast<std::size_t>(offset[value]);
    return entries.subspan(begin, static_cast<std::size_t>(offset[value + 1]) - begin);
  }
};

inline bool looks_at_classes(CutRule rule) {
  return rule == CutRule::kMdlp || rule == CutRule::kCaim;
}

// Values up to `at` are left of the cut; there are `after` of them among the distinct ones.
struct CutPoint {
  double at;
  std::size_t after;
  bool operator==(const CutPoint&) const = default;
};

// Halfway between two numbers that follow each other, never the upper one.
double halfway(double below, double above);

// Finds cuts, ascending. Keeps its working space from call to call: one for each thread.
class Discretizer {
 public:
  // `n_bins`: number of bins, for the two rules that take it.
  void find(CutRule rule, const ValueCounts& column, std::int64_t n_bins, std::vector<CutPoint>& cuts);

 private:
  struct Range {
    std::size_t begin, end;
  };
  struct CaimRange;

  void mdlp(const ValueCounts& column, std::vector<CutPoint>& cuts);
  void caim(const ValueCounts& column, std::vector<CutPoint>& cuts);
  void equal_width(const ValueCounts& column, std::int64_t n_bins, std::vector<CutPoint>& cuts);
  void equal_frequency(const ValueCounts& column, std::int64_t n_bins, std::vector<CutPoint>& cuts);
  CaimRange look(const ValueCounts& column, Range range);

  std::vector<Range> pending_;
  std::vector<std::int64_t> left_, right_;  // rows of each class on the two sides of a cut
  std::vector<double> terms_;
};

// CutPoint points of a column of numbers; NaN is left out. Throws std::invalid_argument when a class is
// not one of `n_classes`, or the lengths differ. Without classes (empty) rows are of one class.
std::vector<CutPoint> cut_points(CutRule rule, std::span<const double> numbers,
                            std::span<const std::int32_t> classes, std::size_t n_classes,
                            std::int64_t n_bins);

}  // namespace mixedwood
