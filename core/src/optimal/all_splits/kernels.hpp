// The inner loops of the depth-two search: for sixteen splits of the root at once, the best second
// split on both of its sides, over one column.
//
// The rows of a node are a list of items sorted by the column of the second split. An item is one
// row, or all rows with the same two values and class. Two classes: an item's weight is positive
// for class 1 and negative for class 0. With the sum P of the weights up to a threshold, "0 below,
// 1 above" errs on W0 + P and "1 below, 0 above" on W1 - P, so the least and the largest P give the
// best threshold, and both may be carried on from column to column. The empty sum, 0, is a leaf.
// Values of a nominal column choose for themselves: errors are (W - sum of |P of the value|) / 2.
//
// Many classes: the correct weight of a threshold is the largest class below it plus the largest
// above. Counts only grow as rows are added, so a largest class is kept up with one comparison; the
// sums below are stored on the branch up and met with those above on the branch down.
//
// Compiled for several instruction sets: see simd/kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mixedwood::optimal::all_splits {

template <typename T>
struct Items {
  const T* key = nullptr;     // place of the item's value in the root's feature
  const T* weight = nullptr;
  const std::uint8_t* last = nullptr;   // 1: the last item of its value
  const std::uint16_t* cls = nullptr;   // many classes only
  std::size_t n = 0;
  bool coarse = false;  // keys are places among the cuts that are tried
  std::size_t size() const { return n; }
};

inline constexpr std::size_t kLanes = 16;

// Which lanes' roots send an item left, or right; neither while its value is undecided.
template <typename T>
struct Roots {
  // Of a threshold: left when key < cut.
  T cut[kLanes] = {};
  // Of subsets: kLanes numbers for each key, all bits set where it goes left, and right.
  bool subsets = false;
  std::vector<T> left, right;
};

template <typename T>
struct Side {
  T least[kLanes] = {}, most[kLanes] = {};  // two classes, thresholds
  T apart[kLanes] = {};                     // two classes, nominal: largest sum of |P|
  T correct[kLanes] = {};             // many classes
};

// Room for the kernels of many classes, made by the caller: they do not allocate.
template <typename T>
struct Scratch {
  std::vector<T> up_left, up_right;  // largest class below each place
  std::vector<T> count_left, count_right, pair_left, pair_right;

  void prepare_thresholds(const Items<T>& items, std::size_t n_classes) {
    std::size_t n_values = 0;
    for (std::size_t i = 0; i < items.size(); ++i) n_values += items.last[i];
    for (auto* up : {&up_left, &up_right}) up->resize(n_values * kLanes);
    for (auto* count : {&count_left, &count_right}) count->resize(n_classes * kLanes);
  }
  void prepare_values(std::size_t n_classes) {
    for (auto* count : {&count_left, &count_right}) count->resize(n_classes * kLanes);
    for (auto* pair : {&pair_left, &pair_right}) pair->resize(n_classes * n_classes * kLanes);
  }
};

// Each widens the two sides by what one column offers.
template <typename T>
struct KernelTable {
  void (*two_class_thresholds)(const Items<T>&, const Roots<T>&, Side<T>& left, Side<T>& right);
  void (*two_class_values)(const Items<T>&, const Roots<T>&, Side<T>& left, Side<T>& right);
  void (*many_class_thresholds)(const Items<T>&, const Roots<T>&, int n_classes, Scratch<T>&,
                                Side<T>& left, Side<T>& right);
  void (*many_class_values)(const Items<T>&, const Roots<T>&, int n_classes, Scratch<T>&,
                            Side<T>& left, Side<T>& right);
};

}  // namespace mixedwood::optimal::all_splits
