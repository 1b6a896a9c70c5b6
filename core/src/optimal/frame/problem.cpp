#include "problem.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "../../hash.hpp"

namespace mixedwood::optimal {
namespace {

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

const char* name_of(ProofStatus status) {
  switch (status) {
    case ProofStatus::kOptimal: return "optimal";
    case ProofStatus::kInfeasible: return "infeasible";
    case ProofStatus::kTimeLimit: return "time_limit";
    case ProofStatus::kWorkLimit: return "work_limit";
    case ProofStatus::kMemoryLimit: return "memory_limit";
    case ProofStatus::kInterrupted: return "interrupted";
  }
  return "";
}

ProofStatus status_of(const Stop& stop) {
  if (stop.interrupted()) return ProofStatus::kInterrupted;
  return stop.out_of_work() ? ProofStatus::kWorkLimit : ProofStatus::kTimeLimit;
}

void check(const Samples& samples, std::size_t n_rows, const Objective& objective) {
  require(samples.n_classes >= 1, "n_classes must be at least 1");
  require(n_rows <= to_size(std::numeric_limits<std::int32_t>::max()),
          "tables with more than 2^31 - 1 rows are not supported");
  require(samples.classes.size() == n_rows, "each row needs one class");
  require(samples.weights.empty() || samples.weights.size() == n_rows, "each row needs one weight");
  for (const std::int32_t c : samples.classes)
    require(c >= 0 && c < samples.n_classes, "a class is not below n_classes");
  require(objective.min_samples_leaf >= 1, "min_samples_leaf must be at least 1");
  require(objective.leaf_penalty >= 0 && objective.leaf_penalty <= kMaxWeight,
          "leaf_penalty must be in the range [0, 2^56]");
  require(objective.error_penalty >= 1 && objective.error_penalty <= Cost{1} << 24,
          "error_penalty must be in the range [1, 2^24]");
  require(samples.class_weights.empty() ||
              (samples.weights.empty() &&
               samples.class_weights.size() == n_rows * to_size(samples.n_classes)),
          "each row needs one weight for each class");
  Cost total = samples.weights.empty() && samples.class_weights.empty() ? static_cast<Cost>(n_rows) : 0;
  for (const auto& weights : {samples.weights, samples.class_weights})
    for (const std::int64_t w : weights) {
      require(w >= 0, "weights must not be negative");
      total += std::min(w, kMaxWeight + 1 - total);
    }
  require(total <= kMaxWeight / objective.error_penalty,
          "weights are too large: times the penalty of an error they must add up to at most 2^56");
}

void check(const SearchLimits& limits) {
  require(limits.max_depth >= 0, "max_depth must not be negative");
  require(limits.max_leaf_nodes.value_or(1) >= 1, "max_leaf_nodes must be at least 1");
}

std::vector<Cost> unavoidable_errors(const std::vector<std::span<const std::int32_t>>& columns,
                                     const Samples& samples) {
  const std::size_t n = samples.classes.size();
  // Rows sorted by a hash of their values, then by the values: equal rows become neighbors.
  std::vector<std::uint64_t> hash(n, 0);
  for (const auto& column : columns)
    for (std::size_t i = 0; i < n; ++i)
      hash[i] = hash_with(hash[i], static_cast<std::uint64_t>(column[i]));
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto compare = [&](std::int32_t a, std::int32_t b) {
    const std::size_t i = to_size(a), j = to_size(b);
    if (hash[i] != hash[j]) return hash[i] < hash[j] ? -1 : 1;
    for (const auto& column : columns)
      if (column[i] != column[j]) return column[i] < column[j] ? -1 : 1;
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const int c = compare(a, b);
    return c != 0 ? c < 0 : a < b;
  });
  const std::size_t k = to_size(samples.n_classes);
  const auto weight = [&](std::size_t row, std::size_t cls) {
    if (!samples.class_weights.empty()) return samples.class_weights[row * k + cls];
    if (samples.classes[row] != static_cast<std::int32_t>(cls)) return Cost{0};
    return samples.weights.empty() ? Cost{1} : samples.weights[row];
  };
  std::vector<Cost> errors(n, 0), sums(to_size(samples.n_classes));
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && compare(order[begin], order[end]) == 0) ++end;
    if (end - begin < 2 && samples.class_weights.empty()) continue;
    std::ranges::fill(sums, 0);
    const std::span equal(order.data() + begin, end - begin);
    for (const std::int32_t row : equal)
      for (std::size_t cls = 0; cls < k; ++cls) sums[cls] += weight(to_size(row), cls);
    const auto heaviest = to_size(std::ranges::max_element(sums) - sums.begin());
    for (const std::int32_t row : equal)
      for (std::size_t cls = 0; cls < k; ++cls)
        if (cls != heaviest) errors[to_size(row)] += weight(to_size(row), cls);
  }
  return errors;
}

}  // namespace mixedwood::optimal
