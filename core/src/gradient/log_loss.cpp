#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mixedwood/gradient.hpp"
#include "workers.hpp"

namespace mixedwood {
namespace {

constexpr std::size_t kScoresWorthAThread = 5'000;

struct Rows {
  std::span<const double> scores;
  std::span<const std::int32_t> classes;
  std::span<const double> weights;
  std::size_t n_outputs;
  std::span<double> gradients, hessians;

  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }

  void two_classes(std::size_t begin, std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row) {
      const double p = 1.0 / (1.0 + std::exp(-scores[row]));
      gradients[row] = weight(row) * (p - (classes[row] == 1 ? 1.0 : 0.0));
      hessians[row] = weight(row) * p * (1.0 - p);
    }
  }

  void many_classes(std::size_t begin, std::size_t end) const {
    // The usual diagonal bound on the matrix of second derivatives.
    const double factor = static_cast<double>(n_outputs) / static_cast<double>(n_outputs - 1);
    for (std::size_t row = begin; row < end; ++row) {
      const auto its = scores.subspan(row * n_outputs, n_outputs);
      double* const gradient = gradients.data() + row * n_outputs;
      double* const hessian = hessians.data() + row * n_outputs;
      const double most = *std::max_element(its.begin(), its.end());
      double total = 0.0;
      for (std::size_t d = 0; d < n_outputs; ++d) total += gradient[d] = std::exp(its[d] - most);
      for (std::size_t d = 0; d < n_outputs; ++d) {
        const double p = gradient[d] / total;
        gradient[d] = weight(row) * (p - (static_cast<std::size_t>(classes[row]) == d ? 1.0 : 0.0));
        hessian[d] = weight(row) * factor * p * (1.0 - p);
      }
    }
  }
};

}  // namespace

void log_loss_derivatives(std::span<const double> scores, std::span<const std::int32_t> classes,
                          std::span<const double> weights, std::size_t n_outputs,
                          std::span<double> gradients, std::span<double> hessians, int n_threads) {
  const std::size_t n = classes.size();
  if (n_outputs < 1 || scores.size() != n * n_outputs || gradients.size() != scores.size() ||
      hessians.size() != scores.size() || (!weights.empty() && weights.size() != n))
    throw std::invalid_argument("scores and derivatives differ in size");
  const Rows rows{scores, classes, weights, n_outputs, gradients, hessians};
  Workers workers(n_threads);
  const std::size_t n_parts = workers.parts(scores.size(), kScoresWorthAThread);
  workers.run(n_parts, [&](std::size_t part) {
    const std::size_t begin = Workers::begin(n, part, n_parts);
    const std::size_t end = Workers::begin(n, part + 1, n_parts);
    n_outputs == 1 ? rows.two_classes(begin, end) : rows.many_classes(begin, end);
  });
}

void add_steps(std::span<double> scores, std::size_t n_outputs, std::size_t first,
               std::span<const double> steps, std::size_t n_steps,
               std::span<const std::int32_t> nodes) {
  if (scores.size() != nodes.size() * n_outputs || first > n_outputs ||
      n_steps > n_outputs - first)
    throw std::invalid_argument("scores and steps differ in size");
  for (std::size_t row = 0; row < nodes.size(); ++row) {
    if (nodes[row] < 0) continue;
    const std::size_t from = static_cast<std::size_t>(nodes[row]) * n_steps;
    if (from + n_steps > steps.size()) throw std::invalid_argument("there is no such node");
    for (std::size_t d = 0; d < n_steps; ++d)
      scores[row * n_outputs + first + d] += steps[from + d];
  }
}

}  // namespace mixedwood
