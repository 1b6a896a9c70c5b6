#include "mixedwood/pruning.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

TEST(cost_complexity_of_a_worked_example) {
  // Twelve rows; six leaves without errors.
  const std::vector<std::int32_t> parent{-1, 0, 0, 1, 1, 4, 4, 2, 2, 8, 8};
  const std::vector<double> costs{6, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0};
  Stop stop;
  const CostComplexity path = cost_complexity(parent, costs, stop);
  CHECK((path.n_leaves == std::vector<std::int64_t>{6, 2, 1}));
  CHECK((path.costs == std::vector<double>{0, 2, 6}));
  CHECK((path.alphas == std::vector<double>{0, 0.5, 4}));
  CHECK(path.cut_at[0] == 4 && path.cut_at[1] == 0.5 && path.cut_at[2] == 0.5);
  CHECK(std::isinf(path.cut_at[4]));  // its parent goes with it
}

TEST(cost_complexity_of_random_shapes_is_a_path) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random.below(60);
    std::vector<std::int32_t> parent{-1};
    for (std::size_t i = 1; i < n; ++i)
      parent.push_back(static_cast<std::int32_t>(random.below(i)));
    std::vector<double> costs(n);
    const bool whole = random.coin();  // then there are ties
    for (double& c : costs) c = whole ? static_cast<double>(random.below(5)) : random.uniform();
    Stop stop;
    const CostComplexity path = cost_complexity(parent, costs, stop);
    CHECK(path.alphas[0] == 0.0);
    CHECK(path.n_leaves.back() == 1);
    CHECK_NEAR(path.costs.back(), costs[0], 1e-9);
    for (std::size_t k = 0; k < path.alphas.size(); ++k) {
      if (k > 0) CHECK(path.alphas[k] > path.alphas[k - 1]);
      if (k > 0) CHECK(path.n_leaves[k] <= path.n_leaves[k - 1]);
      // Leaves and cost, counted from where nodes are cut.
      std::vector<char> gone(n, 0), inner(n, 0);
      for (std::size_t i = 1; i < n; ++i) inner[at(parent[i])] = 1;
      std::int64_t leaves = 0;
      double cost = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        const bool cut = path.cut_at[i] <= path.alphas[k];
        if (i > 0) {
          const auto above = static_cast<std::size_t>(parent[i]);
          gone[i] = gone[above] || path.cut_at[above] <= path.alphas[k];
        }
        if (gone[i] || (inner[i] && !cut)) continue;
        ++leaves;
        cost += costs[i];
      }
      CHECK(leaves == path.n_leaves[k]);
      CHECK_NEAR(cost, path.costs[k], 1e-9);
    }
  }
}

TEST(pruning_refuses_what_is_no_tree) {
  Stop stop;
  const std::vector<double> two{1.0, 0.0};
  const auto message = [&](std::vector<std::int32_t> parent, std::vector<double> costs) {
    return check::message_of([&] { (void)cost_complexity(parent, costs, stop); });
  };
  CHECK(message({}, {}) != "");
  CHECK(message({0, 0}, two) != "");
  CHECK(message({-1, 1}, two) != "");
  CHECK(message({-1, -1}, two) != "");
  CHECK(message({-1, 0}, {1.0}) != "");
  CHECK(message({-1, 0}, {1.0, -1.0}) != "");
  CHECK(message({-1, 0}, {1.0, std::numeric_limits<double>::infinity()}) != "");
  CHECK(message({-1, 0}, two) == "");
}

TEST(pruning_can_be_stopped) {
  std::vector<std::int32_t> parent{-1};
  std::vector<double> costs{1.0};
  for (std::int32_t i = 1; i < 200'001; ++i) {
    parent.push_back((i - 1) / 2);
    costs.push_back(0.0);
  }
  Stop stop(1e9, [] { return true; });
  bool stopped = false;
  try {
    (void)cost_complexity(parent, costs, stop);
  } catch (const Stopped&) {
    stopped = true;
  }
  CHECK(stopped);
}
