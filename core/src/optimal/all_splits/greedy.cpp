#include "search.hpp"

#include <algorithm>

#include "../../criteria/impurity.hpp"

namespace mixedwood::optimal::all_splits {
namespace {

// Tries prefixes of an order of values; keeps what separates the classes best.
class Splitter {
 public:
  Splitter(const FeatureTable& features, const Rows& rows, std::int64_t min_samples_leaf)
      : features_(features), rows_(rows), min_samples_leaf_(min_samples_leaf) {
    double squares = 0.0;
    for (const std::int64_t c : rows.counts) squares += GiniPurity::part(static_cast<double>(c));
    best_ = GiniPurity::of(squares, static_cast<double>(rows.weight)) * (1.0 + 1e-12);
  }

  Split best() {
    for (std::size_t o = 0; o < features_.list.size(); ++o)
      if (is_useful(features_, rows_, o)) try_feature(o);
    return split_;
  }

 private:
  void try_feature(std::size_t o) {
    if (!features_.list[o].nominal) return scan_rows(o);
    const std::vector<Value> values = values_of(features_, rows_, o);
    // Two classes: some prefix by the fraction of a class is best. Many: one order for each class.
    for (std::size_t c = rows_.counts.size() == 2 ? 1 : 0; c < rows_.counts.size(); ++c)
      if (rows_.counts[c] > 0) scan_values(o, values, order_by_fraction(values, c));
  }

  void scan_rows(std::size_t o) {
    const auto& rank = features_.list[o].rank;
    const auto sorted = rows_.by(o);
    std::vector<std::int64_t> left(rows_.counts.size(), 0);
    std::int64_t weight = 0;
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      const auto row = to_size(sorted[i]);
      left[to_size(features_.classes[row])] += features_.weights[row];
      weight += features_.weights[row];
      if (rank[row] == rank[to_size(sorted[i + 1])]) continue;
      if (consider(left, weight, static_cast<std::int64_t>(i) + 1))
        split_ = {static_cast<std::int32_t>(o), rank[row], {}};
    }
  }

  void scan_values(std::size_t o, const std::vector<Value>& values,
                   const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> left(rows_.counts.size(), 0);
    std::int64_t weight = 0, n = 0;
    Split split;
    split.feature = static_cast<std::int32_t>(o);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const Value& value = values[order[i]];
      for (std::size_t c = 0; c < left.size(); ++c) left[c] += value.counts[c];
      weight += value.weight;
      n += value.n_rows;
      split.left.push_back(value.rank);
      if (!consider(left, weight, n)) continue;
      split_ = split;
      std::sort(split_.left.begin(), split_.left.end());
    }
  }

  bool consider(const std::vector<std::int64_t>& left, std::int64_t weight, std::int64_t n) {
    if (n < min_samples_leaf_ || rows_.n - n < min_samples_leaf_) return false;
    const double score = gini_purity(left, weight, rows_.counts, rows_.weight);
    if (score <= best_) return false;
    best_ = score;
    return true;
  }

  const FeatureTable& features_;
  const Rows& rows_;
  std::int64_t min_samples_leaf_;
  double best_;
  Split split_;
};

}  // namespace

PlanPtr Search::greedy_tree(const Rows& rows, Budget budget, bool look_ahead) {
  const PlanPtr as_leaf = leaf(rows);
  if (budget.depth == 0 || rows.errors() == 0 || rows.n < 2 * objective_.min_samples_leaf ||
      watch_.stopped(rows.n))
    return as_leaf;
  if (look_ahead && budget.depth <= 2) {
    const SubproblemResult found = solve(rows, budget, as_leaf->cost);
    return found.plan ? found.plan : as_leaf;
  }
  const Split split = Splitter(features_, rows, objective_.min_samples_leaf).best();
  if (split.feature < 0) return as_leaf;
  mark(features_, rows, split, side_);
  Rows left, right;
  divide(features_, rows, side_, left, right);
  // Half of the splits for each side.
  const std::int64_t half = budget.splits / 2;
  const auto grow = [&](const Rows& part, std::int64_t splits) {
    return greedy_tree(part, Budget{budget.depth - 1, splits}.normalized(), look_ahead);
  };
  const PlanPtr grown_left = grow(left, half);
  const PlanPtr plan = join(split, grown_left, grow(right, budget.splits - 1 - half));
  return plan->cost < as_leaf->cost ? plan : as_leaf;
}

}  // namespace mixedwood::optimal::all_splits
