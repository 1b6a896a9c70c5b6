// Information gain (Quinlan 1986): entropy of the node minus the weighted mean of the groups',
// in bits.

#include "mixedwood/registry.hpp"
#include "information.hpp"

namespace mixedwood::criteria {
namespace {

class Entropy final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.convex = true, .impurity_gain = true, .many_groups = true, .impurity = ImpurityKind::kEntropy};
  }
  double before(std::span<const double> node) const override { return entropy_of_node(node); }
  double score(const GroupStatistics& groups, double before) const override {
    return information_gain(groups, before);
  }
};

}  // namespace

std::unique_ptr<Criterion> make_entropy(std::vector<double> /*costs*/) {
  return std::make_unique<Entropy>();
}

}  // namespace mixedwood::criteria
