// Orders that need no thought: the values' own, a random one, and the share of one of two classes.
#include <numeric>
#include <stdexcept>
#include <string>

#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"
#include "scan.hpp"

namespace mixedwood::partitioners {
namespace {

Order identity(int n) {
  Order order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Grouping scan_order(const Order& order, const SplitProblem& problem) {
  Grouping best;
  const auto scorer = problem.scorer();
  scan_prefixes(order, *scorer, problem.stop, best);
  return best;
}

class NaturalOrder final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    return scan_order(identity(problem.table.n_values()), problem);
  }
};

// Random Ordinality (Ahmad and Brown 2009): a threshold on a randomly ordered column is a subset
// test.
class RandomOrder final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    Order order = identity(problem.table.n_values());
    Random(problem.seed).shuffle(order);
    return scan_order(order, problem);
  }
};

// Values by P(class 1): for two classes and a convex criterion the best prefix is the best of
// all partitions (Breiman et al. 1984, theorem 4.5).
class TwoClassOrder final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    const int k = problem.table.n_classes();
    if (k > 2) {
      throw std::invalid_argument(
          "partitioner='two_class_order' orders values by the share of one of two classes, but " +
          std::to_string(k) +
          " classes are present. Use partitioner='auto', 'hypercube_cover' or 'largest_alone'.");
    }
    const int last = k - 1;
    const auto in_class = superclass_weights(problem.table, {&last, 1});
    Grouping best = scan_order(order_by(proportions(problem.table, in_class)), problem);
    best.exact = best.complete && problem.criterion.traits().convex;
    return best;
  }
};

class RandomSubset final : public Partitioner {
 public:
  Grouping search(const SplitProblem& problem) const override {
    Random random(problem.seed);
    const auto scorer = problem.scorer();
    Sides sides(static_cast<std::size_t>(problem.table.n_values()));
    do {
      for (auto& side : sides) side = random.coin() ? 1 : 0;
      scorer->assign(sides);
    } while (scorer->n_left() == 0 || scorer->n_left() == scorer->n_values());
    Grouping best;
    best.offer(scorer->score(), sides);
    return best;
  }
};

}  // namespace

std::unique_ptr<Partitioner> make_natural_order(const Options& /*options*/) {
  return std::make_unique<NaturalOrder>();
}
std::unique_ptr<Partitioner> make_random_order(const Options& /*options*/) {
  return std::make_unique<RandomOrder>();
}
std::unique_ptr<Partitioner> make_random_subset(const Options& /*options*/) {
  return std::make_unique<RandomSubset>();
}
std::unique_ptr<Partitioner> make_two_class_order(const Options& /*options*/) {
  return std::make_unique<TwoClassOrder>();
}

}  // namespace mixedwood::partitioners
