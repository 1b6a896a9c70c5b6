// The complete graph on the values: how good is it to separate two of them?
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mixedwood/count_table.hpp"
#include "mixedwood/criterion.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// Symmetric, not negative, zero diagonal.
class PairWeights {
 public:
  explicit PairWeights(int n);
  int size() const { return static_cast<int>(n_); }
  double operator()(int i, int j) const { return row(i)[at(j)]; }
  std::span<const double> row(int i) const {
    return {w_.data() + static_cast<std::size_t>(i) * n_, n_};
  }
  void set(int i, int j, double w) {
    w_[at(i) * n_ + static_cast<std::size_t>(j)] = w;
    w_[at(j) * n_ + static_cast<std::size_t>(i)] = w;
  }
  double sum() const;  // over pairs i < j

 private:
  std::size_t n_;
  std::vector<double> w_;
};

// All throw Stopped when asked to stop.
// Chi-square of the 2 x k table of the two rows, divided by (values - 1).
PairWeights chi2_weights(const CountTable& table, Stop& stop);
// 2/N^2 * sum over classes x != y of cost(x, y) A_ix A_jy; empty costs are unit costs.
PairWeights squared_gini_weights(const CountTable& table, std::span<const double> costs,
                                 Stop& stop);
// The score of the table of the two rows alone; 0 where a score is negative.
PairWeights score_weights(const CountTable& table, const Criterion& criterion, Stop& stop);

}  // namespace mixedwood
