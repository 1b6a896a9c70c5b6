#include "superclasses.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mixedwood {
namespace {

constexpr std::size_t kFewClasses = 5;  // up to this many, all groupings are tried on request

}  // namespace

std::vector<std::vector<std::int8_t>> group_classes(MultiClass how,
                                                    std::span<const double> weights,
                                                    std::size_t most) {
  const std::size_t k = weights.size();
  std::vector<std::size_t> order(k);  // heaviest first
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<std::vector<std::int8_t>> of_class;  // sign of each class
  const auto alone = [&](std::size_t c) {
    std::vector<std::int8_t> signs(k, -1);
    signs[c] = 1;
    of_class.push_back(std::move(signs));
  };
  if (k == 2) {
    alone(1);  // the later class is the positive one
  } else if (how == MultiClass::kLargest) {
    alone(order[0]);
  } else if (how == MultiClass::kBalanced) {
    std::vector<std::int8_t> signs(k, -1);
    double sum[2] = {0.0, 0.0};
    for (const std::size_t c : order) {
      const bool positive = sum[1] <= sum[0];
      sum[positive] += weights[c];
      if (positive) signs[c] = 1;
    }
    of_class.push_back(std::move(signs));
  } else if (how == MultiClass::kExhaustive && k <= kFewClasses) {
    for (std::size_t bits = 1; bits < (std::size_t{1} << (k - 1)); ++bits) {
      std::vector<std::int8_t> signs(k, -1);
      for (std::size_t c = 0; c + 1 < k; ++c)
        if (bits >> c & 1) signs[c] = 1;
      of_class.push_back(std::move(signs));
    }
  } else {
    for (std::size_t c = 0; c < std::min(k, most); ++c) alone(order[c]);
  }
  return of_class;
}

}  // namespace mixedwood
