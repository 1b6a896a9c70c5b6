#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/split.hpp"
#include "partitioners/merged_values.hpp"

using namespace mixedwood;
using namespace mixedwood::partitioners;

namespace {

SplitRequest request_for(const std::vector<double>& counts, std::size_t n, std::size_t k,
                         const char* criterion, const char* partitioner) {
  SplitRequest request;
  request.counts = counts;
  request.n_rows = n;
  request.n_columns = k;
  request.criterion = criterion;
  request.partitioner = make_partitioner(partitioner);
  return request;
}

std::vector<double> random_counts(Random& random, std::size_t n, std::size_t k) {
  std::vector<double> counts(n * k);
  for (double& c : counts) c = static_cast<double>(random.below(8));
  return counts;
}

}  // namespace

TEST(every_search_runs_with_every_criterion) {
  const std::vector<double> counts = {10, 2, 3, 1, 8, 6, 4, 4, 9, 7, 7, 1};
  for (const auto& criterion : known_criteria()) {
    for (const auto& partitioner : known_partitioners()) {
      if (partitioner.name == "two_class_order") continue;
      if (partitioner.traits.many_groups && criterion.name == "twoing") continue;
      auto request = request_for(counts, 4, 3, criterion.name.c_str(), partitioner.name.c_str());
      Stop never;
      const Split split = best_split(request, never);
      CHECK(split.n_groups >= 2);
      CHECK(split.score > 0.0);
      CHECK(split.group[0] == 0);
    }
  }
}

TEST(exact_is_never_beaten) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 2 + random.below(6), k = 2 + random.below(4);
    const auto counts = random_counts(random, n, k);
    for (const auto& criterion : known_criteria()) {
      Stop never;
      const double best =
          best_split(request_for(counts, n, k, criterion.name.c_str(), "exact"), never).score;
      for (const char* other : {"auto", "hypercube_cover", "principal_ext", "sliq_ext", "max_cut",
                                "flip_flop", "random_order"}) {
        const double score =
            best_split(request_for(counts, n, k, criterion.name.c_str(), other), never).score;
        CHECK(score <= best * (1.0 + 1e-9) + 1e-12);
      }
    }
  }
}

TEST(incompatible_parts_say_what_to_do) {
  const std::vector<double> counts = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  Stop never;
  const auto multiway = check::message_of(
      [&] { best_split(request_for(counts, 3, 3, "twoing", "multiway"), never); });
  CHECK(multiway.find("one_vs_rest") != std::string::npos);
  const auto two = check::message_of(
      [&] { best_split(request_for(counts, 3, 3, "gini", "two_class_order"), never); });
  CHECK(two.find("3 classes are present") != std::string::npos);
  const std::vector<double> tall(40 * 4, 1.0);
  auto request = request_for(tall, 40, 4, "gain_ratio", "exact");
  const auto large = check::message_of([&] { best_split(request, never); });
  CHECK(large.find("limited to 32 values") != std::string::npos);
}

TEST(equal_shares_are_one_supervalue) {
  const std::vector<double> counts = {1, 2, 2, 4, 3, 3, 5, 5, 1, 0};
  const CountTable table(counts, 5, 2);
  Stop never;
  const auto groups = merged_values(table, 0.0, never);
  CHECK(groups.size() == 3);
  CHECK((groups[0] == std::vector<int>{0, 1}));
  CHECK((groups[1] == std::vector<int>{2, 3}));
  const auto merged = merge_values(table, groups);
  CHECK(merged(0, 1) == 6.0);
}

TEST(a_tolerance_does_not_chain) {
  std::vector<double> counts;
  for (int i = 0; i < 1000; ++i) {
    counts.push_back(2e9 + i);
    counts.push_back(2e9 - i);
  }
  const CountTable table(counts, 1000, 2);
  Stop never;
  CHECK(merged_values(table, 0.0, never).size() == 1000);
  CHECK(merged_values(table, 1e-9, never).size() > 200);
}

TEST(a_criterion_without_numbers_is_refused_by_every_search) {
  class Nan final : public Criterion {
   public:
    CriterionTraits traits() const override { return {.many_groups = true}; }
    double score(const GroupStatistics&, double) const override { return std::nan(""); }
  };
  const Nan nan;
  Random random(2);
  const auto counts = random_counts(random, 6, 4);
  for (const auto& partitioner : known_partitioners()) {
    if (partitioner.name == "multiway" || partitioner.name == "two_class_order") continue;
    auto request = request_for(counts, 6, 4, "", partitioner.name.c_str());
    request.custom_criterion = &nan;
    Stop never;
    const auto message = check::message_of([&] { best_split(request, never); });
    CHECK(message.find("gave no number") != std::string::npos);
  }
}

TEST(weightless_rows_go_with_the_heavier_group) {
  const std::vector<double> counts = {1e300, 0, 0, 3e300, 1e-300, 0};
  Stop never;
  const Split split = best_split(request_for(counts, 3, 2, "gini", "exact"), never);
  CHECK(split.n_groups == 2);
  CHECK(split.group[2] == split.group[1]);
}
