// Gain ratio (Quinlan 1993): information gain over the entropy of the group sizes. It favours
// uneven partitions, so C4.5 only trusts it among columns of at least average gain.
#include "criteria.hpp"
#include "information.hpp"

namespace mixedwood {
namespace {

class GainRatio final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.many_groups = true, .impurity = ImpurityKind::kEntropy};
  }
  double before(std::span<const double> node) const override { return entropy_of_node(node); }
  double score(const GroupCounts& groups, double before) const override {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    double split_information = x_log_x(total);
    for (int g = 0; g < groups.n_groups(); ++g) split_information -= x_log_x(groups.weight(g));
    split_information /= total;
    if (!(split_information > 0.0)) return 0.0;
    return information_gain(groups, before) / split_information;
  }
};

}  // namespace

std::unique_ptr<Criterion> make_gain_ratio(std::vector<double> /*costs*/, int /*n_classes*/) {
  return std::make_unique<GainRatio>();
}

}  // namespace mixedwood
