// Flip-flop (Nádas et al. 1991): best superclasses for a partition of the values, then the best
// partition for those superclasses, and so on until nothing changes. Both halves are two-class
// problems, hence an order and a scan.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "mixedwood/registry.hpp"
#include "scan.hpp"

namespace mixedwood::partitioners {
namespace {

constexpr int kMostRounds = 100;

class FlipFlop final : public Partitioner {
 public:
  explicit FlipFlop(std::string start) : start_(std::move(start)) {}

  Grouping search(const SplitProblem& problem) const override {
    const CountTable& table = problem.table;
    const ImpurityKind kind = problem.criterion.traits().impurity;
    const auto scorer = problem.scorer();
    Grouping best = first_partition(problem);
    if (!best.found()) return best;  // the criterion has no number for any partition
    Sides sides = best.sides;
    double previous = -1.0;
    for (int round = 0; round < kMostRounds; ++round) {
      auto superclass = best_superclass(table, sides, kind);
      const auto in_class = superclass_weights(table, superclass);
      const Order order = order_by(proportions(table, in_class));
      const auto [children, length] =
          scan_two_classes(order, in_class, table.row_totals(), kind);
      Sides next = sides_of_prefix(order, static_cast<std::size_t>(length));
      scorer->assign(next);
      const double score = scorer->score();
      if (best.offer(score, next)) best.superclass = std::move(superclass);
      if (same_partition(next, sides) || score == previous) break;
      if (problem.stop.requested(std::int64_t{20} * table.n_values())) {
        best.complete = false;
        break;
      }
      previous = score;
      sides = std::move(next);
    }
    return best;
  }

 private:
  Grouping first_partition(const SplitProblem& problem) const {
    if (start_ != "first_value") return make_partitioner(start_)->search(problem);
    Grouping first;
    const auto scorer = problem.scorer();
    scorer->move(0);
    first.offer(scorer->score(), scorer->sides());
    return first;
  }

  // The classes in order of their share on the left, cut where the sides differ most.
  static std::vector<int> best_superclass(const CountTable& table, const Sides& sides,
                                          ImpurityKind kind) {
    const auto k = static_cast<std::size_t>(table.n_classes());
    std::vector<double> on_left(k, 0.0), left_share(k);
    for (int i = 0; i < table.n_values(); ++i) {
      if (sides[at(i)] != 0) continue;
      for (std::size_t l = 0; l < k; ++l) on_left[l] += table.row(i)[l];
    }
    for (std::size_t l = 0; l < k; ++l) left_share[l] = on_left[l] / table.class_totals()[l];
    Order classes = order_by(left_share);
    const auto [_, length] = scan_two_classes(classes, on_left, table.class_totals(), kind);
    classes.resize(static_cast<std::size_t>(std::max(1, length)));
    std::sort(classes.begin(), classes.end());
    return classes;
  }

  static bool same_partition(const Sides& a, const Sides& b) {
    const std::uint8_t flip = a[0] ^ b[0];
    for (std::size_t i = 0; i < a.size(); ++i)
      if ((a[i] ^ b[i]) != flip) return false;
    return true;
  }

  std::string start_;  // "first_value", or the name of a partitioner
};

}  // namespace

std::unique_ptr<Partitioner> make_flip_flop(const Options& options) {
  return std::make_unique<FlipFlop>(options.get<std::string>("start"));
}

}  // namespace mixedwood::partitioners
