// Armijo's rule for the length of a step downhill.
#pragma once

namespace mixedwood {

struct ArmijoSettings {
  double here = 0.0;   // the function where the step begins
  double slope = 0.0;  // its fall along a full step, were it straight
  double share = 0.0;  // of the promised fall that a step must bring
  int max_halvings = 0;
};

// The first of 1, 1/2, 1/4, ... that is good enough; 0 when none is, or when `gives_up` says so of one
// that is not.
template <typename Function, typename GivesUp>
double armijo_step(const ArmijoSettings& settings, const Function& value_after,
                   const GivesUp& gives_up) {
  double step = 1.0;
  for (int halvings = 0;; ++halvings, step /= 2.0) {
    if (settings.here - value_after(step) >= settings.share * step * settings.slope) return step;
    if (gives_up(step) || halvings == settings.max_halvings) return 0.0;
  }
}

}  // namespace mixedwood
