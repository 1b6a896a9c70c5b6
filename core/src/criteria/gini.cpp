// Gini gain (Breiman et al. 1984): Gini(node) minus the weighted mean Gini of the groups.
// With misclassification costs c the impurity is sum c(x, y) p(x) p(y), as in CART.
#include <algorithm>
#include <utility>
#include <vector>

#include "criteria.hpp"
#include "quadratic.hpp"

namespace mixedwood {
namespace {

class Gini final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.convex = true, .many_groups = true, .impurity = ImpurityKind::kGini};
  }
  // Sum of squared class shares: the constant part of the gain.
  double before(std::span<const double> node) const override {
    double total = 0.0;
    for (double c : node) total += c;
    return total > 0.0 ? sum_of_squares(node) / total / total : 0.0;
  }
  double score(const GroupCounts& groups, double before) const override {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    double purity = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g)
      if (groups.weight(g) > 0.0) purity += sum_of_squares(groups.group(g)) / groups.weight(g);
    return std::max(0.0, purity / total - before);
  }
};

// The gain may be negative here: with general costs the impurity is not concave.
class GiniWithCosts final : public Criterion {
 public:
  GiniWithCosts(std::vector<double> costs, int n_classes) : costs_(std::move(costs), n_classes) {}
  CriterionTraits traits() const override { return {.many_groups = true}; }
  double before(std::span<const double> node) const override {
    double total = 0.0;
    for (double c : node) total += c;
    return total > 0.0 ? costs_.quadratic(node) / total / total : 0.0;
  }
  double score(const GroupCounts& groups, double before) const override {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    double children = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g)
      if (groups.weight(g) > 0.0) children += costs_.quadratic(groups.group(g)) / groups.weight(g);
    return before - children / total;
  }

 private:
  CostForm costs_;
};

}  // namespace

std::unique_ptr<Criterion> make_gini(std::vector<double> costs, int n_classes) {
  if (costs.empty()) return std::make_unique<Gini>();
  return std::make_unique<GiniWithCosts>(std::move(costs), n_classes);
}

}  // namespace mixedwood
