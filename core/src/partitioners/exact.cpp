// The best of all two-way partitions.
//
// A convex criterion has a best partition that a hyperplane cuts out of the values' class
// probabilities (Chou 1991; Burshtein et al. 1992): the class weights of the left side range over
// a zonotope, and a convex function is largest at a vertex. So values with equal probabilities
// stay together, two classes need one scan, and three classes need only the lines of a plane:
// O(values^2 log values) instead of 2^values. Everything else goes through all partitions in
// Gray-code order, one move each.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "mixedwood/registry.hpp"
#include "scan.hpp"
#include "merged_values.hpp"

namespace mixedwood::partitioners {
namespace {

constexpr int kMostValues = 32;  // 2^31 partitions: about a minute

std::string power_of_two_text(int n) {
  const double log10 = n * std::log10(2.0);
  return "about 10^" + std::to_string(static_cast<int>(log10));
}

// Every partition once: value 0 stays on the left.
void try_all(Scorer& scorer, Stop& stop, Grouping& best) {
  const int n = scorer.n_values();
  if (n > kMostValues) {
    throw std::invalid_argument(
        "exact search would try " + power_of_two_text(n - 1) + " partitions of " +
        std::to_string(n) + " values; it is limited to " + std::to_string(kMostValues) +
        " values (of different class proportions), except for two and three classes with "
        "'gini', 'entropy' or 'twoing'. Use partitioner='auto'.");
  }
  scorer.assign_all(0);
  const std::uint64_t n_partitions = (std::uint64_t{1} << (n - 1)) - 1;
  std::uint64_t best_code = 0;
  for (std::uint64_t t = 1; t <= n_partitions; ++t) {
    scorer.move(1 + std::countr_zero(t));
    const double score = scorer.score_above(best.score);
    if (score > best.score) {
      best.score = score;
      best_code = t ^ (t >> 1);
    }
    if ((t & 0xfff) == 0) {
      const Sides sides = scorer.sides();
      scorer.assign(sides);  // real weights: do not let rounding pile up
    }
    if (stop.requested()) {
      best.complete = false;
      break;
    }
  }
  best.sides.assign(static_cast<std::size_t>(n), 0);
  for (int v = 1; v < n; ++v)
    best.sides[at(v)] = static_cast<std::uint8_t>((best_code >> (v - 1)) & 1);
}

// All partitions of points of the plane by a line. Any such partition has a line through one of
// its left points with every other point strictly on its own side, or on the line and then on
// one ray from the point. So: turn a line around each point, the point itself on the left, and
// let the others change sides one by one as the line meets them.
void try_all_lines(const CountTable& table, Scorer& scorer, Stop& stop, Grouping& best) {
  const auto n = static_cast<std::size_t>(table.n_values());
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = table(static_cast<int>(i), 0) / table.row_totals()[i];
    y[i] = table(static_cast<int>(i), 1) / table.row_totals()[i];
  }
  std::vector<std::pair<double, int>> events;
  Sides sides(n);
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    events.clear();
    for (std::size_t j = 0; j < n; ++j) {
      if (j == pivot) continue;
      double angle = std::atan2(y[j] - y[pivot], x[j] - x[pivot]);
      const bool upper = angle >= 0.0 && angle < std::numbers::pi;
      if (!upper) angle += angle < 0.0 ? std::numbers::pi : -std::numbers::pi;
      events.emplace_back(angle, static_cast<int>(j));
      sides[j] = upper ? 0 : 1;
    }
    sides[pivot] = 0;
    std::sort(events.begin(), events.end());
    scorer.assign(sides);
    for (std::size_t e = 0;; ++e) {
      if (scorer.n_left() < scorer.n_values())
        best.offer(scorer.score_above(best.score), scorer.sides());
      if (stop.requested()) {
        best.complete = false;
        return;
      }
      if (e == events.size()) break;
      scorer.move(events[e].second);
    }
  }
}

class Exact final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    const CriterionTraits criterion_traits = problem.criterion.traits();
    Grouping best;
    if (!criterion_traits.convex) {
      const auto scorer = problem.scorer();
      try_all(*scorer, problem.stop, best);
      best.exact = best.complete;
      return best;
    }
    const auto groups = merged_values(problem.table, 0.0, problem.stop);
    if (groups.size() < 2) {
      // Equal class proportions everywhere: all partitions gain nothing.
      best.sides.assign(static_cast<std::size_t>(problem.table.n_values()), 1);
      best.sides[0] = 0;
      const auto scorer = problem.scorer();
      scorer->assign(best.sides);
      best.score = scorer->score();
      best.exact = true;
      return best;
    }
    const CountTable merged = merge_values(problem.table, groups);
    const auto scorer = make_group_scorer(merged, problem.criterion);
    if (merged.n_classes() <= 2) {
      const int last = merged.n_classes() - 1;
      const auto in_class = superclass_weights(merged, {&last, 1});
      scan_prefixes(order_by(proportions(merged, in_class)), *scorer, problem.stop, best);
    } else if (merged.n_classes() == 3 && merged.n_values() > 10) {
      try_all_lines(merged, *scorer, problem.stop, best);
    } else {
      try_all(*scorer, problem.stop, best);
    }
    best.exact = best.complete;
    if (!best.found()) return best;
    Sides sides(static_cast<std::size_t>(problem.table.n_values()));
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (int value : groups[g]) sides[at(value)] = best.sides[g];
    best.sides = std::move(sides);
    return best;
  }
};

}  // namespace

std::unique_ptr<Partitioner> make_exact(const Options& /*options*/) {
  return std::make_unique<Exact>();
}

}  // namespace mixedwood::partitioners
