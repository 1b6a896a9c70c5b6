#include "validation_folds.hpp"

#include <algorithm>
#include <cstddef>

#include "mixedwood/random.hpp"

namespace mixedwood {
namespace {

constexpr std::size_t kFewest = 10;  // rows

}  // namespace

ValidationFolds assign_folds(const NodeRows& node, std::int32_t n_folds, std::int64_t most_rows,
                        std::uint64_t seed) {
  ValidationFolds parts;
  const std::size_t n = node.size();
  if (n < kFewest) return parts;
  struct Keyed {
    std::int32_t cls;
    std::uint64_t key;
    std::int32_t position;
  };
  std::vector<Keyed> keyed(n);
  for (std::size_t i = 0; i < n; ++i)
    keyed[i] = {node.classes[i], Random(seed, static_cast<std::uint64_t>(node.rows[i])).bits(),
                static_cast<std::int32_t>(i)};
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.cls != b.cls ? a.cls < b.cls : a.key != b.key ? a.key < b.key : a.position < b.position;
  });
  // Every n-th row of this order gives a sample that has the classes in proportion.
  const double stride = std::max(1.0, static_cast<double>(n) / static_cast<double>(most_rows));
  const std::int32_t every = n_folds == 1 ? 3 : n_folds;
  double next = 0.0;
  std::int32_t turn = -1;
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<double>(i) < next) continue;
    next += stride;
    const bool copy =
        i > 0 && keyed[i].key == keyed[i - 1].key && keyed[i].cls == keyed[i - 1].cls;
    if (!copy) turn = (turn + 1) % every;
    parts.sample.push_back(keyed[i].position);
    parts.part.push_back(n_folds == 1 ? (turn == 0 ? 0 : -1) : turn);
  }
  parts.n_parts = n_folds;
  return parts;
}

}  // namespace mixedwood
