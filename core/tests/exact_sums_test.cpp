#include "mixedwood/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "mixedwood/random.hpp"

using namespace mixedwood;

namespace {

double one_by_one(const std::vector<double>& numbers) {
  ExactSums sums(1);
  for (const double x : numbers) sums.add(0, x);
  return sums.value(0);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST(sums_at_once_are_those_one_by_one) {
  Random random(31);
  for (int i = 0; i < 4000; ++i) {
    std::vector<double> numbers(random.below(40));
    const int middle = static_cast<int>(random.below(2100)) - 1080;
    const int range = static_cast<int>(random.below(3) == 0 ? 200 : 30);
    for (double& x : numbers) {
      const int size = middle + static_cast<int>(random.below(static_cast<std::uint64_t>(range)));
      x = random.below(8) == 0 ? 0.0 : std::ldexp(random.normal(), size);
    }
    if (random.coin())  // so that much is left out
      for (std::size_t j = numbers.size() / 2; j < numbers.size(); ++j)
        numbers[j] = -numbers[numbers.size() - 1 - j];
    const double sum = exact_sum(numbers);
    CHECK(same(sum, one_by_one(numbers)));
    std::reverse(numbers.begin(), numbers.end());
    CHECK(same(sum, exact_sum(numbers)));
  }
}

TEST(sums_are_rounded_once) {
  const double e = std::numeric_limits<double>::epsilon();
  CHECK(exact_sum(std::vector<double>{1.0, e / 2, -1.0}) == e / 2);
  CHECK(exact_sum(std::vector<double>{1.0, e / 2}) == 1.0);  // a tie, to even
  CHECK(exact_sum(std::vector<double>{1.0, e / 2, e / 1024}) == 1.0 + e);
  CHECK(exact_sum(std::vector<double>{1e300, 1.0, -1e300}) == 1.0);
  CHECK(exact_sum(std::vector<double>{5e-324, 5e-324}) == 1e-323);
  CHECK(exact_sum({}) == 0.0);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(exact_sum(std::vector<double>{1.0, infinity}) == infinity);
  CHECK(std::isnan(exact_sum(std::vector<double>{-infinity, infinity})));
  double whole = 0.0;
  std::vector<double> numbers;
  for (int i = -1000; i < 3000; ++i) {
    numbers.push_back(i);
    whole += i;
  }
  CHECK(exact_sum(numbers) == whole);
}
