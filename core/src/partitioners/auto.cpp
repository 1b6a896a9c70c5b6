// The best search that is exact, or nearly, at an affordable cost. The rule, with n values and
// k classes present (benchmarks/auto_rule.py shows what it gives and costs):
//
//   1. exact, when it takes at most 2^15 scores: for gini, entropy and twoing any n with k = 2 and
//      n <= 181 with k = 3; else n <= 16 (10 for criteria written in Python);
//   2. for the Twoing criterion and k <= 9: `twoing`, which is exact;
//   3. otherwise `refined`: the best of principal_ext, list_scheduling, one_vs_rest and
//      hypercube_cover (all superclasses, single classes or only the largest, whichever takes at
//      most 2^15 scores), each improved by single moves;
//   4. for cuts (squared_gini, chi2), the better of that and max_cut, up to 2000 values.
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "affordable.hpp"
#include "mixedwood/registry.hpp"

namespace mixedwood::partitioners {
namespace {

constexpr int kFewValues = 16;
constexpr int kFewValuesInPython = 10;
constexpr int kFewClasses = 9;
constexpr int kMostCutValues = 2000;

class Auto final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    Grouping best;
    for (const Part* part : select(problem)) {
      if (part == nullptr) break;
      try {
        Grouping found = part->partitioner->search(problem);
        const bool complete = best.complete && found.complete;
        if (found.found() && (!best.found() || found.score > best.score)) {
          best = std::move(found);
          best.partitioner = part->name;
        }
        best.complete = complete;
      } catch (const Stopped&) {
        if (!best.found()) throw;
        best.complete = false;
      }
      if (!best.complete) break;
    }
    return best;
  }

 private:
  // Made once: a forest asks for millions of small searches.
  struct Part {
    explicit Part(const char* known_as) : name(known_as), partitioner(make_partitioner(known_as)) {}
    const char* name;
    std::unique_ptr<Partitioner> partitioner;
  };

  std::array<const Part*, 2> select(const SplitProblem& problem) const {
    const CriterionTraits criterion_traits = problem.criterion.traits();
    const std::int64_t n = problem.table.n_values();
    const int k = problem.table.n_classes();
    if (problem.ordered) return {&natural_order_};
    if (criterion_traits.convex && (k <= 2 || (k == 3 && n * n <= kAffordableScores)))
      return {&exact_};
    if (n <= (criterion_traits.may_rescale ? kFewValues : kFewValuesInPython)) return {&exact_};
    if (criterion_traits.superclass_maximum && k <= kFewClasses) return {&twoing_};
    if (criterion_traits.cut_weight && n <= kMostCutValues) return {&refined_, &max_cut_};
    return {&refined_};
  }

  Part natural_order_{"natural_order"}, exact_{"exact"}, twoing_{"twoing"}, refined_{"refined"},
      max_cut_{"max_cut"};
};

}  // namespace

std::unique_ptr<Partitioner> make_auto(const Options& /*options*/) {
  return std::make_unique<Auto>();
}

}  // namespace mixedwood::partitioners
