// Two criteria by Pearson's chi-square statistic.
//
// `pearson_chi2`: the statistic of the groups x classes table, for any number of groups. Class
// totals are those of the node, so it is a Gini gain with classes weighed by 1 / p(l): convex.
//
// `chi2`: on a nominal column, the sum over separated pairs of values of the statistic of the two
// rows, divided by (values - 1); the scorer adds up the pairs. On groups alone (thresholds of
// numeric and ordinal columns): the statistic of the groups, divided by (groups - 1). The two agree
// when the column has two values.
#include <vector>

#include "mixedwood/registry.hpp"

namespace mixedwood::criteria {
namespace {

int count_present(const GroupStatistics& groups) {
  int present = 0;
  for (int g = 0; g < groups.n_groups(); ++g) present += groups.weight(g) > 0.0;
  return present;
}

double statistic(const GroupStatistics& groups) {
  const double total = groups.total();
  double sum = 0.0;
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
  return sum;
}

class Chi2 final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.many_groups = true, .pairwise = true, .cut_weight = true, .scales_with_weight = true};
  }
  double score(const GroupStatistics& groups, double /*before*/) const override {
    const int present = count_present(groups);
    return present < 2 ? 0.0 : statistic(groups) / (present - 1);
  }
};

class PearsonChi2 final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.convex = true, .many_groups = true, .scales_with_weight = true};
  }
  double score(const GroupStatistics& groups, double /*before*/) const override {
    return count_present(groups) < 2 ? 0.0 : statistic(groups);
  }
};

}  // namespace

std::unique_ptr<Criterion> make_chi2(std::vector<double> /*costs*/) {
  return std::make_unique<Chi2>();
}
std::unique_ptr<Criterion> make_pearson_chi2(std::vector<double> /*costs*/) {
  return std::make_unique<PearsonChi2>();
}

}  // namespace mixedwood::criteria
