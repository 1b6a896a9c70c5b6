// Newton's method with Armijo's rule for a smooth, strongly convex function.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armijo.hpp"
#include "cholesky.hpp"
#include "linear_algebra.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

struct NewtonSettings {
  double tolerance = 1e-8;  // of the gradient's length, relative to 1 + |z|
  int max_iterations = 100;
  int max_halvings = 30;
  double delta = 0.05;  // share of the promised fall that a step must bring
};

struct NewtonEnd {
  double objective = 0.0;
  double gradient_norm = 0.0;
  int iterations = 0;
  bool converged = false;
  std::vector<double> steps;
};

// `Function` offers  double value(z);  void derivatives(z, gradient, hessian), which is asked right
// after `value` of the same z and fills the lower half of the matrix; and  std::int64_t cost(),
// roughly the steps that both take together.
template <typename Function>
NewtonEnd newton_armijo(Function& function, const NewtonSettings& settings,
                        std::vector<double>& z, Stop& stop) {
  const std::size_t n = z.size();
  NewtonEnd end;
  std::vector<double> gradient(n), step(n), next(n);
  SymmetricMatrix hessian(n);
  end.objective = function.value(z);
  for (;;) {
    function.derivatives(z, gradient, hessian);
    end.gradient_norm = std::sqrt(dot(gradient, gradient));
    if (end.gradient_norm <= settings.tolerance * (1.0 + std::sqrt(dot(z, z)))) {
      end.converged = true;
      return end;
    }
    if (end.iterations == settings.max_iterations) return end;
    if (stop.requested(function.cost())) return end;
    for (std::size_t i = 0; i < n; ++i) step[i] = -gradient[i];
    if (!solve_positive_definite(hessian, step)) return end;
    double value = 0.0;
    const double length = armijo_step(
        {end.objective, -dot(gradient, step), settings.delta, settings.max_halvings},
        [&](double share) {
          for (std::size_t i = 0; i < n; ++i) next[i] = z[i] + share * step[i];
          return value = function.value(next);
        },
        [](double) { return false; });
    if (length == 0.0) return end;  // as far down as rounding lets us see
    z.swap(next);
    end.objective = value;
    end.steps.push_back(length);
    ++end.iterations;
  }
}

}  // namespace mixedwood
