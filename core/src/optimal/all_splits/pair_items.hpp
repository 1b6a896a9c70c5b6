// The rows of a node as lists of items, for every pair of a root's feature and a second feature.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"
#include "rows.hpp"

namespace mixedwood::optimal::all_splits {

// Classes that occur at a node, numbered from 0. Two classes: 0 weighs -1, 1 weighs +1.
struct PresentClasses {
  std::vector<std::int32_t> number;  // of each class; -1: does not occur
  int n = 0;
  explicit PresentClasses(const Rows& rows) : number(rows.counts.size(), -1) {
    for (std::size_t c = 0; c < number.size(); ++c)
      if (rows.counts[c] > 0) number[c] = n++;
  }
};

template <typename T>
class PairItems {
 public:
  explicit PairItems(const FeatureTable& features) : features_(features) {}

  // Once per node: weights and ends of values in the order of every useful feature.
  void start(const Rows& rows, const PresentClasses& classes);
  // Once per root feature: `place[row]` is the place of the row's value, below n_places.
  void prepare(const std::vector<std::int32_t>& place, std::int32_t n_places);
  // Once per batch of thresholds: rows between the same two cuts need not be distinguished.
  // `bucket[place]` is how many of the cuts are at or below the place.
  void set_cuts(const std::vector<std::int32_t>* bucket, std::int32_t n_buckets) {
    bucket_ = bucket;
    n_buckets_ = n_buckets;
  }
  // Made on first use.
  const Items<T>& of(std::size_t feature);

  bool useful(std::size_t feature) const { return columns_[feature].useful; }
  std::size_t n_values(std::size_t feature) const { return columns_[feature].n_values; }

 private:
  struct Column {
    bool useful = false, made = false;
    std::size_t n_values = 0;
    std::vector<T> weight, key;
    std::vector<std::uint8_t> last;
    std::vector<std::uint16_t> cls;
    // Rows with the same two values and class as one.
    std::vector<T> merged_weight, merged_key;
    std::vector<std::uint8_t> merged_last;
    std::vector<std::uint16_t> merged_cls;
    Items<T> items;
  };
  bool merges(const Column& column, std::int32_t n_places) const;
  void merge(Column& column, const std::int32_t* sorted, bool coarse);

  const FeatureTable& features_;
  const Rows* rows_ = nullptr;
  const std::vector<std::int32_t>* place_ = nullptr;
  std::int32_t n_places_ = 0;
  const std::vector<std::int32_t>* bucket_ = nullptr;
  std::int32_t n_buckets_ = 0;
  int n_classes_ = 0;
  std::vector<Column> columns_;
  std::vector<T> cells_;
};

extern template class PairItems<std::int16_t>;
extern template class PairItems<std::int32_t>;
extern template class PairItems<std::int64_t>;

}  // namespace mixedwood::optimal::all_splits
