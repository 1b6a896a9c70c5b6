// How good is a grouping of the values? A plain question about class weights: no cursor, no rows.
//
// To add a criterion: write one file in src/criteria/ with one class and one `make_...` function,
// and one line in registry.cpp. See CONTRIBUTING.md.
#pragma once

#include <cstddef>
#include <span>

#include "mixedwood/index.hpp"

namespace mixedwood {

// Class weights of the groups of a partition, one row per group. A view.
class GroupStatistics {
 public:
  GroupStatistics(std::span<const double> counts, std::span<const double> weights, int n_classes)
      : counts_(counts), weights_(weights), n_classes_(static_cast<std::size_t>(n_classes)) {}

  int n_groups() const { return static_cast<int>(weights_.size()); }
  int n_classes() const { return static_cast<int>(n_classes_); }
  double weight(int group) const { return weights_[at(group)]; }
  std::span<const double> group(int g) const {
    return counts_.subspan(static_cast<std::size_t>(g) * n_classes_, n_classes_);
  }
  double total() const {
    double sum = 0.0;
    for (double w : weights_) sum += w;
    return sum;
  }

 private:
  std::span<const double> counts_;
  std::span<const double> weights_;
  std::size_t n_classes_;
};

// Which impurity of the children is reported beside the score, and steers superclass searches.
enum class ImpurityKind { kGini, kEntropy };

struct CriterionTraits {
  // The score is a convex function of the left group's class weights. Then a best partition is
  // cut out by a hyperplane in the space of class probabilities, which makes fast searches exact.
  bool convex = false;
  // The score is the impurity of the node less the weighted mean impurity of the groups, so that
  // long scans may keep running sums.
  bool impurity_gain = false;
  // More than two groups can be scored.
  bool many_groups = false;
  // The score is a maximum over superclass groupings of two-class scores (Twoing): going through
  // the groupings of the classes finds the best partition.
  bool superclass_maximum = false;
  // On a nominal column the score is a sum over pairs of separated values (chi2), not a function
  // of the groups' class weights.
  bool pairwise = false;
  // The score is the weight of a cut: of the graph of the pairs above, or of the squared-Gini graph.
  bool cut_weight = false;
  // Doubling every weight doubles the score. Otherwise the score does not feel the scale.
  bool scales_with_weight = false;
  // The scale laws above are known; false for criteria written in Python.
  bool may_rescale = true;
  ImpurityKind impurity = ImpurityKind::kGini;
};

class Criterion {
 public:
  virtual ~Criterion() = default;
  virtual CriterionTraits traits() const = 0;
  // What a score needs to know of the undivided node; computed once per table.
  virtual double before(std::span<const double> /*node*/) const { return 0.0; }
  // More is better. Groups may be empty: a partition with one group left separates nothing.
  virtual double score(const GroupStatistics& groups, double before) const = 0;
};

}  // namespace mixedwood
