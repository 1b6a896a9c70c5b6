// Squared Gini: Gini(node) - sum over groups of p_g^2 Gini(g), which is the weight of the cut
// between the groups when w_ij = 2/N^2 * sum over classes x != y of A_ix A_jy.
// With misclassification costs: w_ij = 2/N^2 * A_i' C A_j.
#include <utility>
#include <vector>

#include "criteria.hpp"
#include "quadratic.hpp"

namespace mixedwood {
namespace {

class SquaredGini final : public Criterion {
 public:
  explicit SquaredGini(std::vector<double> costs, int n_classes)
      : unit_costs_(costs.empty()), costs_(std::move(costs), n_classes) {}
  CriterionTraits traits() const override { return {.many_groups = true, .cut_weight = true}; }

  double before(std::span<const double> node) const override {
    double total = 0.0;
    for (double c : node) total += c;
    return disagreement(node, total);
  }
  double score(const GroupCounts& groups, double before) const override {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    double inside = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g)
      inside += disagreement(groups.group(g), groups.weight(g));
    return (before - inside) / total / total;
  }

 private:
  // Ordered pairs of rows of the data with different classes, weighted by cost.
  double disagreement(std::span<const double> u, double weight) const {
    return unit_costs_ ? weight * weight - sum_of_squares(u) : costs_.quadratic(u);
  }
  bool unit_costs_;
  CostForm costs_;
};

}  // namespace

std::unique_ptr<Criterion> make_squared_gini(std::vector<double> costs, int n_classes) {
  return std::make_unique<SquaredGini>(std::move(costs), n_classes);
}

}  // namespace mixedwood
