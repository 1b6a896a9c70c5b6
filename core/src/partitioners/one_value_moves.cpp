// Searches that move one value at a time.
//
// one_vs_rest: each value against all others. sliq (Mehta, Agrawal, Rissanen 1996): from all
// values on the left, move the value whose move is best, as long as the score rises. sliq_ext:
// go on until one value is left and return the best partition met. O(values^2 * classes).
#include <limits>
#include <vector>

#include "mixedwood/registry.hpp"
#include "scan.hpp"

namespace mixedwood::partitioners {
namespace {

class OneVsRest final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    const auto scorer = problem.scorer();
    scorer->assign_all(1);
    Grouping best;
    int best_value = -1;
    for (int v = 0; v < scorer->n_values() && best.complete; ++v) {
      const double score = scorer->score_if_moved_above(v, best.score);
      if (score > best.score) {
        best.score = score;
        best_value = v;
      }
      best.complete = !problem.stop.requested(problem.table.n_classes());
    }
    if (best_value < 0) return best;
    best.sides.assign(static_cast<std::size_t>(scorer->n_values()), 1);
    best.sides[at(best_value)] = 0;
    best.exact = best.complete && scorer->n_values() <= 3;  // there are no other partitions
    return best;
  }
};

class Sliq final : public Partitioner {
 public:
  explicit Sliq(bool go_on) : go_on_(go_on) {}

  Grouping search(const SplitProblem& problem) const override {
    const auto scorer = problem.scorer();
    scorer->assign_all(0);
    std::vector<int> on_left(static_cast<std::size_t>(scorer->n_values()));
    for (std::size_t i = 0; i < on_left.size(); ++i) on_left[i] = static_cast<int>(i);
    Grouping best;
    std::vector<int> moved;
    std::size_t best_moves = 0;
    while (on_left.size() > 1 && best.complete) {
      double step = -std::numeric_limits<double>::infinity();
      std::size_t pick = 0;
      for (std::size_t i = 0; i < on_left.size() && best.complete; ++i) {
        const double score = scorer->score_if_moved_above(on_left[i], step);
        if (score > step) {
          step = score;
          pick = i;
        }
        best.complete = !problem.stop.requested(problem.table.n_classes());
      }
      if (!best.complete && best_moves > 0) break;
      const bool better = step > best.score;
      if (!better && !go_on_) break;
      scorer->move(on_left[pick]);
      moved.push_back(on_left[pick]);
      on_left.erase(on_left.begin() + static_cast<std::ptrdiff_t>(pick));
      if (better) {
        best.score = step;
        best_moves = moved.size();
      }
    }
    best.sides.assign(static_cast<std::size_t>(scorer->n_values()), 0);
    for (std::size_t i = 0; i < best_moves; ++i)
      best.sides[at(moved[i])] = 1;
    return best;
  }

 private:
  bool go_on_;
};

}  // namespace

std::unique_ptr<Partitioner> make_one_vs_rest(const Options& /*options*/) {
  return std::make_unique<OneVsRest>();
}
std::unique_ptr<Partitioner> make_sliq(const Options& /*options*/) {
  return std::make_unique<Sliq>(false);
}
std::unique_ptr<Partitioner> make_sliq_ext(const Options& /*options*/) {
  return std::make_unique<Sliq>(true);
}

}  // namespace mixedwood::partitioners
