#include "mixedwood/optimal.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "optimal/frame/bound_cache.hpp"

using namespace mixedwood;
using namespace mixedwood::optimal;

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
  std::unique_ptr<Solver> solver(const Objective& objective,
                                 const BinarySwitches& switches = {}) const {
    return make_binary_solver(matrix, m, {classes, weights, n_classes}, objective, switches);
  }
};

// The obvious recursion.
Cost best(const Problem& p, const std::vector<std::size_t>& rows, int depth, const Objective& s) {
  std::vector<Cost> counts(static_cast<std::size_t>(p.n_classes));
  Cost total = 0;
  for (const auto r : rows) {
    counts[static_cast<std::size_t>(p.classes[r])] += p.weights[r];
    total += p.weights[r];
  }
  Cost least = s.error_penalty * (total - *std::max_element(counts.begin(), counts.end())) + s.leaf_penalty;
  for (std::size_t j = 0; j < p.m && depth > 0; ++j) {
    std::vector<std::size_t> with, without;
    for (const auto r : rows) (p.matrix[r * p.m + j] ? with : without).push_back(r);
    if (static_cast<Cost>(std::min(with.size(), without.size())) < s.min_samples_leaf) continue;
    least = std::min(least, best(p, with, depth - 1, s) + best(p, without, depth - 1, s));
  }
  return least;
}

std::vector<std::size_t> all_rows(const Problem& p) {
  std::vector<std::size_t> rows(p.n);
  for (std::size_t r = 0; r < p.n; ++r) rows[r] = r;
  return rows;
}

SearchLimits depth_of(int depth) {
  SearchLimits limits;
  limits.max_depth = depth;
  return limits;
}

SolverResult solve(Solver& solver, int depth, std::optional<std::int64_t> memory = {}) {
  Stop stop;
  SearchLimits limits = depth_of(depth);
  limits.memory_limit = memory;
  return solver.solve(limits, stop);
}

}  // namespace

TEST(optimal_trees_are_those_of_the_obvious_recursion) {
  Random random(11);
  for (int round = 0; round < 90; ++round) {
    // Weights on both sides of what a byte, two bytes and 30 bits hold, and close to the most.
    const std::uint64_t heaviest = std::vector<std::uint64_t>{
        1, 9, 300, 90'000, std::uint64_t{1} << 31, std::uint64_t{1} << 48}[random.below(6)];
    const Problem p(random, 1 + random.below(40), 1 + random.below(6), heaviest);
    Objective objective;
    objective.error_penalty = static_cast<Cost>(1 + random.below(3));
    objective.leaf_penalty = static_cast<Cost>(random.below(4));
    objective.min_samples_leaf = static_cast<std::int64_t>(1 + random.below(3));
    BinarySwitches switches;
    switches.wide_registers = random.coin();
    switches.parent_minus_child = random.coin();
    switches.similarity = random.coin();
    const auto solver = p.solver(objective, switches);
    for (const int depth : {4, 1, 3, 2}) {
      const auto found = solve(*solver, depth, random.coin() ? std::optional<std::int64_t>(1) : std::nullopt);
      CHECK(found.status == ProofStatus::kOptimal);
      CHECK(found.objective_value == best(p, all_rows(p), depth, objective));
      CHECK(found.lower_bound == found.objective_value);
    }
  }
}

TEST(a_limit_of_work_ends_a_search_at_the_same_place) {
  Random random(13);
  const Problem p(random, 300, 40, 1);
  for (const std::int64_t most : {std::int64_t{0}, std::int64_t{100'000}, std::int64_t{2'000'000}}) {
    std::vector<SolverResult> found;
    std::vector<std::int64_t> work;
    for (const bool wide : {true, false}) {
      BinarySwitches switches;
      switches.wide_registers = wide;
      Stop stop;
      stop.limit_work(most);
      found.push_back(p.solver({}, switches)->solve(depth_of(4), stop));
      work.push_back(stop.work());
    }
    CHECK(found[0].status == ProofStatus::kWorkLimit);
    CHECK(found[0].tree.nodes.size() == found[1].tree.nodes.size());
    for (std::size_t i = 0; i < found[0].tree.nodes.size(); ++i)
      CHECK(found[0].tree.nodes[i].column == found[1].tree.nodes[i].column);
    CHECK(found[0].objective_value == found[1].objective_value);
    CHECK(found[0].lower_bound == found[1].lower_bound);
    CHECK(work[0] == work[1]);
  }
}

TEST(an_optimal_search_goes_on_after_a_stop) {
  Random random(12);
  const Problem p(random, 300, 40, 1);
  const auto stopped = p.solver({}), straight = p.solver({});
  const auto right = solve(*straight, 4);
  int calls = 0;
  for (int limit = 1; limit < 2000; limit *= 3) {
    calls = 0;
    Stop stop(1e18, [&] { return ++calls >= limit; });
    const auto found = stopped->solve(depth_of(4), stop);
    CHECK(found.lower_bound <= right.objective_value);
    CHECK(found.objective_value >= right.objective_value);
  }
  CHECK(solve(*stopped, 4).objective_value == right.objective_value);
}

TEST(a_binary_problem_that_is_none_is_an_error) {
  const std::vector<std::uint8_t> matrix{0, 1, 2, 1};
  const std::vector<std::int32_t> classes{0, 1};
  const std::vector<std::int64_t> negative{1, -1};
  const auto message = [&](std::span<const std::uint8_t> cells, std::size_t n_columns,
                           std::span<const std::int64_t> weights, std::int32_t n_classes) {
    return check::message_of(
        [&] { make_binary_solver(cells, n_columns, {classes, weights, n_classes}, {}); });
  };
  const auto two = std::span(matrix).first(2);
  CHECK(message(matrix, 2, {}, 2) == "the matrix must contain only 0 and 1");
  CHECK(message(two, 1, {}, 1) == "a class is not below n_classes");
  CHECK(message(two, 1, negative, 2) == "weights must not be negative");
  CHECK(message(two, 2, {}, 2) != "");
  CHECK(message(two, 1, {}, 2) == "");
}

TEST(the_cache_keeps_bounds_of_larger_budgets_and_evicts_what_has_none) {
  using Cache = BoundCache<int, int>;
  Cache cache;
  const auto key = [](const std::vector<std::uint64_t>& words) {
    return Cache::Key{words, words[0] % 7};  // hashes collide
  };
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::vector<std::uint64_t> words(1 + i % 5, i);
    if (i % 3 == 0) cache.raise(key(words), {2, 3}, static_cast<Cost>(i));
    if (i % 3 == 0) cache.store(key(words), {1, 1}, 5, static_cast<Cost>(i) + 1);
    cache.store_extra(key(words), static_cast<int>(i));
  }
  const std::int64_t before = cache.bytes();
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::vector<std::uint64_t> words(1 + i % 5, i);
      const bool known = i % 3 == 0;
      CHECK(cache.lower_bound(key(words), {1, 1}) == (known ? static_cast<Cost>(i) + 1 : 0));
      CHECK(cache.lower_bound(key(words), {2, 2}) == (known ? static_cast<Cost>(i) : 0));
      CHECK((cache.extra(key(words)) != nullptr) == (round == 0 || known));
    }
    cache.evict();
    CHECK(cache.size() == (round == 0 ? 1000 : 0));
    CHECK(cache.bytes() < before);
  }
}
