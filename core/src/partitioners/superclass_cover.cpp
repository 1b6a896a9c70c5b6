// Every grouping of the classes into two superclasses gives an order of the values.
//
// twoing: each order's best prefix by the two-class Gini gain; the best of all maximises the
// Twoing criterion over all partitions. hypercube_cover: the same orders, each prefix scored by
// the criterion over all classes; nearly always the best partition for few classes.
// Cost: 2^(classes - 1) scans.
#include <cstdint>
#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "mixedwood/registry.hpp"
#include "scan.hpp"

namespace mixedwood::partitioners {
namespace {

constexpr int kMostClasses = 24;  // 8 million orders

void check_size(const char* name, int n_classes) {
  if (n_classes <= kMostClasses) return;
  throw std::invalid_argument(
      std::string("partitioner='") + name + "' goes through all groupings of the classes into " +
      "two superclasses, for at most " + std::to_string(kMostClasses) + " classes; " +
      std::to_string(n_classes) + " are present. Use partitioner='auto' or 'principal_ext'.");
}

// Calls `visit` with each superclass of size 1..largest (at most k/2), sizes ascending, sets in
// lexicographic order; of two complementary sets of size k/2 only the one with class 0. Stops when
// it returns false.
void for_each_superclass(int k, int largest,
                         const std::function<bool(std::span<const int>)>& visit) {
  for (int size = 1; size <= largest; ++size) {
    std::vector<int> set(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) set[at(i)] = i;
    while (true) {
      if (2 * size == k && set[0] != 0) break;  // from here on only complements
      if (!visit(set)) return;
      int i = size - 1;
      while (i >= 0 && set[at(i)] == k - size + i) --i;
      if (i < 0) break;
      ++set[at(i)];
      for (int j = i + 1; j < size; ++j)
        set[at(j)] = set[at(j - 1)] + 1;
    }
  }
}

// One or two classes leave one order, exact for convex criteria.
Grouping scan_only_order(const SplitProblem& problem) {
  Grouping best;
  best.superclass = {0};
  const auto scorer = problem.scorer();
  const auto keys = proportions(problem.table, superclass_weights(problem.table, best.superclass));
  scan_prefixes(order_by(keys), *scorer, problem.stop, best);
  best.exact = best.complete && problem.criterion.traits().convex;
  return best;
}

class Twoing final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    const CountTable& table = problem.table;
    check_size("twoing", table.n_classes());
    if (table.n_classes() <= 2) return scan_only_order(problem);
    double best_gain = -1.0;
    Order best_order;
    int best_length = 0;
    Grouping best;
    const auto visit = [&](std::span<const int> superclass) {
      const auto in_class = superclass_weights(table, superclass);
      const Order order = order_by(proportions(table, in_class));
      const auto [children, length] =
          scan_two_classes(order, in_class, table.row_totals(), ImpurityKind::kGini);
      const double p = std::accumulate(in_class.begin(), in_class.end(), 0.0) / table.total();
      const double gain = 2.0 * p * (1.0 - p) - children;
      if (gain > best_gain) {
        best_gain = gain;
        best_order = order;
        best_length = length;
        best.superclass.assign(superclass.begin(), superclass.end());
      }
      best.complete = !problem.stop.requested(std::int64_t{20} * table.n_values());
      return best.complete;
    };
    for_each_superclass(table.n_classes(), table.n_classes() / 2, visit);
    const auto scorer = problem.scorer();
    offer_prefix(best_order, best_length, *scorer, best);
    best.exact = best.complete && problem.criterion.traits().superclass_maximum;
    return best;
  }
};

class HypercubeCover final : public Partitioner {
 public:
  HypercubeCover(bool both_directions, bool single_classes)
      : both_directions_(both_directions), single_classes_(single_classes) {}

  Grouping search(const SplitProblem& problem) const override {
    const CountTable& table = problem.table;
    if (!single_classes_) check_size("hypercube_cover", table.n_classes());
    if (table.n_classes() <= 2) return scan_only_order(problem);
    Grouping best;
    const auto scorer = problem.scorer();
    std::vector<double> keys;
    Order order;
    const auto visit = [&](std::span<const int> superclass) {
      superclass_proportions(table, superclass, keys);
      const auto scan = [&] {
        order_by(keys, order);
        if (scan_prefixes(order, *scorer, problem.stop, best))
          best.superclass.assign(superclass.begin(), superclass.end());
      };
      scan();
      if (both_directions_) {
        // Not the same prefixes: values of equal share keep their order in both directions.
        for (double& key : keys) key = -key;
        scan();
      }
      return best.complete && !problem.stop.requested(std::int64_t{20} * table.n_values());
    };
    for_each_superclass(table.n_classes(), single_classes_ ? 1 : table.n_classes() / 2, visit);
    if (problem.stop.timed_out()) best.complete = false;
    return best;
  }

 private:
  bool both_directions_;
  bool single_classes_;
};

}  // namespace

std::unique_ptr<Partitioner> make_twoing(const Options& /*options*/) {
  return std::make_unique<Twoing>();
}
std::unique_ptr<Partitioner> make_hypercube_cover(const Options& options) {
  return std::make_unique<HypercubeCover>(options.get<bool>("both_directions"),
                                          options.is("superclasses", "single"));
}

}  // namespace mixedwood::partitioners
