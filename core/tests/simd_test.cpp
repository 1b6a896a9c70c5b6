#include <cstdint>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "simd/kernels.hpp"

using namespace mixedwood;

namespace {

// What the kernels of many classes find at one level, on the same random items.
template <typename T>
std::vector<T> answers_of_many_classes(simd::Level level) {
  using namespace optimal::all_splits;
  const KernelTable<T>& kernel = simd::kernels(level).splits<T>();
  Random random(17);
  std::vector<T> results;
  Scratch<T> scratch;
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 1 + random.below(60), n_keys = 1 + random.below(20);
    const auto n_classes = 3 + random.below(4);
    std::vector<T> key(n), weight(n);
    std::vector<std::uint8_t> last(n);
    std::vector<std::uint16_t> cls(n);
    for (std::size_t i = 0; i < n; ++i) {
      key[i] = static_cast<T>(random.below(n_keys));
      weight[i] = static_cast<T>(random.below(9));
      cls[i] = static_cast<std::uint16_t>(random.below(n_classes));
      last[i] = i + 1 == n || random.coin();
    }
    const Items<T> items{key.data(), weight.data(), last.data(), cls.data(), n};
    Roots<T> roots;
    roots.subsets = random.coin();
    for (T& cut : roots.cut) cut = static_cast<T>(random.below(n_keys + 2));
    for (std::size_t i = 0; i < n_keys * kLanes; ++i) {
      const std::size_t side = random.below(3);
      roots.left.push_back(static_cast<T>(side == 0 ? -1 : 0));
      roots.right.push_back(static_cast<T>(side == 1 ? -1 : 0));
    }
    Side<T> left, right;
    scratch.prepare_thresholds(items, n_classes);
    kernel.many_class_thresholds(items, roots, static_cast<int>(n_classes), scratch, left, right);
    scratch.prepare_values(n_classes);
    kernel.many_class_values(items, roots, static_cast<int>(n_classes), scratch, left, right);
    for (const Side<T>& side : {left, right})
      results.insert(results.end(), side.correct, side.correct + kLanes);
  }
  return results;
}

template <typename T>
void compare_levels() {
  const auto scalar = answers_of_many_classes<T>(simd::Level::kScalar);
  CHECK(answers_of_many_classes<T>(simd::Level::kVector) == scalar);
  CHECK(answers_of_many_classes<T>(simd::Level::kAvx2) == scalar);
}

}  // namespace

TEST(all_instruction_sets_count_many_classes_alike) {
  compare_levels<std::int16_t>();
  compare_levels<std::int32_t>();
  compare_levels<std::int64_t>();
}

TEST(a_lower_level_is_given_when_asked_for) {
  CHECK(&simd::kernels(simd::Level::kScalar) == &simd::kScalarKernels);
  CHECK(&simd::kernels() == &simd::kernels(simd::best()));
}
