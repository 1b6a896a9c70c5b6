// Random, degenerate and hostile tables through every search: a right result or an exception that
// explains itself; never a crash, a hang, or a result that contradicts itself.
// Run under the sanitizers by `make sanitize`. Usage: core_fuzz [tables] [seed]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "mixedwood/random.hpp"
#include "mixedwood/significance.hpp"
#include "mixedwood/split.hpp"

using namespace mixedwood;

namespace {

constexpr double kMostSeconds = 0.5;  // with a limit of 0.01: anything longer hangs

double hostile_entry(Random& random, int kind) {
  switch (kind) {
    case 0: return static_cast<double>(random.below(8));
    case 1: return static_cast<double>(random.below(2));
    case 2: return random.uniform();
    case 3: return std::exp(1400.0 * random.uniform() - 700.0);  // all magnitudes
    case 4: return random.coin() ? 1e-300 : 1e300;
    case 5: return random.coin() ? 0.0 : std::numeric_limits<double>::denorm_min();
    case 6: return random.below(9) == 0 ? std::numeric_limits<double>::max() : 1.0;
    case 7: return random.below(40) == 0 ? -1.0 : 2.0;
    case 8: return random.below(40) == 0 ? std::nan("") : 2.0;
    case 9: return random.below(40) == 0 ? std::numeric_limits<double>::infinity() : 2.0;
    default: return 0.0;
  }
}

std::size_t last_partitioner = 0;  // place in the registry

[[noreturn]] void fail(const std::string& what, long table, const SplitRequest& request) {
  std::printf("table %ld (%zu x %zu, %s, partitioner %zu): %s\n", table, request.n_rows, request.n_columns,
              request.criterion.c_str(), last_partitioner, what.c_str());
  std::exit(1);
}

// No two-way partition beats a result that says `exact`, nor passes its bound.
void check_against_all(const SplitRequest& request, const Split& split, long table) {
  if (!split.exact && std::isnan(split.bound)) return;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < request.n_rows; ++i)
    if (split.group[i] >= 0) rows.push_back(i);
  std::vector<std::int32_t> group(request.n_rows, -1);
  for (std::size_t code = 1; code < (std::size_t{1} << (rows.size() - 1)); ++code) {
    for (std::size_t v = 0; v < rows.size(); ++v)
      group[rows[v]] = v == 0 ? 0 : static_cast<std::int32_t>((code >> (v - 1)) & 1);
    Stop never;
    const double score = score_grouping(request, group, never).score;
    if (score > split.bound + 1e-9 * (1e-3 + std::abs(split.bound)))
      fail("a partition beats the proof: " + std::to_string(score), table, request);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long n_tables = argc > 1 ? std::atol(argv[1]) : 20'000;
  Random random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  long results = 0, refusals = 0;
  for (long t = 0; t < n_tables; ++t) {
    const int kind = static_cast<int>(random.below(11));
    SplitRequest request;
    request.n_rows = 1 + random.below(random.below(10) == 0 ? 60 : 9);
    request.n_columns = 1 + random.below(random.below(10) == 0 ? 30 : 5);
    std::vector<double> counts(request.n_rows * request.n_columns);
    for (double& c : counts) c = hostile_entry(random, kind);
    request.counts = counts;
    const auto& criterion = known_criteria()[random.below(known_criteria().size())];
    last_partitioner = random.below(known_partitioners().size());
    const auto& partitioner = known_partitioners()[last_partitioner];
    request.criterion = criterion.name;
    request.seed = random.bits();
    request.ordered = random.below(5) == 0;
    Options options;
    for (const auto& option : partitioner.options)
      if (std::holds_alternative<bool>(option.default_value))
        options.set(option.name, random.below(2) == 1);
      else if (!option.choices.empty())
        options.set(option.name, option.choices[random.below(option.choices.size())]);
      else
        options.set(option.name, static_cast<std::int64_t>(1 + random.below(5)));
    request.partitioner = make_partitioner(partitioner.name, options);
    std::vector<double> costs;
    if (criterion.takes_costs && random.below(4) == 0) {
      const std::size_t k = request.n_columns;
      costs.assign(k * k, 0.0);
      for (std::size_t x = 0; x < k; ++x)
        for (std::size_t y = 0; y < x; ++y) costs[x * k + y] = costs[y * k + x] = random.uniform();
      request.costs = costs;
    }
    const auto start = Stop::Clock::now();
    try {
      Stop limit(0.01, {});
      const Split split = best_split(request, limit);
      ++results;
      if (request.n_rows <= 8 && split.n_groups == 2) check_against_all(request, split, t);
      if (!std::isfinite(split.score)) fail("score is not finite", t, request);
      if (!(split.impurity >= 0.0)) fail("impurity below zero", t, request);
      if (split.group.size() != request.n_rows) fail("a group for each row", t, request);
      for (std::size_t i = 0; i < request.n_rows; ++i) {
        double weight = 0.0;
        for (std::size_t l = 0; l < request.n_columns; ++l) weight += counts[i * request.n_columns + l];
        const int g = split.group[i];
        if (g >= split.n_groups || (weight > 0.0) != (g >= 0)) fail("groups are off", t, request);
      }
      if (split.n_groups > 1 && split.complete) {
        Stop never;
        const Split again = score_grouping(request, split.group, never);
        const double gap = std::abs(again.score - split.score);
        if (!(gap <= 1e-9 * (1.0 + std::abs(split.score)))) fail("score changes", t, request);
      }
    } catch (const std::invalid_argument& error) {
      ++refusals;
      if (std::string(error.what()).size() < 20) fail("a refusal must explain itself", t, request);
    } catch (const TimeLimitError&) {
      ++refusals;
    }
    const std::chrono::duration<double> took = Stop::Clock::now() - start;
    if (took.count() > kMostSeconds) fail("it took " + std::to_string(took.count()) + " s", t, request);
    try {
      for (const auto& s : {pearson_test(counts, request.n_rows, request.n_columns),
                            conditional_test(counts, request.n_rows, request.n_columns)})
        if (std::isnan(s.log_p) || s.log_p > 1e-9) fail("log p above zero", t, request);
    } catch (const std::invalid_argument&) {
    }
  }
  std::printf("fuzz: %ld tables, %ld results, %ld refusals\n", n_tables, results, refusals);
  return results > 0 && refusals > 0 ? 0 : 1;
}
