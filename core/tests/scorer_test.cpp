// Scorers of whole counts against the general one, which is their reference: half of a whole count
// is none, and the Gini gain of halves is that of the counts to the last bit.
#include "mixedwood/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"
#include "whole_count_scorer.hpp"

using namespace mixedwood;

namespace {

// Odd, so that its half is not whole, or nothing; every value has some.
std::vector<double> odd_counts(Random& random, std::size_t n, std::size_t k) {
  std::vector<double> counts(n * k);
  for (double& c : counts)
    c = random.coin() ? 0.0 : 2.0 * static_cast<double>(random.below(9)) + 1.0;
  for (std::size_t i = 0; i < n; ++i) counts[i * k + i % k] += counts[i * k + i % k] == 0.0;
  return counts;
}

std::vector<double> halves_of(std::vector<double> counts) {
  for (double& c : counts) c /= 2.0;
  return counts;
}

}  // namespace

TEST(whole_counts_are_scored_as_any_weights) {
  Random random(3);
  for (const char* name : {"gini", "entropy"}) {
    const auto criterion = criterion_info(name).make({});
    for (int trial = 0; trial < 200; ++trial) {
      const std::size_t n = 2 + random.below(12), k = 2 + random.below(7);
      const auto counts = odd_counts(random, n, k);
      const CountTable table(counts, static_cast<int>(n), static_cast<int>(k));
      const CountTable half(halves_of(counts), static_cast<int>(n), static_cast<int>(k));
      CHECK(make_whole_count_scorer(half, *criterion) == nullptr);
      const auto fast = make_whole_count_scorer(table, *criterion);
      const auto slow = make_group_scorer(half, *criterion);
      CHECK(fast != nullptr);
      for (int step = 0; step < 60; ++step) {
        if (step % 20 == 19)
          for (Scorer* scorer : {fast.get(), slow.get()}) scorer->assign_all(step < 40 ? 0 : 1);
        const int value = static_cast<int>(random.below(n));
        const double want_moved = slow->score_if_moved(value);
        const double slack = name[0] == 'g' ? 0.0 : 1e-13;  // logarithms of halves are rounded anew
        CHECK_NEAR(fast->score_if_moved(value), want_moved, slack);
        fast->move(value);
        slow->move(value);
        const double want = slow->score();
        CHECK_NEAR(fast->score(), want, slack);
        CHECK(fast->sides() == slow->sides());
      }
    }
  }
}

TEST(scores_above_a_bound_are_exact_and_no_other_is_above_it) {
  Random random(4);
  int told_apart = 0;
  for (const char* name : {"gini", "entropy"}) {
    const auto criterion = criterion_info(name).make({});
    for (int trial = 0; trial < 200; ++trial) {
      const std::size_t n = 2 + random.below(30), k = 2 + random.below(9);
      const auto counts = odd_counts(random, n, k);
      const CountTable table(counts, static_cast<int>(n), static_cast<int>(k));
      const auto scorer = make_whole_count_scorer(table, *criterion);
      double best = -INFINITY;
      for (int step = 0; step < 200; ++step) {
        const int value = static_cast<int>(random.below(n));
        // Bounds at the score itself and a breath below it are where rounding could mislead.
        const double moved = scorer->score_if_moved(value);
        CHECK(!(scorer->score_if_moved_above(value, moved) > moved));
        CHECK(scorer->score_if_moved_above(value, std::nextafter(moved, -1.0)) == moved);
        scorer->move(value);
        const double score = scorer->score();
        CHECK(!(scorer->score_above(score) > score));
        CHECK(scorer->score_above(std::nextafter(score, -1.0)) == score);
        const double found = scorer->score_above(best);
        CHECK((found > best) == (score > best));
        told_apart += found != score;
        best = std::max(best, score);
      }
    }
  }
  CHECK(told_apart > 10'000);  // or nothing is gained by it
}
