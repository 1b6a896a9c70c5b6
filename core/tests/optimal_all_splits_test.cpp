#include "mixedwood/optimal.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "simd/kernels.hpp"
#include "optimal/all_splits/kernels.hpp"

using namespace mixedwood;
using namespace mixedwood::optimal;

namespace {

struct Made {
  std::vector<std::vector<std::int32_t>> codes;
  std::vector<std::int32_t> classes;
  EncodedTable table;
  std::int32_t n_classes = 2;
};

// Half of the columns nominal, half ordered; a few values missing.
Made make(Random& random, std::size_t n, std::size_t m, std::int32_t n_values,
          std::int32_t n_classes) {
  Made made;
  made.n_classes = n_classes;
  made.codes.assign(m, std::vector<std::int32_t>(n));
  made.classes.resize(n);
  std::vector<InputColumn> columns(m);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::int32_t& code : made.codes[j])
      code = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n_values) + 1)) - 1;
    columns[j].view = {made.codes[j].data(), nullptr, n_values};
    columns[j].ordered = j % 2 == 0;
  }
  for (std::int32_t& c : made.classes)
    c = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n_classes)));
  made.table = EncodedTable(columns, n);
  return made;
}

SolverResult solve(const Made& made, int depth, double seconds = 1e300,
                   const Objective& objective = {}) {
  SearchLimits limits;
  limits.max_depth = depth;
  Stop stop(seconds, {});
  return make_all_splits_solver(made.table, {made.classes, {}, made.n_classes}, objective)
      ->solve(limits, stop);
}

// Errors of the tree if every row is routed again.
std::int64_t wrong(const Made& made, const SplitTree& tree) {
  TableView table;
  table.n_rows = made.classes.size();
  for (const auto& codes : made.codes) table.columns.push_back({codes.data(), nullptr, 0});
  const std::vector<std::int32_t> leaves = tree.apply(table);
  std::vector<std::vector<std::int64_t>> counts(
      tree.nodes.size(), std::vector<std::int64_t>(static_cast<std::size_t>(made.n_classes)));
  for (std::size_t row = 0; row < leaves.size(); ++row)
    ++counts[static_cast<std::size_t>(leaves[row])][static_cast<std::size_t>(made.classes[row])];
  auto errors = static_cast<std::int64_t>(leaves.size());
  for (const auto& c : counts) errors -= *std::max_element(c.begin(), c.end());
  return errors;
}

}  // namespace

TEST(a_deeper_optimal_tree_is_never_worse_and_costs_what_it_says) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Made made = make(random, 20 + random.below(60), 4, 5, 2 + static_cast<int>(seed % 3));
    std::int64_t before = 1 << 20;
    for (const std::int32_t depth : {0, 1, 2, 3}) {
      const SolverResult result = solve(made, depth);
      CHECK(result.status == ProofStatus::kOptimal);
      CHECK(result.lower_bound == result.objective_value);
      CHECK(result.objective_value <= before);
      CHECK(wrong(made, result.tree) == result.objective_value);
      before = result.objective_value;
    }
  }
}

TEST(a_minimum_leaf_size_and_a_leaf_cost_only_make_trees_dearer) {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    Random random(seed);
    const Made made = make(random, 40, 4, 6, 3);
    const std::int64_t free = solve(made, 3).objective_value;
    const std::int64_t large_leaves = solve(made, 3, 1e300, {1, 0, 4}).objective_value;
    CHECK(free <= large_leaves);
    CHECK(large_leaves + 2 <= solve(made, 3, 1e300, {1, 2, 4}).objective_value);
  }
}

TEST(an_optimal_search_obeys_the_time_limit) {
  Random random(7);
  const Made made = make(random, 20'000, 12, 60, 3);
  const SolverResult result = solve(made, 4, 0.2);
  CHECK(result.status == ProofStatus::kTimeLimit);
  CHECK(result.lower_bound < result.objective_value);
  CHECK(wrong(made, result.tree) == result.objective_value);
}

// The kernels against a plain count, for every width of number.
template <typename T>
void compare_kernels(simd::Level level) {
  using namespace optimal::all_splits;
  Random random(11);
  for (int round = 0; round < 50; ++round) {
    const std::size_t n = 1 + random.below(60);
    std::vector<T> key(n), weight(n);
    std::vector<std::uint8_t> last(n);
    for (std::size_t i = 0; i < n; ++i) {
      key[i] = static_cast<T>(random.below(20));
      weight[i] = static_cast<T>(static_cast<int>(random.below(7)) - 3);
      last[i] = i + 1 == n || random.coin();
    }
    Items<T> items;
    items.key = key.data();
    items.weight = weight.data();
    items.last = last.data();
    items.n = n;
    Roots<T> roots;
    for (T& cut : roots.cut) cut = static_cast<T>(random.below(22));
    Side<T> left, right;
    const KernelTable<T>& kernel = simd::kernels(level).splits<T>();
    kernel.two_class_thresholds(items, roots, left, right);
    kernel.two_class_values(items, roots, left, right);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      int sum = 0, least = 0, most = 0, value = 0, apart = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const int w = key[i] < roots.cut[lane] ? static_cast<int>(weight[i]) : 0;
        sum += w;
        value += w;
        if (!last[i]) continue;
        least = std::min(least, sum);
        most = std::max(most, sum);
        apart += std::abs(value);
        value = 0;
      }
      CHECK(left.least[lane] == least);
      CHECK(left.most[lane] == most);
      CHECK(left.apart[lane] == apart);
    }
  }
}

TEST(kernels_of_every_width_count_alike) {
  for (const auto level : {simd::Level::kScalar, simd::Level::kVector, simd::Level::kAvx2}) {
    compare_kernels<std::int16_t>(level);
    compare_kernels<std::int32_t>(level);
    compare_kernels<std::int64_t>(level);
  }
}
