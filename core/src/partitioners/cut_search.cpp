#include "cut_search.hpp"

#include <cstdint>
#include <algorithm>
#include <utility>
#include <vector>

namespace mixedwood::partitioners {

// The graph that SplitProblem::pair_weights() makes; asked for by its name it is not made twice.
bool EdgeWeights::are_own(const SplitProblem& problem) const {
  return name_ == "criterion" ||
         name_ == (problem.criterion.traits().pairwise ? "chi2" : "squared_gini");
}

bool EdgeWeights::are_score(const SplitProblem& problem) const {
  return are_own(problem) && problem.criterion.traits().cut_weight && !problem.ordered;
}

std::shared_ptr<const PairWeights> EdgeWeights::of(const SplitProblem& problem) const {
  if (are_own(problem)) return problem.pair_weights();
  if (name_ == "chi2")
    return std::make_shared<const PairWeights>(chi2_weights(problem.table, problem.stop));
  if (name_ == "squared_gini")
    return std::make_shared<const PairWeights>(
        squared_gini_weights(problem.table, problem.costs, problem.stop));
  const CriterionInfo& info = criterion_info(name_);
  std::vector<double> costs;
  if (info.takes_costs) costs.assign(problem.costs.begin(), problem.costs.end());
  const auto criterion = info.make(std::move(costs));
  return std::make_shared<const PairWeights>(score_weights(problem.table, *criterion, problem.stop));
}

double cut_weight(const PairWeights& weights, const Sides& sides) {
  double cut = 0.0;
  for (int i = 0; i < weights.size(); ++i) {
    const auto row = weights.row(i);
    for (std::size_t j = 0; j < static_cast<std::size_t>(i); ++j)
      if (sides[j] != sides[at(i)]) cut += row[j];
  }
  return cut;
}

Sides greedy_cut(const PairWeights& weights) {
  Sides sides(static_cast<std::size_t>(weights.size()), 0);
  for (int v = 1; v < weights.size(); ++v) {
    const auto row = weights.row(v);
    double to_side[2] = {0.0, 0.0};
    for (std::size_t u = 0; u < static_cast<std::size_t>(v); ++u) to_side[sides[u]] += row[u];
    // On the right, the edges to the left are cut. Equal but for rounding is equal.
    sides[at(v)] = to_side[0] >= to_side[1] * (1.0 - 1e-12) ? 1 : 0;
  }
  return sides;
}

namespace {

// Keeps, for each value, what moving it would add to the cut.
class LocalSearch {
 public:
  LocalSearch(const PairWeights& weights, Sides& sides, double least)
      : weights_(weights), sides_(sides), least_(least), gain_(sides.size()),
        heaviest_(sides.size()) {
    for (std::size_t v = 0; v < sides.size(); ++v) {
      const auto row = weights_.row(static_cast<int>(v));
      heaviest_[v] = *std::max_element(row.begin(), row.end());
    }
    refresh();
  }

  bool try_move() {
    for (std::size_t v = 0; v < gain_.size(); ++v) {
      if (gain_[v] < least_) continue;
      move(v);
      return true;
    }
    return false;
  }

  bool try_exchange() {
    const double best_gain = *std::max_element(gain_.begin(), gain_.end());
    for (std::size_t a = 0; a < gain_.size(); ++a) {
      // No partner can make up for this value: skip its row.
      if (gain_[a] + best_gain + 2.0 * heaviest_[a] < least_) continue;
      const auto row = weights_.row(static_cast<int>(a));
      for (std::size_t b = a + 1; b < gain_.size(); ++b) {
        if (sides_[a] == sides_[b]) continue;
        if (gain_[a] + gain_[b] + 2.0 * row[b] < least_) continue;
        move(a);
        move(b);
        return true;
      }
    }
    return false;
  }

  // Rounding of many updates is wiped out.
  void refresh() {
    for (std::size_t v = 0; v < gain_.size(); ++v) {
      const auto row = weights_.row(static_cast<int>(v));
      gain_[v] = 0.0;
      for (std::size_t u = 0; u < row.size(); ++u)
        gain_[v] += sides_[u] == sides_[v] ? row[u] : -row[u];
    }
  }

 private:
  void move(std::size_t v) {
    const auto row = weights_.row(static_cast<int>(v));
    sides_[v] ^= 1;
    gain_[v] = -gain_[v];
    for (std::size_t u = 0; u < row.size(); ++u)
      if (u != v) gain_[u] += sides_[u] == sides_[v] ? 2.0 * row[u] : -2.0 * row[u];
  }

  const PairWeights& weights_;
  Sides& sides_;
  double least_;  // smaller gains are rounding
  std::vector<double> gain_;
  std::vector<double> heaviest_;
};

}  // namespace

bool improve_cut(const PairWeights& weights, Sides& sides, Stop& stop) {
  const double total = weights.sum();
  if (!(total > 0.0)) return true;
  // Relative to all weight: an absolute tolerance would stop early on normalised weights.
  LocalSearch search(weights, sides, 1e-12 * total);
  const std::int64_t n = weights.size();
  const std::int64_t most_steps = 10 * n * n;  // the worst case is exponential
  for (std::int64_t step = 1; step <= most_steps; ++step) {
    if (!search.try_move() && !search.try_exchange()) return true;
    if (step % 1000 == 0) search.refresh();
    if (stop.requested(4 * n)) return false;
  }
  return true;
}

}  // namespace mixedwood::partitioners
