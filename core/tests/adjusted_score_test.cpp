// Adjusted scores: what a split can be expected to score on new rows.
#include "grow/adjusted_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "chance.hpp"
#include "check.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"

using namespace mixedwood;

namespace {

constexpr std::array kTwoGroups = {"gini", "entropy", "gain_ratio", "twoing", "chi2"};

// A table of value x class, one row of `weight` for each unit counted.
ColumnCounts table_of(const std::vector<std::vector<double>>& counts, double weight = 1.0) {
  ColumnCounts table;
  table.start(counts.front().size(), counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t place = table.add(static_cast<std::int32_t>(i));
    for (std::size_t l = 0; l < counts[i].size(); ++l) {
      table.entry_at(place)[l] = weight * counts[i][l];
      table.totals[place] += weight * counts[i][l];
      table.rows[place] += counts[i][l];
    }
  }
  table.finish();
  return table;
}

// Values go to the side of the majority of their rows: class 0 left, others right.
Candidate sides_by_majority(const ColumnCounts& table, double score) {
  Candidate found;
  found.kind = kSubset;
  found.score = score;
  for (std::size_t i = 0; i < table.size(); ++i) {
    found.values.push_back(table.values[i]);
    found.children.push_back(2.0 * table.entry(i)[0] > table.totals[i] ? 0 : 1);
  }
  return found;
}

struct Setting {
  GrowSettings settings;

  explicit Setting(const char* name, Fitted fitted = Fitted::kSides) {
    settings.criterion = criterion_info(name).make({});
    std::unique_ptr<Partitioner> partitioner = make_partitioner("auto");
    partitioner->traits.fitted = fitted;
    settings.partitioner = std::move(partitioner);
  }
};

}  // namespace

TEST(few_values_of_many_rows_keep_their_score) {
  const ColumnCounts table = table_of({{400.0, 100.0}, {100.0, 400.0}});
  Candidate found = sides_by_majority(table, 0.25);
  for (const char* name : kTwoGroups) {
    const Setting its(name);
    AdjustedScore adjusted(its.settings, 1.0, true, 1.0);
    CHECK_NEAR(adjusted.nominal(table, found, {}), 0.25, 1e-12);
  }
}

TEST(names_of_rows_are_expected_to_score_nothing) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 50; ++i) rows.push_back({i % 2 == 0 ? 1.0 : 0.0, i % 2 == 0 ? 0.0 : 1.0});
  for (const double weight : {1.0, 1e-9, 0.3}) {
    const ColumnCounts table = table_of(rows, weight);
    Candidate found = sides_by_majority(table, 0.5);
    for (const char* name : kTwoGroups) {
      const Setting its(name);
      AdjustedScore adjusted(its.settings, 1.0, false, weight);
      const double rank = adjusted.nominal(table, found, {});
      CHECK(rank <= 0.0);
      CHECK(rank > -0.2);
    }
  }
}

TEST(copies_of_a_row_do_not_vouch_for_it) {
  // Every value has two rows of one class; if those are copies, the column tells nothing.
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 40; ++i) rows.push_back({i % 2 == 0 ? 2.0 : 0.0, i % 2 == 0 ? 0.0 : 2.0});
  const ColumnCounts table = table_of(rows);
  Candidate found = sides_by_majority(table, 1.0);
  const Setting its("entropy");
  AdjustedScore rows_of_their_own(its.settings, 1.0, true, 1.0);
  CHECK(rows_of_their_own.nominal(table, found, {}) > 0.5);
  AdjustedScore copies(its.settings, 2.0, true, 1.0);
  const std::vector<double> distinct(rows.size(), 1.0);
  CHECK(copies.nominal(table, found, distinct) <= 0.0);
}

TEST(one_branch_per_value_loses_what_chance_gives) {
  // The mean gain of rows put at random is exactly (values - 1) / (rows - 1) of the impurity.
  const ColumnCounts table = table_of({{3.0, 1.0}, {1.0, 3.0}, {2.0, 2.0}});
  Candidate found;
  found.kind = kMultiway;
  found.score = 0.25 / 3.0;  // of the Gini index, which was 0.5
  const Setting its("gini", Fitted::kNothing);
  AdjustedScore adjusted(its.settings, 1.0, true, 1.0);
  CHECK_NEAR(adjusted.nominal(table, found, {}), 0.25 / 3.0 - 0.5 * 2.0 / 11.0, 1e-12);
}

TEST(thresholds_lose_the_more_the_more_cuts_there_are) {
  Candidate found;
  found.kind = kInterval;
  found.score = 0.2;
  found.gini_share = 0.4;
  const std::vector<double> counts = {50.0, 50.0};
  for (const char* name : kTwoGroups) {
    const Setting its(name);
    AdjustedScore adjusted(its.settings, 1.0, true, 1.0);
    double last = adjusted.threshold(found, 2, 100.0, counts);
    CHECK_NEAR(last, 0.2, 1e-12);
    for (const std::size_t n_values : {3, 10, 100, 256, 257, 10'000}) {
      const double now = adjusted.threshold(found, n_values, 100.0, counts);
      CHECK(now < last);
      last = now;
    }
  }
  // On the scale of each criterion: bits, and the Gini index.
  const double excess = excess_of_cuts(10.0);
  const Setting entropy("entropy"), gini("gini");
  CHECK_NEAR(AdjustedScore(entropy.settings, 1.0, true, 1.0).threshold(found, 10, 100.0, counts),
             0.2 - excess / (2.0 * std::log(2.0) * 100.0), 1e-12);
  CHECK_NEAR(AdjustedScore(gini.settings, 1.0, true, 1.0).threshold(found, 10, 100.0, counts),
             0.2 - 0.5 * excess / 100.0, 1e-12);
}

TEST(adjusted_scores_are_numbers) {
  Random random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 2 + random.below(12), k = 1 + random.below(4);
    const int spread = random.coin() ? 1 : 600;  // powers of two
    const double base = std::ldexp(1.0, static_cast<int>(random.below(600)) - 300);
    std::vector<std::vector<double>> counts(n, std::vector<double>(k, 0.0));
    ColumnCounts table;
    table.start(k, n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = table.add(static_cast<std::int32_t>(i));
      for (std::size_t l = 0; l < k; ++l) {
        if (random.coin() && l != i % k) continue;
        const int power = static_cast<int>(random.below(static_cast<std::uint64_t>(spread)));
        const double weight = base * std::ldexp(random.uniform(), power - spread / 2);
        table.entry_at(place)[l] = weight;
        table.totals[place] += weight;
        table.rows[place] += 1.0 + static_cast<double>(random.below(3));
      }
    }
    table.finish();
    if (random.coin()) table.values.front() = -1;  // missing values are a value
    Candidate found;
    found.kind = random.below(5) == 0 ? kMultiway : kSubset;
    found.score = random.uniform();
    found.missing_child = static_cast<std::int32_t>(random.below(2));
    for (std::size_t i = 0; i < n; ++i) found.children.push_back(i == 0 ? 0 : i == 1);
    const std::vector<double> distinct(n, 1.0 + static_cast<double>(random.below(2)));
    const double copies = random.coin() ? 1.0 : 2.0;
    for (const Fitted fitted : {Fitted::kSides, Fitted::kCut, Fitted::kValue, Fitted::kNothing}) {
      const Setting its(kTwoGroups[random.below(kTwoGroups.size())], fitted);
      AdjustedScore adjusted(its.settings, copies, random.coin(), 1.0);
      const double rank = copies > 1.0 && random.coin() ? adjusted.nominal(table, found, distinct)
                                                        : adjusted.nominal(table, found, {});
      CHECK(!std::isnan(rank));
    }
  }
}

TEST(what_chance_gives_to_cuts) {
  CHECK(excess_of_cuts(1.0) == 0.0);
  CHECK(excess_of_cuts(2.0) == 0.0);
  CHECK(excess_of_degrees(1.0) == 1.0);
  double last = 0.0;
  for (const double n_values : {3.0, 5.0, 20.0, 1000.0, 1e6}) {
    CHECK(excess_of_cuts(n_values) > last);
    last = excess_of_cuts(n_values);
  }
}
