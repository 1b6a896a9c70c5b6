// Chi-square. On a nominal column: the sum over separated pairs of values of the chi-square
// statistic of the two rows, divided by (values - 1); the scorer adds up the pairs. On groups
// alone (thresholds of numeric and ordinal columns): Pearson's statistic of the groups x classes
// table, divided by (groups - 1). The two agree when the column has two values.
#include <vector>

#include "mixedwood/registry.hpp"

namespace mixedwood::criteria {
namespace {

class Chi2 final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.many_groups = true, .pairwise = true, .cut_weight = true, .scales_with_weight = true};
  }
  double score(const GroupStatistics& groups, double /*before*/) const override {
    const double total = groups.total();
    int present = 0;
    double sum = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g) present += groups.weight(g) > 0.0;
    if (present < 2) return 0.0;
    for (std::size_t l = 0; l < static_cast<std::size_t>(groups.n_classes()); ++l) {
      double of_class = 0.0;
      for (int g = 0; g < groups.n_groups(); ++g) of_class += groups.group(g)[l];
      if (!(of_class > 0.0)) continue;
      const double share = of_class / total;
      for (int g = 0; g < groups.n_groups(); ++g) {
        if (!(groups.weight(g) > 0.0)) continue;
        const double excess = groups.group(g)[l] / groups.weight(g) - share;
        sum += groups.weight(g) * excess * excess / share;
      }
    }
    return sum / (present - 1);
  }
};

}  // namespace

std::unique_ptr<Criterion> make_chi2(std::vector<double> /*costs*/) {
  return std::make_unique<Chi2>();
}

}  // namespace mixedwood::criteria
