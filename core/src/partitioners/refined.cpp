// Several approximate searches, each improved by moving single values while the score rises.
//
// Minimising the impurity of two groups is two-means clustering of the values' class proportions; this
// is Hartigan's method for it, and works for every criterion. Starts: principal_ext,
// list_scheduling, one_vs_rest (which gain_ratio likes), and hypercube_cover, with all superclasses
// or with single classes, as far as that is affordable, else largest_alone. The result is never
// worse than theirs. O(values * classes) per pass; a few passes per start.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "affordable.hpp"
#include "mixedwood/registry.hpp"

namespace mixedwood::partitioners {
namespace {

constexpr int kMostPasses = 100;

// First improvement, values in order, until a whole pass changes nothing.
void move_while_better(Scorer& scorer, Grouping& found, Stop& stop) {
  scorer.assign(found.sides);
  double current = scorer.score();
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool moved = false;
    for (int v = 0; v < scorer.n_values(); ++v) {
      const bool on_left = scorer.sides()[at(v)] == 0;
      const int on_its_side = on_left ? scorer.n_left() : scorer.n_values() - scorer.n_left();
      if (on_its_side == 1) continue;
      // Smaller gains are rounding and could go round in circles.
      const double least = current + 1e-12 * std::abs(current);
      const double score = scorer.score_if_moved_above(v, least);
      if (score > least) {
        scorer.move(v);
        current = score;
        moved = true;
      }
      if (stop.requested(2)) {
        found.complete = false;
        break;
      }
    }
    if (!moved || !found.complete) break;
  }
  if (current > found.score) {
    found.sides = scorer.sides();
    found.score = current;
    found.superclass.clear();
  }
}

class Refined final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    const auto scorer = problem.scorer();
    Grouping best;
    for (const Partitioner* start : starts(problem.table)) {
      Grouping found = start->search(problem);
      if (!found.found()) continue;
      if (found.exact) return found;
      if (found.complete) move_while_better(*scorer, found, problem.stop);
      const bool complete = best.complete && found.complete;
      if (found.score > best.score) best = std::move(found);
      best.complete = complete;
      if (!complete) break;
    }
    return best;
  }

 private:
  std::array<const Partitioner*, 4> starts(const CountTable& table) const {
    const std::int64_t n = table.n_values(), k = table.n_classes();
    const Partitioner* last = largest_alone_.get();
    if (k <= 15 && (n << (k - 1)) <= kAffordableScores)
      last = all_superclasses_.get();
    else if (n * k <= kAffordableScores)
      last = single_classes_.get();
    return {principal_.get(), list_scheduling_.get(), one_vs_rest_.get(), last};
  }

  std::unique_ptr<Partitioner> principal_ = make_partitioner("principal_ext"),
                               list_scheduling_ = make_partitioner("list_scheduling"),
                               one_vs_rest_ = make_partitioner("one_vs_rest"),
                               all_superclasses_ = make_partitioner("hypercube_cover"),
                               single_classes_ =
                                   make_partitioner("hypercube_cover", {{"superclasses", "single"}}),
                               largest_alone_ = make_partitioner("largest_alone");
};

}  // namespace

std::unique_ptr<Partitioner> make_refined(const Options& /*options*/) {
  return std::make_unique<Refined>();
}

}  // namespace mixedwood::partitioners
