// Squared Gini: Gini(node) - sum over groups of p_g^2 Gini(g), which is the weight of the cut
// between the groups when w_ij = 2/N^2 * sum over classes x != y of A_ix A_jy.
// With misclassification costs: w_ij = 2/N^2 * A_i' C A_j.
#include <utility>
#include <vector>

#include "mixedwood/registry.hpp"
#include "quadratic.hpp"

namespace mixedwood::criteria {
namespace {

class SquaredGini final : public Criterion {
 public:
  explicit SquaredGini(std::vector<double> costs) : costs_(std::move(costs)) {}
  CriterionTraits traits() const override { return {.many_groups = true, .cut_weight = true}; }

  double score(const GroupStatistics& groups, double /*before*/) const override {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    const double cut = groups.n_groups() == 2 ? costs_.between(groups.group(0), groups.group(1))
                                              : between_all(groups);
    return 2.0 * cut / total / total;
  }

 private:
  // Each group against all groups before it.
  double between_all(const GroupStatistics& groups) const {
    std::vector<double> earlier(static_cast<std::size_t>(groups.n_classes()), 0.0);
    double cut = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g) {
      cut += costs_.between(earlier, groups.group(g));
      for (std::size_t l = 0; l < earlier.size(); ++l) earlier[l] += groups.group(g)[l];
    }
    return cut;
  }
  CostForm costs_;
};

}  // namespace

std::unique_ptr<Criterion> make_squared_gini(std::vector<double> costs) {
  return std::make_unique<SquaredGini>(std::move(costs));
}

}  // namespace mixedwood::criteria
