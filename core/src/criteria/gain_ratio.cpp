// Gain ratio (Quinlan 1993): information gain over the entropy of the group sizes. It favours
// uneven partitions, so C4.5 only trusts it among columns of at least average gain.
#include <algorithm>
#include <cmath>

#include "mixedwood/registry.hpp"
#include "information.hpp"

namespace mixedwood::criteria {
namespace {

class GainRatio final : public Criterion {
 public:
  CriterionTraits traits() const override {
    return {.many_groups = true, .impurity = ImpurityKind::kEntropy};
  }
  double before(std::span<const double> node) const override { return entropy_of_node(node); }
  double score(const GroupStatistics& groups, double before) const override {
    return groups.n_groups() == 2 ? of_two(groups) : of_many(groups, before);
  }

 private:
  // Both gain and split information may be tiny beside the entropies that they are usually the
  // difference of, and their ratio would be noise: each is added up from terms that are small
  // themselves. The gain is sum p_g P(l|g) ln(P(l|g) / p(l)), where the ratio for the left group
  // is 1 + pR (P(l|L) - P(l|R)) / p(l).
  static double of_two(const GroupStatistics& groups) {
    const double left = groups.weight(0), right = groups.weight(1), total = left + right;
    if (!(left > 0.0) || !(right > 0.0)) return 0.0;
    const double p_left = left / total, p_right = right / total;
    const double split_information = information_of(p_left, p_right) +
                                     information_of(p_right, p_left);
    const auto l = groups.group(0), r = groups.group(1);
    double gain = 0.0;
    for (std::size_t k = 0; k < l.size(); ++k) {
      const double share = (l[k] + r[k]) / total;
      if (!(share > 0.0)) continue;
      const double in_left = l[k] / left, in_right = r[k] / right;
      const double gap = (in_left - in_right) / share;
      gain += term(l[k] / total, in_left / share, p_right * gap);
      gain += term(r[k] / total, in_right / share, -p_left * gap);
    }
    return split_information > 0.0 ? std::clamp(gain / split_information, 0.0, 1.0) : 0.0;
  }
  // part * ln(ratio), given also ratio - 1 to all its digits.
  static double term(double part, double ratio, double excess) {
    if (!(part > 0.0)) return 0.0;
    return part * (std::abs(excess) < 0.5 ? std::log1p(excess) : std::log(ratio));
  }
  // -p ln p, given also 1 - p to all its digits.
  static double information_of(double p, double rest) {
    return -p * (p > 0.5 ? std::log1p(-rest) : std::log(p));
  }

  static double of_many(const GroupStatistics& groups, double before) {
    const double total = groups.total();
    if (!(total > 0.0)) return 0.0;
    double split_information = 0.0;
    for (int g = 0; g < groups.n_groups(); ++g)
      split_information -= x_log_x(groups.weight(g) / total);
    if (!(split_information > 0.0)) return 0.0;
    return std::clamp(information_gain(groups, before) / split_information, 0.0, 1.0);
  }
};

}  // namespace

std::unique_ptr<Criterion> make_gain_ratio(std::vector<double> /*costs*/) {
  return std::make_unique<GainRatio>();
}

}  // namespace mixedwood::criteria
