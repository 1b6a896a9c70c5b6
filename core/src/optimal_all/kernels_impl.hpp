// Bodies of the kernels. Included once for each kind of processor, each time inside a namespace of
// its own and with the compiler told of the processor: hence no guard, and nothing that is shared.
// MIXEDWOOD_BYTES is the width of a register; lanes that do not fit into one wait for their turn.


#if defined(__GNUC__)
#define MIXEDWOOD_INLINE inline __attribute__((always_inline))
#define MIXEDWOOD_INLINED __attribute__((always_inline))

template <typename T>
inline constexpr std::size_t kWidth = MIXEDWOOD_BYTES / sizeof(T);

template <typename T>
struct LanesOf {
  typedef T type __attribute__((vector_size(MIXEDWOOD_BYTES)));
};
template <typename T>
using Lanes = typename LanesOf<T>::type;

template <typename T>
MIXEDWOOD_INLINE Lanes<T> load(const T* from) {
  Lanes<T> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <typename T>
MIXEDWOOD_INLINE void store(T* to, const Lanes<T>& v) {
  __builtin_memcpy(to, &v, sizeof v);
}
template <typename T>
MIXEDWOOD_INLINE Lanes<T> all(T x) {
  if constexpr (kWidth<T> == 16)
    return Lanes<T>{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
  else if constexpr (kWidth<T> == 8)
    return Lanes<T>{x, x, x, x, x, x, x, x};
  else if constexpr (kWidth<T> == 4)
    return Lanes<T>{x, x, x, x};
  else
    return Lanes<T>{x, x};
}
template <typename V>
MIXEDWOOD_INLINE V least(const V& a, const V& b) {
  return a < b ? a : b;
}
template <typename V>
MIXEDWOOD_INLINE V most(const V& a, const V& b) {
  return a > b ? a : b;
}
// All bits set where a < b.
template <typename V>
MIXEDWOOD_INLINE V below(const V& a, const V& b) {
  return (V)(a < b);
}
#else
#define MIXEDWOOD_INLINE inline
#define MIXEDWOOD_INLINED

template <typename T>
inline constexpr std::size_t kWidth = kLanes;

template <typename T>
struct Lanes {
  T lane[kLanes] = {};
  template <typename F>
  static Lanes each(F&& f) {
    Lanes r;
    for (std::size_t i = 0; i < kLanes; ++i) r.lane[i] = static_cast<T>(f(i));
    return r;
  }
  T& operator[](std::size_t i) { return lane[i]; }
  T operator[](std::size_t i) const { return lane[i]; }
  Lanes operator+(const Lanes& b) const {
    return each([&](std::size_t i) { return lane[i] + b.lane[i]; });
  }
  Lanes operator-(const Lanes& b) const {
    return each([&](std::size_t i) { return lane[i] - b.lane[i]; });
  }
  Lanes operator-() const {
    return each([&](std::size_t i) { return -lane[i]; });
  }
  Lanes operator&(const Lanes& b) const {
    return each([&](std::size_t i) { return lane[i] & b.lane[i]; });
  }
  Lanes operator~() const {
    return each([&](std::size_t i) { return ~lane[i]; });
  }
  Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
};
template <typename T>
Lanes<T> load(const T* from) {
  return Lanes<T>::each([&](std::size_t i) { return from[i]; });
}
template <typename T>
void store(T* to, const Lanes<T>& v) {
  for (std::size_t i = 0; i < kLanes; ++i) to[i] = v[i];
}
template <typename T>
Lanes<T> all(T x) {
  return Lanes<T>::each([&](std::size_t) { return x; });
}
template <typename T>
Lanes<T> least(const Lanes<T>& a, const Lanes<T>& b) {
  return Lanes<T>::each([&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
}
template <typename T>
Lanes<T> most(const Lanes<T>& a, const Lanes<T>& b) {
  return Lanes<T>::each([&](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
}
template <typename T>
Lanes<T> below(const Lanes<T>& a, const Lanes<T>& b) {
  return Lanes<T>::each([&](std::size_t i) { return a[i] < b[i] ? -1 : 0; });
}
#endif

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
  std::size_t n_values = 0;
  for (std::size_t i = 0; i < n; ++i) n_values += items.last[i];
  scratch.up_left.resize(n_values * kLanes);
  scratch.up_right.resize(n_values * kLanes);
  T* up_left = scratch.up_left.data();
  T* up_right = scratch.up_right.data();
  scratch.count_left.assign(k * kLanes, 0);
  scratch.count_right.assign(k * kLanes, 0);
  T* count_left = scratch.count_left.data();
  T* count_right = scratch.count_right.data();
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
  V best_left = load(left.right_answers + first), best_right = load(right.right_answers + first);
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
  store(left.right_answers + first, best_left);
  store(right.right_answers + first, best_right);
}

// Each value answers with the better of two classes: the best pair of classes for all values.
template <typename T, typename Root>
MIXEDWOOD_INLINE void many_class_values_of(const Items<T>& items, const Root& root,
                                           std::size_t first, int n_classes, Scratch<T>& scratch,
                                           Side<T>& left, Side<T>& right) {
  using V = Lanes<T>;
  const std::size_t k = static_cast<std::size_t>(n_classes);
  scratch.count_left.assign(k * kLanes, 0);
  scratch.count_right.assign(k * kLanes, 0);
  scratch.pair_left.assign(k * k * kLanes, 0);
  scratch.pair_right.assign(k * k * kLanes, 0);
  T* count_left = scratch.count_left.data();
  T* count_right = scratch.count_right.data();
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
        add(scratch.pair_left.data() + pair, most(load(count_left + x), load(count_left + y)));
        add(scratch.pair_right.data() + pair, most(load(count_right + x), load(count_right + y)));
      }
    for (std::size_t a = 0; a < k * kLanes; ++a) count_left[a] = count_right[a] = 0;
  }
  for (std::size_t pair = 0; pair < k * k * kLanes; pair += kLanes) {
    const V pair_left = load(scratch.pair_left.data() + pair);
    const V pair_right = load(scratch.pair_right.data() + pair);
    store(left.right_answers + first, most(load(left.right_answers + first), pair_left));
    store(right.right_answers + first, most(load(right.right_answers + first), pair_right));
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

#undef MIXEDWOOD_INLINE
#undef MIXEDWOOD_INLINED
