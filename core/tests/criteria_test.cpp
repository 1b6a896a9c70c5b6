#include <cmath>
#include <memory>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"
#include "mixedwood/split.hpp"

using namespace mixedwood;

namespace {

double score_of(const char* name, const std::vector<double>& left,
                const std::vector<double>& right, std::vector<double> costs = {}) {
  std::vector<double> counts = left, node(left.size()), weights(2, 0.0);
  counts.insert(counts.end(), right.begin(), right.end());
  for (std::size_t l = 0; l < left.size(); ++l) {
    node[l] = left[l] + right[l];
    weights[0] += left[l];
    weights[1] += right[l];
  }
  const int k = static_cast<int>(left.size());
  const auto criterion = criterion_info(name).make(std::move(costs));
  return criterion->score(GroupStatistics(counts, weights, k), criterion->before(node));
}

}  // namespace

TEST(criteria_of_a_clean_split) {
  const std::vector<double> a = {4, 0}, b = {0, 4};
  CHECK_NEAR(score_of("gini", a, b), 0.5, 1e-15);
  CHECK_NEAR(score_of("entropy", a, b), 1.0, 1e-15);
  CHECK_NEAR(score_of("gain_ratio", a, b), 1.0, 1e-15);
  CHECK_NEAR(score_of("twoing", a, b), 0.25, 1e-15);
  CHECK_NEAR(score_of("squared_gini", a, b), 0.5, 1e-15);
  CHECK_NEAR(score_of("chi2", a, b), 8.0, 1e-12);
}

TEST(an_empty_group_separates_nothing) {
  const std::vector<double> a = {4, 3}, b = {0, 0};
  for (const auto& info : known_criteria()) CHECK_NEAR(score_of(info.name.c_str(), a, b), 0.0, 1e-15);
}

TEST(unit_costs_are_no_costs) {
  const std::vector<double> a = {4, 3, 1}, b = {2, 0, 5};
  const std::vector<double> unit = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  CHECK_NEAR(score_of("gini", a, b, unit), score_of("gini", a, b), 1e-14);
  CHECK_NEAR(score_of("squared_gini", a, b, unit), score_of("squared_gini", a, b), 1e-14);
}

TEST(convex_criteria_are_convex) {
  // Along a line of left weights: the middle is never above the mean of the ends.
  Random random(3);
  for (const auto& info : known_criteria()) {
    const auto criterion = info.make({});
    if (!criterion->traits().convex) continue;
    for (int trial = 0; trial < 2000; ++trial) {
      std::vector<double> node(3), ends[3];
      for (double& x : node) x = 1.0 + 9.0 * random.uniform();
      for (auto& end : ends) end.resize(3);
      for (std::size_t l = 0; l < 3; ++l) {
        ends[0][l] = node[l] * random.uniform();
        ends[1][l] = node[l] * random.uniform();
        ends[2][l] = (ends[0][l] + ends[1][l]) / 2.0;
      }
      double s[3];
      for (int e = 0; e < 3; ++e) {
        std::vector<double> rest(3);
        for (std::size_t l = 0; l < 3; ++l) rest[l] = node[l] - ends[e][l];
        s[e] = score_of(info.name.c_str(), ends[e], rest);
      }
      CHECK(s[2] <= (s[0] + s[1]) / 2.0 + 1e-12);
    }
  }
}

TEST(unknown_names_and_options_are_errors) {
  const auto message = check::message_of([] { criterion_info("ginny"); });
  CHECK(message.find("no criterion 'ginny'") != std::string::npos);
  const auto option = check::message_of([] { make_partitioner("exact", {{"speed", 1.0}}); });
  CHECK(option.find("has no option 'speed'") != std::string::npos);
  const auto range = check::message_of([] { make_partitioner("flip_flop", {{"start", 9.0}}); });
  CHECK(range.find("'flip_flop' has no option 'start' of such a type") != std::string::npos);
}
