// Max-cut by semidefinite relaxation (Goemans, Williamson 1995), without an SDP solver.
//
// minimise <W, Y>, Y positive semidefinite with unit diagonal, written as Y = V'V with unit
// columns of length about sqrt(2n): at that rank local minima are global (Burer, Monteiro 2003).
// Coordinate descent sets v_i = -normalise(sum_j w_ij v_j). Random hyperplanes round V to cuts;
// the best one goes through local search. The dual gives a bound on every cut, so that a cut
// that reaches it is proven heaviest.
#include <cstdint>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "../numeric/cholesky.hpp"
#include "cut_search.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/registry.hpp"

namespace mixedwood::partitioners {
namespace {

constexpr int kMostSweeps = 1000;
constexpr double kPrecision = 1e-9;  // fall of the objective in a scan, of all weight

class Relaxation {
 public:
  Relaxation(const PairWeights& weights, Random& random)
      : weights_(weights),
        n_(static_cast<std::size_t>(weights.size())),
        rank_(static_cast<std::size_t>(std::ceil(std::sqrt(2.0 * weights.size()))) + 1),
        vectors_(n_ * rank_),
        pull_(n_, 0.0) {
    for (double& x : vectors_) x = random.normal();
    for (std::size_t i = 0; i < n_; ++i) normalise(vector(i));
  }

  // Returns false when stopped early. Converged when a scan turns no vector noticeably.
  bool solve(Stop& stop) {
    std::vector<double> sum(rank_);
    const double total = weights_.sum();
    for (int scan = 0; scan < kMostSweeps; ++scan) {
      double change = 0.0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (stop.requested(static_cast<std::int64_t>(n_ * rank_))) return false;
        pull(i, sum);
        pull_[i] = std::sqrt(dot(sum, sum));
        if (!(pull_[i] > 0.0)) continue;
        const auto v = vector(i);
        // Twice the fall of the objective: |sum| + v.sum >= 0.
        change += pull_[i] + dot(v, sum);
        for (std::size_t r = 0; r < rank_; ++r) v[r] = -sum[r] / pull_[i];
      }
      if (change <= kPrecision * total) break;
    }
    return true;
  }

  Sides round(Random& random) const {
    std::vector<double> normal(rank_);
    for (double& x : normal) x = random.normal();
    Sides sides(n_);
    for (std::size_t i = 0; i < n_; ++i) sides[i] = dot(vector(i), normal) > 0.0 ? 0 : 1;
    return sides;
  }

  // No cut is heavier. With y_i = -|pull_i| + shift such that W - diag(y) is positive
  // semidefinite, <W, Y> >= sum y for every feasible Y, and cut = (sum of weights)/2 - <W, Y>/4.
  double bound(Stop& stop) const {
    const double total = weights_.sum();
    if (!(total > 0.0)) return 0.0;
    try {
      return dual_bound(total, stop);
    } catch (const Stopped&) {
      return total;  // every cut is at most everything
    }
  }

 private:
  double dual_bound(double total, Stop& stop) const {
    double sum_y = 0.0, scale = 0.0;
    for (double p : pull_) {
      sum_y -= p;
      scale = std::max(scale, p);
    }
    SymmetricMatrix slack(n_);
    double largest = 0.0;  // no eigenvalue is larger (Gershgorin)
    for (std::size_t i = 0; i < n_; ++i) {
      const auto row = weights_.row(static_cast<int>(i));
      std::copy(row.begin(), row.end(), slack.row(i).begin());
      slack.row(i)[i] += pull_[i];
      double reach = 0.0;
      for (double x : slack.row(i)) reach += std::abs(x);
      largest = std::max(largest, reach);
    }
    // A good guess of the shift from the smallest eigenvalue, then a proof by Cholesky.
    double shift = 1e-13 * scale + std::max(0.0, -smallest_eigenvalue(slack, largest, stop));
    shift = std::max(shift, std::numeric_limits<double>::min());  // doubling must get somewhere
    for (; shift <= 2.0 * largest; shift *= 2.0) {
      SymmetricMatrix shifted = slack;
      for (std::size_t i = 0; i < n_; ++i) shifted.row(i)[i] += shift;
      if (is_positive_definite(std::move(shifted), stop))
        return total / 2.0 - (sum_y - static_cast<double>(n_) * shift) / 4.0;
      if (stop.requested()) break;
    }
    return total;  // every cut is at most everything
  }

  static double smallest_eigenvalue(const SymmetricMatrix& matrix, double largest, Stop& stop) {
    SymmetricMatrix mirrored(matrix.size);
    for (std::size_t i = 0; i < matrix.entries.size(); ++i)
      mirrored.entries[i] = -matrix.entries[i];
    for (std::size_t i = 0; i < matrix.size; ++i) mirrored.row(i)[i] += largest;
    const auto v = dominant_eigenvector(mirrored, stop);
    double value = 0.0;
    for (std::size_t i = 0; i < matrix.size; ++i) value += v[i] * dot(matrix.row(i), v);
    return value;
  }
  std::span<double> vector(std::size_t i) { return {vectors_.data() + i * rank_, rank_}; }
  std::span<const double> vector(std::size_t i) const {
    return {vectors_.data() + i * rank_, rank_};
  }
  void pull(std::size_t i, std::span<double> sum) const {
    std::fill(sum.begin(), sum.end(), 0.0);
    const auto row = weights_.row(static_cast<int>(i));
    for (std::size_t j = 0; j < n_; ++j)
      if (row[j] != 0.0) add_scaled(sum, row[j], vector(j));
  }

  const PairWeights& weights_;
  std::size_t n_, rank_;
  std::vector<double> vectors_;  // column i of V, one after the other
  std::vector<double> pull_;     // |sum_j w_ij v_j|
};

class MaxCutSdp final : public Partitioner {
 public:
  explicit MaxCutSdp(const Options& options)
      : weights_(options),
        roundings_(static_cast<int>(options.get<std::int64_t>("roundings"))),
        local_search_(options.get<bool>("local_search")) {}

  Grouping search(const SplitProblem& problem) const override {
    const auto edges = weights_.of(problem);
    const PairWeights& weights = *edges;
    Random random(problem.seed);
    Relaxation relaxation(weights, random);
    Grouping best;
    best.complete = relaxation.solve(problem.stop);
    const bool cut_is_score = weights_.are_score(problem);
    Sides heaviest = greedy_cut(weights);
    double heaviest_weight = -1.0;
    for (int r = 0; r < roundings_; ++r) {
      Sides sides = relaxation.round(random);
      const auto n_right = std::count(sides.begin(), sides.end(), 1);
      if (n_right == 0 || n_right == static_cast<std::ptrdiff_t>(sides.size())) continue;
      const double weight = cut_weight(weights, sides);
      if (weight > heaviest_weight) {
        heaviest_weight = weight;
        heaviest = std::move(sides);
      }
      if (problem.stop.requested(weights.size() * static_cast<std::int64_t>(weights.size()))) break;
    }
    if (local_search_) best.complete = improve_cut(weights, heaviest, problem.stop) && best.complete;
    const auto scorer = problem.scorer();
    scorer->assign(heaviest);
    best.offer(scorer->score(), heaviest);
    if (problem.stop.timed_out()) best.complete = false;
    if (cut_is_score && best.complete) {
      best.bound = relaxation.bound(problem.stop);
      // A proof cut short is a looser bound, not a wrong one.
      if (problem.stop.timed_out()) best.complete = false;
      if (best.bound < best.score * (1.0 - 1e-9))
        throw std::logic_error("a cut is heavier than its proven bound: please report this table");
      best.bound = std::max(best.bound, best.score);
      best.exact = best.score >= best.bound * (1.0 - 1e-9);
    }
    return best;
  }

 private:
  EdgeWeights weights_;
  int roundings_;
  bool local_search_;
};

}  // namespace

std::unique_ptr<Partitioner> make_max_cut_sdp(const Options& options) {
  return std::make_unique<MaxCutSdp>(options);
}

}  // namespace mixedwood::partitioners
