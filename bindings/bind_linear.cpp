#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "mixedwood/smooth_svm.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

using SignVector = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

SvmData data_of(const DoubleMatrix& x, const SignVector& signs,
                const std::optional<DoubleVector>& weights) {
  return {values_of(x), {signs.data(), signs.size()},
          weights ? values_of(*weights) : std::span<const double>(), x.shape(1)};
}

nb::dict fit(const DoubleMatrix& x, const SignVector& signs,
             const std::optional<DoubleVector>& weights, double c, double alpha, double tolerance,
             int max_iterations, const std::optional<DoubleVector>& start, double seconds) {
  SvmSettings settings;
  settings.c = c;
  settings.alpha = alpha;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  SignalWatch watch(seconds);
  SvmFit found;
  {
    nb::gil_scoped_release released;
    found = fit_smooth_svm(data_of(x, signs, weights), settings,
                           start ? values_of(*start) : std::span<const double>(), watch.stop);
  }
  watch.rethrow();
  nb::dict result;
  result["z"] = hand_over(std::move(found.z));
  result["objective"] = found.objective;
  result["gradient_norm"] = found.gradient_norm;
  result["iterations"] = found.iterations;
  result["converged"] = found.converged;
  result["timed_out"] = watch.stop.timed_out();
  result["steps"] = hand_over(std::move(found.steps));
  return result;
}

nb::dict derivatives(const DoubleMatrix& x, const SignVector& signs,
                     const std::optional<DoubleVector>& weights, double c, double alpha,
                     const DoubleVector& z) {
  SvmSettings settings;
  settings.c = c;
  settings.alpha = alpha;
  SvmDerivatives found = svm_derivatives(data_of(x, signs, weights), settings, values_of(z));
  nb::dict result;
  result["objective"] = found.objective;
  result["gradient"] = hand_over(std::move(found.gradient));
  result["hessian"] = hand_over(std::move(found.hessian));  // row by row
  return result;
}

auto decisions(const DoubleMatrix& x, const DoubleVector& z) {
  std::vector<double> found;
  {
    nb::gil_scoped_release released;
    found = svm_decisions(values_of(x), x.shape(0), values_of(z));
  }
  return hand_over(std::move(found));
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("fit_smooth_svm", &fit, nb::arg("x").noconvert(), nb::arg("signs").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("c"), nb::arg("alpha"),
        nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("start").noconvert().none(),
        nb::arg("seconds"),
        nb::sig("def fit_smooth_svm(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], "
                "weights: NDArray[numpy.float64] | None, c: float, alpha: float, "
                "tolerance: float, max_iterations: int, start: NDArray[numpy.float64] | None, "
                "seconds: float) -> dict[str, Any]"),
        "The plane of a smooth support vector machine. alpha 0: limit form.");
  m.def("svm_decisions", &decisions, nb::arg("x").noconvert(), nb::arg("z").noconvert(),
        "w.x + b of each row.");
  m.def("svm_derivatives", &derivatives, nb::arg("x").noconvert(), nb::arg("signs").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("c"), nb::arg("alpha"),
        nb::arg("z").noconvert(),
        nb::sig("def svm_derivatives(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], "
                "weights: NDArray[numpy.float64] | None, c: float, alpha: float, "
                "z: NDArray[numpy.float64]) -> dict[str, Any]"),
        "Objective, gradient and Hessian (row by row) at z.");
}

}  // namespace mixedwood
