// Sorting against that of the standard library.
#include "keys.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

TEST(keys_are_sorted_as_the_library_sorts) {
  Random random(6);
  std::vector<std::uint64_t> other;
  for (std::size_t n = 0; n < 600; ++n) {
    const std::uint64_t end = 1 + random.below(n % 3 == 0 ? 4 : 100'000);
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = random.below(end) << 32 | i;
    std::vector<std::uint64_t> want = keys, merged = keys;
    std::sort(want.begin(), want.end());
    merge_sort(merged, other);
    CHECK(merged == want);
    sort_keys(keys, other, end);
    CHECK(keys == want);
  }
}

TEST(floating_numbers_keep_their_order_as_whole_ones) {
  const std::vector<double> rising = {-1e300, -2.0, -1.0, -1e-310, 0.0, 1e-310, 0.5, 1.0, 1e300};
  for (std::size_t i = 1; i < rising.size(); ++i) {
    CHECK(sortable(rising[i - 1]) < sortable(rising[i]));
    CHECK(sortable(static_cast<float>(rising[i - 1])) <= sortable(static_cast<float>(rising[i])));
  }
  CHECK(sortable(-0.0) == sortable(0.0));
  CHECK(sortable(-0.0F) == sortable(0.0F));
}
