// Twoing (Breiman et al. 1984, ch. 4): pL * pR / 4 * (sum over classes of |pL(k) - pR(k)|)^2.
// Half the largest two-class Gini gain over all groupings of the classes into two superclasses,
// hence convex. For two groups; an empty side separates nothing and scores 0.
#include <cmath>

#include "mixedwood/registry.hpp"

namespace mixedwood::criteria {
namespace {

class Twoing final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.convex = true, .superclass_maximum = true, .impurity = ImpurityKind::kGini};
  }
  double score(const GroupStatistics& groups, double /*before*/) const override {
    const double left = groups.weight(0), right = groups.weight(1);
    if (!(left > 0.0) || !(right > 0.0)) return 0.0;
    const auto l = groups.group(0), r = groups.group(1);
    double distance = 0.0;
    for (std::size_t k = 0; k < l.size(); ++k) distance += std::abs(l[k] / left - r[k] / right);
    const double total = left + right;
    return (left / total) * (right / total) * distance * distance / 4.0;
  }
};

}  // namespace

std::unique_ptr<Criterion> make_twoing(std::vector<double> /*costs*/) {
  return std::make_unique<Twoing>();
}

}  // namespace mixedwood::criteria
