// Bodies of the kernels, for the instruction set of the file that includes them. Lanes that do not
// fit into a register wait for their turn.
#pragma once

#include "../../simd/vector.hpp"
#include "kernels.hpp"

namespace mixedwood::optimal::all_splits {
namespace {

using simd::below;
using simd::least;
using simd::most;

template <typename T>
constexpr std::size_t kWidth = simd::kRegisterBytes / sizeof(T);
template <typename T>
using Lanes = simd::Vec<T, kWidth<T>>;

template <typename T>
MIXEDWOOD_INLINE Lanes<T> load(const T* from) {
  return simd::load<Lanes<T>>(from);
}
template <typename T>
MIXEDWOOD_INLINE void store(T* to, const Lanes<T>& v) {
  simd::save(to, v);
}
template <typename T>
MIXEDWOOD_INLINE Lanes<T> all(T x) {
  return simd::fill<Lanes<T>>(x);
}

template <typename T>
struct ByThreshold {
  Lanes<T> cut;
  ByThreshold(const Roots<T>& roots, std::size_t first) : cut(load(roots.cut + first)) {}
  MIXEDWOOD_INLINE void sides(T key, Lanes<T>& left, Lanes<T>& right) const {
    left = below(all(key), cut);
    right = ~left;
  }
};

template <typename T>
struct BySubset {
  const T* left_of;
  const T* right_of;
  BySubset(const Roots<T>& roots, std::size_t first)
      : left_of(roots.left.data() + first), right_of(roots.right.data() + first) {}
  MIXEDWOOD_INLINE void sides(T key, Lanes<T>& left, Lanes<T>& right) const {
    left = load(left_of + kLanes * static_cast<std::size_t>(key));
    right = load(right_of + kLanes * static_cast<std::size_t>(key));
  }
};

template <typename T, typename Root>
MIXEDWOOD_INLINE void two_class_thresholds_of(const Items<T>& items, const Root& root,
                                              std::size_t first, Side<T>& left, Side<T>& right) {
  using V = Lanes<T>;
  V sum_left{}, sum_right{}, goes_left, goes_right;
  V least_left = load(left.least + first), most_left = load(left.most + first);
  V least_right = load(right.least + first), most_right = load(right.most + first);
  const std::size_t n = items.size();
  const T* key = items.key;
  const T* weight = items.weight;
  const std::uint8_t* last = items.last;
  for (std::size_t i = 0; i < n; ++i) {
    root.sides(key[i], goes_left, goes_right);
    const V w = all(weight[i]);
    sum_left += goes_left & w;
    sum_right += goes_right & w;
    if (last[i]) {
      least_left = least(least_left, sum_left);
      most_left = most(most_left, sum_left);
      least_right = least(least_right, sum_right);
      most_right = most(most_right, sum_right);
    }
  }
  store(left.least + first, least_left);
  store(left.most + first, most_left);
  store(right.least + first, least_right);
  store(right.most + first, most_right);
}

template <typename T, typename Root>
MIXEDWOOD_INLINE void two_class_values_of(const Items<T>& items, const Root& root,
                                          std::size_t first, Side<T>& left, Side<T>& right) {
  using V = Lanes<T>;
  V sum_left{}, sum_right{}, apart_left{}, apart_right{}, goes_left, goes_right;
  for (std::size_t i = 0; i < items.size(); ++i) {
    root.sides(items.key[i], goes_left, goes_right);
    const V w = all(items.weight[i]);
    sum_left += goes_left & w;
    sum_right += goes_right & w;
    if (items.last[i]) {
      apart_left += most(sum_left, -sum_left);
      apart_right += most(sum_right, -sum_right);
      sum_left = sum_right = V{};
    }
  }
  store(left.apart + first, most(load(left.apart + first), apart_left));
  store(right.apart + first, most(load(right.apart + first), apart_right));
}

template <typename T, typename Root>
MIXEDWOOD_INLINE void many_class_thresholds_of(const Items<T>& items, const Root& root,
                                               std::size_t first, int n_classes,
                                               Scratch<T>& scratch, Side<T>& left, Side<T>& right) {
  using V = Lanes<T>;
  const std::size_t n = items.size(), k = static_cast<std::size_t>(n_classes);
  T* up_left = scratch.up_left.data();
  T* up_right = scratch.up_right.data();
  T* count_left = scratch.count_left.data();
  T* count_right = scratch.count_right.data();
  for (std::size_t c = 0; c < k * kLanes; ++c) count_left[c] = count_right[c] = 0;
  V largest_left{}, largest_right{}, goes_left, goes_right;
  std::size_t value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    root.sides(items.key[i], goes_left, goes_right);
    const V w = all(items.weight[i]);
    const std::size_t c = items.cls[i] * kLanes;
    const V count_l = load(count_left + c) + (goes_left & w);
    const V count_r = load(count_right + c) + (goes_right & w);
    store(count_left + c, count_l);
    store(count_right + c, count_r);
    largest_left = most(largest_left, count_l);
    largest_right = most(largest_right, count_r);
    if (items.last[i]) {
      store(up_left + value * kLanes, largest_left);
      store(up_right + value * kLanes, largest_right);
      ++value;
    }
  }
  for (std::size_t c = 0; c < k * kLanes; ++c) count_left[c] = count_right[c] = 0;
  largest_left = largest_right = V{};
  V best_left = load(left.correct + first), best_right = load(right.correct + first);
  for (std::size_t i = n; i-- > 0;) {
    if (items.last[i]) {
      --value;
      best_left = most(best_left, load(up_left + value * kLanes) + largest_left);
      best_right = most(best_right, load(up_right + value * kLanes) + largest_right);
    }
    root.sides(items.key[i], goes_left, goes_right);
    const V w = all(items.weight[i]);
    const std::size_t c = items.cls[i] * kLanes;
    const V count_l = load(count_left + c) + (goes_left & w);
    const V count_r = load(count_right + c) + (goes_right & w);
    store(count_left + c, count_l);
    store(count_right + c, count_r);
    largest_left = most(largest_left, count_l);
    largest_right = most(largest_right, count_r);
  }
  store(left.correct + first, best_left);
  store(right.correct + first, best_right);
}

// Each value predicts the better of two classes: the best pair of classes for all values.
template <typename T, typename Root>
MIXEDWOOD_INLINE void many_class_values_of(const Items<T>& items, const Root& root,
                                           std::size_t first, int n_classes, Scratch<T>& scratch,
                                           Side<T>& left, Side<T>& right) {
  using V = Lanes<T>;
  const std::size_t k = static_cast<std::size_t>(n_classes);
  T* count_left = scratch.count_left.data();
  T* count_right = scratch.count_right.data();
  T* of_pair_left = scratch.pair_left.data();
  T* of_pair_right = scratch.pair_right.data();
  for (std::size_t c = 0; c < k * kLanes; ++c) count_left[c] = count_right[c] = 0;
  for (std::size_t c = 0; c < k * k * kLanes; ++c) of_pair_left[c] = of_pair_right[c] = 0;
  const auto add = [](T* to, const V& v) MIXEDWOOD_INLINED { store(to, load(to) + v); };
  V goes_left, goes_right;
  for (std::size_t i = 0; i < items.size(); ++i) {
    root.sides(items.key[i], goes_left, goes_right);
    const V w = all(items.weight[i]);
    const std::size_t c = items.cls[i] * kLanes;
    add(count_left + c, goes_left & w);
    add(count_right + c, goes_right & w);
    if (!items.last[i]) continue;
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = a + 1; b < k; ++b) {
        const std::size_t pair = (a * k + b) * kLanes, x = a * kLanes, y = b * kLanes;
        add(of_pair_left + pair, most(load(count_left + x), load(count_left + y)));
        add(of_pair_right + pair, most(load(count_right + x), load(count_right + y)));
      }
    for (std::size_t a = 0; a < k * kLanes; ++a) count_left[a] = count_right[a] = 0;
  }
  for (std::size_t pair = 0; pair < k * k * kLanes; pair += kLanes) {
    const V pair_left = load(of_pair_left + pair);
    const V pair_right = load(of_pair_right + pair);
    store(left.correct + first, most(load(left.correct + first), pair_left));
    store(right.correct + first, most(load(right.correct + first), pair_right));
  }
}

template <typename T>
struct Kernels {
  // Runs a kernel for as many lanes as fit into a register, until all have had their turn.
  template <typename Kernel>
  MIXEDWOOD_INLINE static void in_turn(const Roots<T>& roots, const Kernel& kernel) {
    for (std::size_t first = 0; first < kLanes; first += kWidth<T>) {
      if (roots.subsets)
        kernel(BySubset<T>(roots, first), first);
      else
        kernel(ByThreshold<T>(roots, first), first);
    }
  }
  static void two_class_thresholds(const Items<T>& items, const Roots<T>& roots, Side<T>& left,
                                   Side<T>& right) {
    in_turn(roots, [&](const auto& root, std::size_t first) MIXEDWOOD_INLINED {
      two_class_thresholds_of<T>(items, root, first, left, right);
    });
  }
  static void two_class_values(const Items<T>& items, const Roots<T>& roots, Side<T>& left,
                               Side<T>& right) {
    in_turn(roots, [&](const auto& root, std::size_t first) MIXEDWOOD_INLINED {
      two_class_values_of<T>(items, root, first, left, right);
    });
  }
  static void many_class_thresholds(const Items<T>& items, const Roots<T>& roots, int n_classes,
                                    Scratch<T>& scratch, Side<T>& left, Side<T>& right) {
    in_turn(roots, [&](const auto& root, std::size_t first) MIXEDWOOD_INLINED {
      many_class_thresholds_of<T>(items, root, first, n_classes, scratch, left, right);
    });
  }
  static void many_class_values(const Items<T>& items, const Roots<T>& roots, int n_classes,
                                Scratch<T>& scratch, Side<T>& left, Side<T>& right) {
    in_turn(roots, [&](const auto& root, std::size_t first) MIXEDWOOD_INLINED {
      many_class_values_of<T>(items, root, first, n_classes, scratch, left, right);
    });
  }
};

template <typename T>
constexpr KernelTable<T> table() {
  return {&Kernels<T>::two_class_thresholds, &Kernels<T>::two_class_values,
          &Kernels<T>::many_class_thresholds, &Kernels<T>::many_class_values};
}

}  // namespace
}  // namespace mixedwood::optimal::all_splits
