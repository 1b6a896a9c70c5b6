#include "mixedwood/stop.hpp"

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
  // Large enough that each of these would run for seconds or days.
  Random random(1);
  const std::size_t n = 3000, k = 20;
  std::vector<double> counts(n * k);
  for (double& c : counts) c = static_cast<double>(random.below(8));
  for (const char* name : {"hypercube_cover", "twoing", "sliq_ext", "max_cut_sdp"}) {
    SplitRequest request;
    request.counts = counts;
    request.n_rows = n;
    request.n_columns = k;
    request.criterion = "gini";
    request.partitioner = name;
    const auto start = Stop::Clock::now();
    Stop stop(0.2, {});
    try {
      const Split split = best_split(request, stop);
      CHECK(!split.complete);
      CHECK(!split.exact);
      CHECK(split.n_groups == 2);
    } catch (const TimeLimitError&) {
      // Also fine: nothing was scored yet.
    }
    const std::chrono::duration<double> took = Stop::Clock::now() - start;
    CHECK(took.count() < 2.0);
  }
}

TEST(the_hook_cancels) {
  int asked = 0;
  Stop stop(1e300, [&] { return ++asked == 2; });
  while (!stop.requested(1000)) {
  }
  CHECK(stop.interrupted());
  CHECK(!stop.timed_out());
}
