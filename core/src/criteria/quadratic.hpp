// Quadratic forms of class weights, for the Gini family.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace mixedwood {

// sum over classes x != y of u_x v_y, term by term: as a difference of products it would lose all
// digits where one class dominates.
inline double cross_pairs(std::span<const double> u, std::span<const double> v) {
  double sum = 0.0, u_before = 0.0, v_before = 0.0;
  for (std::size_t x = 0; x < u.size(); ++x) {
    sum += u[x] * v_before + v[x] * u_before;
    u_before += u[x];
    v_before += v[x];
  }
  return sum;
}

// Misclassification costs: symmetric, zero on the diagonal; or unit costs, when empty.
class CostForm {
 public:
  explicit CostForm(std::vector<double> costs) : costs_(std::move(costs)) {}

  // sum over classes x != y of cost(x, y) u_x v_y.
  double between(std::span<const double> u, std::span<const double> v) const {
    if (costs_.empty()) return cross_pairs(u, v);
    const std::size_t n = u.size();
    double sum = 0.0;
    for (std::size_t x = 0; x < n; ++x) {
      double inner = 0.0;
      for (std::size_t y = 0; y < n; ++y) inner += costs_[x * n + y] * v[y];
      sum += u[x] * inner;
    }
    return sum;
  }

 private:
  std::vector<double> costs_;
};

}  // namespace mixedwood
