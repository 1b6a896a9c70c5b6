// One grouping of the classes into two superclasses, one order, one scan.
//
// largest_alone: the most frequent class against all others. list_scheduling: classes assigned to
// two sides, largest first, each to the lighter side. The ratios of docs/explanation/guarantees.md
// are about the prefix chosen by the impurity of the two superclasses; choosing it by the
// criterion over all classes costs the same and is never worse, so that is the default.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mixedwood/registry.hpp"
#include "scan.hpp"

namespace mixedwood::partitioners {
namespace {

std::vector<int> largest_class(const CountTable& table) {
  const auto totals = table.class_totals();
  return {static_cast<int>(std::max_element(totals.begin(), totals.end()) - totals.begin())};
}

std::vector<int> balanced_classes(const CountTable& table) {
  const auto totals = table.class_totals();
  std::vector<int> by_size(totals.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) {
    return totals[at(a)] > totals[at(b)];
  });
  std::vector<int> side_a;
  double load_a = 0.0, load_b = 0.0;
  for (int cls : by_size) {
    const double size = totals[at(cls)];
    if (side_a.empty() || load_a < load_b) {
      side_a.push_back(cls);
      load_a += size;
    } else {
      load_b += size;
    }
  }
  std::sort(side_a.begin(), side_a.end());
  return side_a;
}

class OneSuperclass final : public Partitioner {
 public:
  using Choose = std::vector<int> (*)(const CountTable&);
  OneSuperclass(Choose select, bool by_superclasses)
      : choose_(select), by_superclasses_(by_superclasses) {}

  Grouping search(const SplitProblem& problem) const override {
    const CountTable& table = problem.table;
    const CriterionTraits criterion_traits = problem.criterion.traits();
    Grouping best;
    best.superclass = choose_(table);
    const auto in_class = superclass_weights(table, best.superclass);
    const Order order = order_by(proportions(table, in_class));
    const auto scorer = problem.scorer();
    if (by_superclasses_) {
      const auto [_, length] =
          scan_two_classes(order, in_class, table.row_totals(), criterion_traits.impurity);
      offer_prefix(order, length, *scorer, best);
    } else {
      scan_prefixes(order, *scorer, problem.stop, best);
      // With two classes this is the order by P(class 1).
      best.exact = best.complete && criterion_traits.convex && table.n_classes() <= 2;
    }
    return best;
  }

 private:
  Choose choose_;
  bool by_superclasses_;
};

}  // namespace

std::unique_ptr<Partitioner> make_largest_alone(const Options& options) {
  return std::make_unique<OneSuperclass>(largest_class, options.is("scored_by", "superclasses"));
}
std::unique_ptr<Partitioner> make_list_scheduling(const Options& options) {
  return std::make_unique<OneSuperclass>(balanced_classes, options.is("scored_by", "superclasses"));
}

}  // namespace mixedwood::partitioners
