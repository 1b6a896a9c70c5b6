// Quadratic forms of class weights, for the Gini family.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace mixedwood {

inline double sum_of_squares(std::span<const double> u) {
  double sum = 0.0;
  for (double x : u) sum += x * x;
  return sum;
}

// u' C v for a symmetric matrix of misclassification costs with a zero diagonal.
class CostForm {
 public:
  CostForm(std::vector<double> costs, int n_classes)
      : costs_(std::move(costs)), n_(static_cast<std::size_t>(n_classes)) {}

  double bilinear(std::span<const double> u, std::span<const double> v) const {
    double sum = 0.0;
    for (std::size_t x = 0; x < n_; ++x) {
      double inner = 0.0;
      for (std::size_t y = 0; y < n_; ++y) inner += costs_[x * n_ + y] * v[y];
      sum += u[x] * inner;
    }
    return sum;
  }
  double quadratic(std::span<const double> u) const { return bilinear(u, u); }

 private:
  std::vector<double> costs_;
  std::size_t n_;
};

}  // namespace mixedwood
