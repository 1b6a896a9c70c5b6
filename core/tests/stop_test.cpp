#include "mixedwood/stop.hpp"

#include <span>
#include <utility>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/split.hpp"

using namespace mixedwood;

TEST(a_stop_without_limit_never_asks) {
  Stop never;
  for (int i = 0; i < 100'000; ++i) CHECK(!never.requested(1000));
}

TEST(every_search_obeys_the_time_limit) {
  // Large enough that each of these would run for seconds or days; pairs are weighed of fewer values.
  Random random(1);
  const std::size_t most = 20'000, k = 20;
  std::vector<double> counts(most * k);
  for (double& c : counts) c = static_cast<double>(random.below(8));
  struct Search {
    const char *name, *criterion;
    std::size_t n_values;
  };
  const Search searches[] = {
      {"hypercube_cover", "gini", 3000}, {"twoing", "gini", 3000},
      {"sliq_ext", "gini", most},        {"sliq_ext", "entropy", most},
      {"max_cut_sdp", "gini", 3000},     {"max_cut_sdp", "chi2", 3000}};
  int with_result = 0;
  for (const auto& [name, criterion, n] : searches) {
    SplitRequest request;
    request.counts = std::span(counts).first(n * k);
    request.n_rows = n;
    request.n_columns = k;
    request.criterion = criterion;
    request.partitioner = make_partitioner(name);
    const auto start = Stop::Clock::now();
    Stop stop(0.2, {});
    try {
      const Split split = best_split(request, stop);
      CHECK(!split.complete);
      CHECK(!split.exact);
      CHECK(split.n_groups == 2);
      ++with_result;
    } catch (const TimeLimitError&) {
      // Also fine: nothing was scored yet.
    }
    const std::chrono::duration<double> took = Stop::Clock::now() - start;
    CHECK(took.count() < 2.0);
  }
  CHECK(with_result >= 4);  // only weighing pairs may come to nothing
}

TEST(a_chi2_search_that_is_cut_short_keeps_its_result) {
  Random random(3);
  std::vector<double> counts(30 * 4);
  for (double& c : counts) c = static_cast<double>(random.below(8));
  SplitRequest request;
  request.counts = counts;
  request.n_rows = 30;
  request.n_columns = 4;
  request.criterion = "chi2";
  request.partitioner = make_partitioner("exact");
  Stop stop(0.1, {});
  const Split split = best_split(request, stop);
  CHECK(!split.complete);
  CHECK(split.n_groups == 2);
  CHECK(split.score > 0.0);
}

TEST(wide_tables_stop_too) {
  Random random(4);
  const std::size_t n = 1500, k = 1500;
  std::vector<double> counts(n * k);
  for (double& c : counts) c = static_cast<double>(random.below(8));
  SplitRequest request;
  request.counts = counts;
  request.n_rows = n;
  request.n_columns = k;
  request.criterion = "gini";
  request.partitioner = make_partitioner("principal_ext");
  const auto start = Stop::Clock::now();
  Stop stop(0.05, {});
  check::message_of([&] { best_split(request, stop); });
  const std::chrono::duration<double> took = Stop::Clock::now() - start;
  CHECK(took.count() < 1.0);
}

TEST(the_hook_cancels) {
  int asked = 0;
  Stop stop(1e300, [&] { return ++asked == 2; });
  while (!stop.requested(1000)) {
  }
  CHECK(stop.interrupted());
  CHECK(!stop.timed_out());
}
