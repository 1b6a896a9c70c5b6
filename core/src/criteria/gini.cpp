// Gini gain (Breiman et al. 1984): Gini(node) minus the weighted mean Gini of the groups.
// With misclassification costs c the impurity is sum c(x, y) p(x) p(y), as in CART.
#include <utility>
#include <vector>

#include "mixedwood/registry.hpp"
#include "impurity.hpp"
#include "quadratic.hpp"

namespace mixedwood::criteria {
namespace {

class Gini final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.convex = true,
            .impurity_gain = true,
            .many_groups = true,
            .impurity = ImpurityKind::kGini};
  }
  double score(const GroupStatistics& groups, double /*before*/) const override {
    return groups.n_groups() == 2 ? of_two(groups) : of_many(groups);
  }

 private:
  // pL pR sum (P(l|L) - P(l|R))^2: no difference of nearly equal impurities, so small gains and
  // rare classes keep their digits.
  static double of_two(const GroupStatistics& groups) {
    const double left = groups.weight(0), right = groups.weight(1);
    if (!(left > 0.0) || !(right > 0.0)) return 0.0;
    const auto l = groups.group(0), r = groups.group(1);
    double sum = 0.0;
    for (std::size_t k = 0; k < l.size(); ++k) {
      const double gap = l[k] / left - r[k] / right;
      sum += gap * gap;
    }
    const double total = left + right;
    return (left / total) * (right / total) * sum;
  }
  // Likewise: the weighted mean of sum (P(l|g) - p(l))^2.
  static double of_many(const GroupStatistics& groups) {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    std::vector<double> share(static_cast<std::size_t>(groups.n_classes()), 0.0);
    for (int g = 0; g < groups.n_groups(); ++g)
      for (std::size_t k = 0; k < share.size(); ++k) share[k] += groups.group(g)[k] / total;
    double gain = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g) {
      if (!(groups.weight(g) > 0.0)) continue;
      double sum = 0.0;
      for (std::size_t k = 0; k < share.size(); ++k) {
        const double gap = groups.group(g)[k] / groups.weight(g) - share[k];
        sum += gap * gap;
      }
      gain += groups.weight(g) / total * sum;
    }
    return gain;
  }
};

// The gain may be negative here: with general costs the impurity is not concave.
class GiniWithCosts final : public Criterion {
 public:
  explicit GiniWithCosts(std::vector<double> costs) : costs_(std::move(costs)) {}
  CriterionTraits traits() const override { return {.many_groups = true}; }
  double before(std::span<const double> node) const override {
    const double total = sum_of(node);
    return total > 0.0 ? costs_.between(node, node) / total / total : 0.0;
  }
  double score(const GroupStatistics& groups, double before) const override {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    double children = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g)
      if (groups.weight(g) > 0.0) children += costs_.between(groups.group(g), groups.group(g)) / groups.weight(g);
    return before - children / total;
  }

 private:
  CostForm costs_;
};

}  // namespace

std::unique_ptr<Criterion> make_gini(std::vector<double> costs) {
  if (costs.empty()) return std::make_unique<Gini>();
  return std::make_unique<GiniWithCosts>(std::move(costs));
}

}  // namespace mixedwood::criteria
