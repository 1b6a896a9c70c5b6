#include "mixedwood/split.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "criteria/impurity.hpp"
#include "group_counts.hpp"

namespace mixedwood {
namespace {

// Labels of the present values: group 0 is the one of the first value.
std::vector<int> labels_from_sides(const Sides& sides) {
  std::vector<int> labels(sides.size());
  for (std::size_t i = 0; i < sides.size(); ++i) labels[i] = sides[i] != sides[0];
  return labels;
}

double back_to_scale(double score, const CriterionTraits& traits, int exponent) {
  if (!traits.scales_with_weight || std::isnan(score)) return score;
  const double scaled = std::ldexp(score, exponent);
  if (!std::isfinite(scaled)) {
    throw std::invalid_argument(
        "the weights add up to more than a floating-point number can hold; "
        "divide them all by a constant");
  }
  return scaled;
}

std::vector<double> costs_between(std::span<const double> costs, std::size_t n_columns,
                                  const std::vector<int>& classes) {
  std::vector<double> kept;
  if (costs.empty()) return kept;
  for (int x : classes)
    for (int y : classes)
      kept.push_back(costs[at(x) * n_columns + static_cast<std::size_t>(y)]);
  return kept;
}

// The present part of a request, with its criterion.
class Question {
 public:
  explicit Question(const SplitRequest& request)
      : present(keep_present(request.counts, request.n_rows, request.n_columns,
                             request.custom_criterion == nullptr)),
        costs(costs_between(request.costs, request.n_columns, present.classes)) {
    if (request.custom_criterion != nullptr) {
      if (!request.costs.empty()) {
        throw std::invalid_argument(
            "a criterion written in Python takes no cost_matrix; weigh errors in its score method");
      }
      criterion = request.custom_criterion;
      return;
    }
    const CriterionInfo& info = criterion_info(request.criterion);
    if (!info.takes_costs && !request.costs.empty()) {
      throw std::invalid_argument(
          "criterion='" + info.name +
          "' takes no cost_matrix. Use criterion='gini' or 'squared_gini'.");
    }
    owned_ = info.make(costs);
    criterion = owned_.get();
  }

  // Fills in groups, score and impurities from labels of the present values (-1: left out).
  void describe(const std::vector<int>& labels, int n_groups, std::size_t n_rows,
                const SplitProblem& problem, Split& split) const {
    const CountTable& table = present.table;
    const CriterionTraits traits = criterion->traits();
    const GroupCounts groups(table, labels, n_groups);
    const GroupStatistics view = groups.view(table.n_classes());
    split.n_groups = n_groups;
    split.group.assign(n_rows, -1);
    for (std::size_t i = 0; i < labels.size(); ++i)
      split.group[at(present.values[i])] = labels[i];
    if (n_groups > 0 && !present.weightless.empty())
      place_weightless(groups, problem.ordered, split.group);
    split.impurity_before = impurity(traits.impurity, table.class_totals(), table.total());
    split.impurity = children_impurity(traits.impurity, view);
    split.score = n_groups < 2 ? 0.0 : problem.score(labels, n_groups);
    split.score = back_to_scale(split.score, traits, present.exponent);
  }

  DenseCountTable present;
  std::vector<double> costs;
  const Criterion* criterion = nullptr;

 private:
  // No score feels the weightless rows: they go with the heavier group or, where the values have
  // an order, with their neighbour below (above, for the first).
  void place_weightless(const GroupCounts& groups, bool ordered,
                        std::vector<std::int32_t>& group) const {
    const auto heaviest = static_cast<std::int32_t>(
        std::max_element(groups.weights.begin(), groups.weights.end()) - groups.weights.begin());
    for (int row : present.weightless) {
      std::int32_t target = heaviest;
      if (ordered) {
        const auto above = std::upper_bound(present.values.begin(), present.values.end(), row);
        const int neighbour = above == present.values.begin() ? *above : *(above - 1);
        target = group[at(neighbour)];
      }
      group[at(row)] = target;
    }
    // Still the first value that has weight is in group 0.
    const auto first = std::find_if(group.begin(), group.end(), [](int g) { return g >= 0; });
    const std::int32_t to_swap = *first;
    for (auto& g : group) {
      if (g == to_swap)
        g = 0;
      else if (g == 0)
        g = to_swap;
    }
  }

  std::unique_ptr<Criterion> owned_;
};

void check_many_groups(const Criterion& criterion, int n_groups, const std::string& name) {
  if (n_groups <= 2 || criterion.traits().many_groups) return;
  throw std::invalid_argument("criterion='" + name + "' scores two groups, but " +
                              std::to_string(n_groups) +
                              " were asked for. Use partitioner='one_vs_rest', or a criterion for "
                              "many groups such as 'gain_ratio'.");
}

}  // namespace

Split best_split(const SplitRequest& request, Stop& stop) try {
  const Question question(request);
  const CountTable& table = question.present.table;
  const int n = table.n_values();
  Split split;
  const SplitProblem problem{table, *question.criterion, question.costs, request.seed, stop,
                             request.ordered};
  if (n < 2) {
    split.exact = true;  // there is nothing to split
    question.describe(std::vector<int>(static_cast<std::size_t>(n), 0), n, request.n_rows, problem,
                      split);
    return split;
  }
  if (request.partitioner->traits.many_groups)
    check_many_groups(*question.criterion, n, request.criterion);
  Grouping found = request.partitioner->search(problem);
  if (stop.interrupted()) return split;
  if (!found.found()) {
    throw std::invalid_argument(
        "the criterion gave no number for any partition (NaN or minus infinity); "
        "check its score method");
  }
  std::vector<int> labels;
  int n_groups = 2;
  if (!found.groups.empty()) {
    labels = found.groups;
    n_groups = 1 + *std::max_element(labels.begin(), labels.end());
  } else if (found.sides.empty()) {
    n_groups = n;
    labels.resize(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) labels[at(i)] = i;
  } else {
    labels = labels_from_sides(found.sides);
  }
  question.describe(labels, n_groups, request.n_rows, problem, split);
  split.exact = found.exact || (n == 2 && found.complete && !found.sides.empty());
  split.complete = found.complete;
  split.bound = split.exact ? split.score
                            : back_to_scale(found.bound, question.criterion->traits(),
                                            question.present.exponent);
  for (int cls : found.superclass)
    split.superclass.push_back(question.present.classes[at(cls)]);
  if (!found.partitioner.empty()) split.partitioner = found.partitioner;
  return split;
} catch (const Stopped&) {
  if (stop.interrupted()) return {};
  throw TimeLimitError("the time limit came before any partition was scored; allow more time");
}

Split score_grouping(const SplitRequest& request, std::span<const std::int32_t> group,
                     Stop& stop) try {
  const Question question(request);
  std::vector<int> labels;
  int n_groups = 0;
  for (int row : question.present.values) {
    const std::int32_t label = group[at(row)];
    if (label < 0) {
      throw std::invalid_argument("value " + std::to_string(row) +
                                  " has weight but is in no group; put every value that has "
                                  "weight into exactly one group");
    }
    labels.push_back(label);
    n_groups = std::max(n_groups, label + 1);
  }
  check_many_groups(*question.criterion, n_groups, request.criterion);
  const SplitProblem problem{question.present.table, *question.criterion, question.costs, 0, stop,
                             request.ordered};
  Split split;
  question.describe(labels, n_groups, request.n_rows, problem, split);
  return split;
} catch (const Stopped&) {
  return {};  // only an interrupt stops it; the caller knows
}

}  // namespace mixedwood
