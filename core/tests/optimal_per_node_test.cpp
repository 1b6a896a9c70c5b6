#include "mixedwood/optimal.hpp"

#include <limits>
#include <vector>

#include "check.hpp"
#include "mixedwood/discretize.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;
using namespace mixedwood::optimal;

namespace {

const std::vector<double> kNumbers = {1.0, 1.2, 1.9, 2.3, 2.7, 3.1, 3.4, 3.8,
                                      4.2, 4.5, 5.0, 5.3, 5.9, 6.1, 6.6, 7.2};

struct Problem {
  std::vector<double> numbers;
  std::vector<std::int32_t> codes, classes;
  std::vector<std::int64_t> weights;
  std::vector<PerNodeColumn> columns;

  Problem(Random& random, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool gap = random.below(8) == 0;
      numbers.push_back(gap ? std::numeric_limits<double>::quiet_NaN()
                            : static_cast<double>(random.below(20)) / 4.0);
      codes.push_back(static_cast<std::int32_t>(random.below(6)) - 1);
      classes.push_back(static_cast<std::int32_t>(random.below(3)));
      weights.push_back(static_cast<std::int64_t>(1 + random.below(3)));
    }
    PerNodeColumn number;
    number.view.numbers = numbers.data();
    number.n_bins = static_cast<std::int64_t>(2 + random.below(4));
    PerNodeColumn nominal, ordinal;
    nominal.view.codes = ordinal.view.codes = codes.data();
    nominal.view.n_values = ordinal.view.n_values = 5;
    ordinal.ordered = true;
    columns = {number, nominal, ordinal};
    if (random.coin()) columns[0].thresholds = {1.0, 2.5};
  }
};

SolverResult solve(const Problem& p, const BinarizerSettings& settings, int depth, Stop& stop) {
  SearchLimits limits;
  limits.max_depth = depth;
  return make_per_node_solver(p.columns, {p.classes, p.weights, 3}, {}, settings)
      ->solve(limits, stop);
}

// What a tree costs, by routing every row.
std::int64_t cost_of(const SplitTree& tree, const Problem& p) {
  TableView table;
  table.n_rows = p.classes.size();
  for (const PerNodeColumn& column : p.columns) table.columns.push_back(column.view);
  const std::vector<std::int32_t> leaves = tree.apply(table);
  std::vector<std::vector<std::int64_t>> sums(tree.nodes.size(), std::vector<std::int64_t>(3, 0));
  for (std::size_t row = 0; row < leaves.size(); ++row)
    sums[static_cast<std::size_t>(leaves[row])][static_cast<std::size_t>(p.classes[row])] +=
        p.weights[row];
  std::int64_t cost = 0;
  for (const auto& by_class : sums) {
    std::int64_t total = 0, most = 0;
    for (const std::int64_t weight : by_class) {
      total += weight;
      most = std::max(most, weight);
    }
    cost += total - most;
  }
  return cost;
}

}  // namespace

TEST(cuts_of_the_worked_example) {
  std::vector<std::int32_t> classes(16, 0);
  for (std::size_t i = 5; i < 16; ++i) classes[i] = i < 11 ? 1 : 2;
  for (const CutRule rule : {CutRule::kMdlp, CutRule::kCaim}) {
    const auto cuts = cut_points(rule, kNumbers, classes, 3, 5);
    CHECK(cuts.size() == 2);
    CHECK_NEAR(cuts[0].at, 2.9, 1e-12);
    CHECK_NEAR(cuts[1].at, 5.15, 1e-12);
    CHECK(cuts[0].after == 5 && cuts[1].after == 11);
  }
  CHECK(cut_points(CutRule::kEqualWidth, kNumbers, {}, 0, 5).size() == 4);
  CHECK(cut_points(CutRule::kEqualFrequency, kNumbers, {}, 0, 65536).size() == 15);
  CHECK(cut_points(CutRule::kMdlp, {}, {}, 0, 5).empty());
}

TEST(trees_cost_what_they_say_and_more_budget_costs_no_more) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const Problem problem(random, 1 + static_cast<std::size_t>(random.below(40)));
    BinarizerSettings settings;
    settings.rule = static_cast<CutRule>(random.below(4));
    settings.encoding = static_cast<Encoding>(random.below(4));
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (int depth = 0; depth <= 3; ++depth) {
      Stop stop;
      const auto found = solve(problem, settings, depth, stop);
      CHECK(found.status == ProofStatus::kOptimal);
      CHECK(found.objective_value == cost_of(found.tree, problem));
      CHECK(found.objective_value <= before);
      before = found.objective_value;
    }
  }
}

TEST(a_search_without_time_has_the_greedy_tree) {
  Random random(7);
  const Problem problem(random, 400);
  BinarizerSettings settings;
  settings.rule = CutRule::kEqualFrequency;
  Stop none(0.0, {});
  while (!none.requested()) {
  }
  const auto found = solve(problem, settings, 6, none);
  CHECK(found.status == ProofStatus::kTimeLimit);
  CHECK(found.lower_bound <= found.objective_value);
  CHECK(found.objective_value == cost_of(found.tree, problem));
}

TEST(a_table_that_is_none_is_an_error) {
  Random random(9);
  Problem problem(random, 10);
  const auto message = [&] {
    Stop stop;
    return check::message_of([&] { solve(problem, {}, 2, stop); });
  };
  CHECK(message().empty());
  problem.codes[0] = 5;
  CHECK(message() == "a code is not below the number of categories of its column");
  problem.codes[0] = 0;
  problem.classes[0] = 3;
  CHECK(message() == "a class is not below n_classes");
}
