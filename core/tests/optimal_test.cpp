#include "mixedwood/optimal.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

namespace {

struct Problem {
  std::size_t n, m;
  std::int32_t n_classes;
  std::vector<std::uint8_t> matrix;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> weights;

  Problem(Random& random, std::size_t rows, std::size_t columns, std::uint64_t heaviest)
      : n(rows), m(columns), n_classes(static_cast<std::int32_t>(1 + random.below(4))) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) matrix.push_back(random.below(3) == 0);
      classes.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n_classes))));
      weights.push_back(static_cast<std::int64_t>(1 + random.below(heaviest)));
    }
  }
  BinaryProblem view() const { return {n, m, matrix, classes, weights, n_classes}; }
};

// The obvious recursion.
Cost best(const Problem& p, const std::vector<std::size_t>& rows, int depth, const OptimalSettings& s) {
  std::vector<Cost> counts(static_cast<std::size_t>(p.n_classes));
  Cost total = 0;
  for (const auto r : rows) {
    counts[static_cast<std::size_t>(p.classes[r])] += p.weights[r];
    total += p.weights[r];
  }
  Cost least = s.error_cost * (total - *std::max_element(counts.begin(), counts.end())) + s.leaf_cost;
  for (std::size_t j = 0; j < p.m && depth > 0; ++j) {
    std::vector<std::size_t> with, without;
    for (const auto r : rows) (p.matrix[r * p.m + j] ? with : without).push_back(r);
    if (static_cast<Cost>(std::min(with.size(), without.size())) < s.min_leaf) continue;
    least = std::min(least, best(p, with, depth - 1, s) + best(p, without, depth - 1, s));
  }
  return least;
}

std::vector<std::size_t> all_rows(const Problem& p) {
  std::vector<std::size_t> rows(p.n);
  for (std::size_t r = 0; r < p.n; ++r) rows[r] = r;
  return rows;
}

OptimalResult solve(OptimalSolver& solver, int depth, std::int64_t memory = -1) {
  Stop stop;
  OptimalBudget budget;
  budget.max_depth = depth;
  budget.memory = memory;
  return solver.solve(budget, stop);
}

}  // namespace

TEST(optimal_trees_are_those_of_the_obvious_recursion) {
  Random random(11);
  for (int round = 0; round < 90; ++round) {
    // Weights on both sides of what a byte, two bytes and 30 bits hold, and close to the most.
    const std::uint64_t heaviest = std::vector<std::uint64_t>{
        1, 9, 300, 90'000, std::uint64_t{1} << 31, std::uint64_t{1} << 48}[random.below(6)];
    const Problem p(random, 1 + random.below(40), 1 + random.below(6), heaviest);
    OptimalSettings settings;
    settings.error_cost = static_cast<Cost>(1 + random.below(3));
    settings.leaf_cost = static_cast<Cost>(random.below(4));
    settings.min_leaf = static_cast<std::int64_t>(1 + random.below(3));
    settings.switches.wide_registers = random.coin();
    settings.switches.parent_minus_child = random.coin();
    settings.switches.similarity = random.coin();
    OptimalSolver solver(p.view(), settings);
    for (const int depth : {4, 1, 3, 2}) {
      const auto found = solve(solver, depth, random.coin() ? 1 : -1);
      CHECK(found.status == ProofStatus::kOptimal);
      CHECK(found.cost == best(p, all_rows(p), depth, settings));
      CHECK(found.lower_bound == found.cost);
    }
  }
}

TEST(a_limit_of_work_ends_a_search_at_the_same_place) {
  Random random(13);
  const Problem p(random, 300, 40, 1);
  OptimalBudget budget;
  budget.max_depth = 4;
  for (const std::int64_t most : {std::int64_t{0}, std::int64_t{100'000}, std::int64_t{2'000'000}}) {
    std::vector<OptimalResult> found;
    std::vector<std::int64_t> work;
    for (const bool wide : {true, false}) {
      OptimalSettings settings;
      settings.switches.wide_registers = wide;
      OptimalSolver solver(p.view(), settings);
      Stop stop;
      stop.limit_work(most);
      found.push_back(solver.solve(budget, stop));
      work.push_back(stop.work());
    }
    CHECK(found[0].status == ProofStatus::kWorkLimit);
    CHECK(found[0].test == found[1].test);
    CHECK(found[0].cost == found[1].cost);
    CHECK(found[0].lower_bound == found[1].lower_bound);
    CHECK(work[0] == work[1]);
  }
}

TEST(an_optimal_search_goes_on_after_a_stop) {
  Random random(12);
  const Problem p(random, 300, 40, 1);
  OptimalSettings settings;
  OptimalSolver stopped(p.view(), settings), straight(p.view(), settings);
  const auto right = solve(straight, 4);
  int calls = 0;
  for (int limit = 1; limit < 2000; limit *= 3) {
    calls = 0;
    Stop stop(1e18, [&] { return ++calls >= limit; });
    OptimalBudget budget;
    budget.max_depth = 4;
    const auto found = stopped.solve(budget, stop);
    CHECK(found.lower_bound <= right.cost);
    CHECK(found.cost >= right.cost);
  }
  CHECK(solve(stopped, 4).cost == right.cost);
}

TEST(optimal_trees_refuse_what_is_no_problem) {
  const std::vector<std::uint8_t> matrix{0, 1, 2, 1};
  const std::vector<std::int32_t> classes{0, 1};
  const std::vector<std::int64_t> negative{1, -1};
  const auto refusal = [&](const BinaryProblem& problem) {
    return check::message_of([&] { OptimalSolver(problem, {}); });
  };
  const auto two = std::span(matrix).first(2);
  CHECK(refusal({2, 2, matrix, classes, {}, 2}) == "the matrix must hold 0 and 1 only");
  CHECK(refusal({2, 1, two, classes, {}, 1}) == "a class is out of range");
  CHECK(refusal({2, 1, two, classes, negative, 2}) == "weights must not be negative");
  CHECK(refusal({3, 1, two, classes, {}, 2}) != "");
  CHECK(refusal({2, 1, two, classes, {}, 2}) == "");
}
