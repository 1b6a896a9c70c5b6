// The direction of a step of Newton's method: the solution of H d = g.
#pragma once

#include <optional>
#include <vector>

#include "../numeric/cholesky.hpp"
#include "svm_rows.hpp"

namespace mixedwood::linear {

class NewtonDirection {
 public:
  explicit NewtonDirection(const SvmRows& rows);

  // Empty when asked to stop. Whatever it returns leads downhill from the point.
  std::vector<double> find(const SvmPoint& point, Stop& stop);

 private:
  std::vector<double> conjugate_gradients(const SvmPoint& point, Stop& stop) const;

  const SvmRows& rows_;
  std::optional<numeric::UpperMatrix> hessian_;  // none where there are too many columns
};

}  // namespace mixedwood::linear
