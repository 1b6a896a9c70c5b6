#include "greedy.hpp"

#include <algorithm>
#include <numeric>

#include "../criteria/impurity.hpp"

namespace mixedwood::all_splits {
namespace {

// Tries prefixes of an order of values; keeps what separates the classes best.
class Splitter {
 public:
  Splitter(const Options& options, const Rows& rows, std::int64_t min_leaf)
      : options_(options), rows_(rows), min_leaf_(min_leaf) {
    double squares = 0.0;
    for (const std::int64_t c : rows.counts) squares += GiniPurity::part(static_cast<double>(c));
    best_ = GiniPurity::of(squares, static_cast<double>(rows.weight)) * (1.0 + 1e-12);
  }

  Test best() {
    for (std::size_t o = 0; o < options_.list.size(); ++o)
      if (is_useful(options_, rows_, o)) try_option(o);
    return test_;
  }

 private:
  struct Value {
    std::int32_t rank;
    std::int64_t n_rows, weight;
    std::vector<std::int64_t> counts;
  };

  void try_option(std::size_t o) {
    const Option& option = options_.list[o];
    if (!option.nominal) return scan_rows(o);
    std::vector<Value> values;
    for (const std::int32_t id : rows_.by(o)) {
      const auto row = static_cast<std::size_t>(id);
      if (values.empty() || values.back().rank != option.rank[row])
        values.push_back({option.rank[row], 0, 0, std::vector<std::int64_t>(rows_.counts.size())});
      ++values.back().n_rows;
      values.back().weight += options_.weights[row];
      values.back().counts[static_cast<std::size_t>(options_.classes[row])] +=
          options_.weights[row];
    }
    // Two classes: some prefix by the share of a class is best. Many: one order for each class.
    for (std::size_t c = rows_.counts.size() == 2 ? 1 : 0; c < rows_.counts.size(); ++c) {
      if (rows_.counts[c] == 0) continue;
      std::vector<std::size_t> order(values.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      const auto share = [&](std::size_t v) {
        return static_cast<double>(values[v].counts[c]) / static_cast<double>(values[v].weight);
      };
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
      scan_values(o, values, order);
    }
  }

  void scan_rows(std::size_t o) {
    const auto& rank = options_.list[o].rank;
    const auto sorted = rows_.by(o);
    std::vector<std::int64_t> left(rows_.counts.size(), 0);
    std::int64_t weight = 0;
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
      const auto row = static_cast<std::size_t>(sorted[i]);
      left[static_cast<std::size_t>(options_.classes[row])] += options_.weights[row];
      weight += options_.weights[row];
      if (rank[row] == rank[static_cast<std::size_t>(sorted[i + 1])]) continue;
      if (consider(left, weight, static_cast<std::int64_t>(i) + 1))
        test_ = {static_cast<std::int32_t>(o), rank[row], {}};
    }
  }

  void scan_values(std::size_t o, const std::vector<Value>& values,
                   const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> left(rows_.counts.size(), 0);
    std::int64_t weight = 0, n = 0;
    Test test;
    test.option = static_cast<std::int32_t>(o);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const Value& value = values[order[i]];
      for (std::size_t c = 0; c < left.size(); ++c) left[c] += value.counts[c];
      weight += value.weight;
      n += value.n_rows;
      test.left.push_back(value.rank);
      if (!consider(left, weight, n)) continue;
      test_ = test;
      std::sort(test_.left.begin(), test_.left.end());
    }
  }

  bool consider(const std::vector<std::int64_t>& left, std::int64_t weight, std::int64_t n) {
    if (n < min_leaf_ || rows_.n - n < min_leaf_) return false;
    const double score = gini_purity(left, weight, rows_.counts, rows_.weight);
    if (score <= best_) return false;
    best_ = score;
    return true;
  }

  const Options& options_;
  const Rows& rows_;
  std::int64_t min_leaf_;
  double best_;
  Test test_;
};

}  // namespace

PlanPtr greedy_tree(Search& search, const Options& options, const AllSplitsSettings& settings,
                    const Rows& rows, Budget budget, bool look_ahead, Watch& watch) {
  const PlanPtr leaf = search.leaf(rows);
  if (budget.depth == 0 || rows.errors() == 0 || rows.n < 2 * settings.min_leaf ||
      watch.stopped(rows.n))
    return leaf;
  if (look_ahead && budget.depth <= 2) {
    const Found found = search.solve(rows, budget, leaf->cost);
    return found.plan ? found.plan : leaf;
  }
  const Test test = Splitter(options, rows, settings.min_leaf).best();
  if (test.option < 0) return leaf;
  std::vector<std::uint8_t> side(options.n_rows(), 0);
  mark(options, rows, test, side);
  Rows left, right;
  divide(options, rows, side, left, right);
  // Half of the tests for each side; what the left one leaves over is the right one's.
  const std::int64_t share = (budget.tests - 1 + 1) / 2;
  const auto grow = [&](const Rows& part, std::int64_t tests) {
    return greedy_tree(search, options, settings, part, Budget::of(budget.depth - 1, tests),
                       look_ahead, watch);
  };
  auto plan = std::make_shared<Plan>();
  plan->test = test;
  plan->left = grow(left, share);
  plan->right = grow(right, budget.tests - 1 - share);
  plan->cost = plan->left->cost + plan->right->cost;
  plan->depth = 1 + std::max(plan->left->depth, plan->right->depth);
  if (plan->cost >= leaf->cost) return leaf;
  return plan;
}

}  // namespace mixedwood::all_splits
