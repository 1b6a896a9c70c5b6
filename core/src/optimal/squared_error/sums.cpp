#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace mixedwood::optimal::squared_error {
namespace {

constexpr double kMostExact = 9007199254740992.0;  // 2^53
constexpr std::size_t kMostSteps = std::size_t{1} << 21;  // rows times leaves of a division

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

void check(const NumberSamples& samples, std::size_t n_rows, const Objective& objective) {
  require(n_rows <= to_size(std::numeric_limits<std::int32_t>::max()),
          "tables with more than 2^31 - 1 rows are not supported");
  require(samples.weights.size() == n_rows && samples.sums.size() == n_rows,
          "each row needs one weight and one sum");
  require(objective.min_samples_leaf >= 1, "min_samples_leaf must be at least 1");
  require(objective.error_penalty == 1, "error_penalty must be 1");
  require(objective.leaf_penalty >= 0 && objective.leaf_penalty <= kMaxWeight,
          "leaf_penalty must be in the range [0, 2^56]");
  int exponent = 0;
  require(samples.ticks > 0 && std::frexp(samples.ticks, &exponent) == 0.5 && exponent > -900 &&
              exponent < 900,
          "ticks must be a power of two");
  double weight = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double w = samples.weights[i], s = samples.sums[i];
    require(w >= 0 && w <= kMostExact && std::floor(w) == w, "weights must be whole numbers");
    require(std::abs(s) <= kMostExact && std::floor(s) == s && (w > 0 || s == 0),
            "sums must be whole numbers, 0 without weight");
    weight += w;
    sum += std::abs(s);
    squares += gain_of(w, s) * samples.ticks;
  }
  require(weight <= kMostExact / 2 && sum <= kMostExact / 2,
          "weights and sums must add up to at most 2^52");
  require(squares <= static_cast<double>(kMaxWeight), "squares must add up to at most 2^56 ticks");
}

std::vector<Sums> sums_of_rows(const NumberSamples& samples) {
  std::vector<Sums> rows(samples.weights.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(samples.weights[i] > 0)) continue;
    rows[i] = {samples.weights[i], samples.sums[i], 1.0, 0, 0};
    // Never less than gains that were rounded up, so that no tree costs less than 0.
    const Cost squares = to_ticks(rows[i].gain(), samples.ticks);
    rows[i].squares = squares + (squares >> 50) + 1;
  }
  return rows;
}

Cost division_bound(std::span<const Sums> rows, std::int64_t max_leaves, Cost leaf_penalty,
                    double ticks, std::size_t n_rounded) {
  const std::size_t n = rows.size();
  if (n == 0) return leaf_penalty;
  const auto n_divided =
      std::min(max_leaves, static_cast<std::int64_t>(std::min(n, kMostSteps / n)));
  std::vector<Sums> before(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    before[i + 1] = before[i];
    before[i + 1].add(rows[i]);
  }
  const auto gain = [&](std::size_t from, std::size_t to) {
    return gain_of(before[to].weight - before[from].weight, before[to].sum - before[from].sum);
  };
  const auto cost = [&](double most, std::int64_t n_leaves) {
    // Rounding may choose a cut that is not the best, at every level of the bisection.
    const Cost slack = rounding(n_rounded) + 4096 * n_leaves;
    return std::max<Cost>(0, before[n].squares - to_ticks(most, ticks) - slack) +
           n_leaves * leaf_penalty;
  };
  // The largest gain of the first i rows in so many leaves; the best last cut never moves back.
  std::vector<double> best(n + 1, 0.0), next(n + 1);
  for (std::size_t i = 1; i <= n; ++i) best[i] = gain(0, i);
  Cost least = n_divided < 1 ? leaf_penalty : cost(best[n], 1);
  struct Span {
    std::size_t from, to, first, last;
  };
  std::vector<Span> open;
  for (std::int64_t leaves = 2; leaves <= n_divided; ++leaves) {
    next = best;
    open.push_back({1, n + 1, 0, n});
    while (!open.empty()) {
      const Span at = open.back();
      open.pop_back();
      if (at.from >= at.to) continue;
      const std::size_t middle = (at.from + at.to) / 2;
      std::size_t cut = std::min(at.first, middle);
      double most = -1.0;
      for (std::size_t j = at.first; j <= std::min(at.last, middle); ++j)
        if (const double all = best[j] + gain(j, middle); all > most) most = all, cut = j;
      next[middle] = std::max(next[middle], most);
      open.push_back({at.from, middle, at.first, cut});
      open.push_back({middle + 1, at.to, cut, at.last});
    }
    best.swap(next);
    least = std::min(least, cost(best[n], leaves));
  }
  // More leaves than were tried may cost nothing but their penalties.
  if (n_divided < max_leaves) least = std::min(least, (n_divided + 1) * leaf_penalty);
  return least;
}

}  // namespace mixedwood::optimal::squared_error
