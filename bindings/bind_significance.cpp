#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "mixedwood/significance.hpp"

namespace mixedwood {
namespace {

using Result = std::tuple<double, double, double>;

Result as_tuple(const Significance& s) { return {s.statistic, s.degrees_of_freedom, s.log_p}; }

}  // namespace

void bind_significance(nb::module_& m) {
  m.def("log_upper_gamma", &log_upper_gamma, nb::arg("a"), nb::arg("z"),
        "Logarithm of the upper regularised incomplete gamma function.");
  m.def("log_chi2_tail", &log_chi2_tail, nb::arg("statistic"), nb::arg("degrees_of_freedom"),
        "Logarithm of the tail probability of the chi-square distribution.");
  m.def(
      "pearson_test",
      [](const DoubleMatrix& counts) {
        return as_tuple(pearson_test(values_of(counts), counts.shape(0), counts.shape(1)));
      },
      nb::arg("counts").noconvert(), "Statistic, degrees of freedom, log p.");
  m.def(
      "conditional_test",
      [](const DoubleMatrix& counts) {
        return as_tuple(conditional_test(values_of(counts), counts.shape(0), counts.shape(1)));
      },
      nb::arg("counts").noconvert(), "Statistic, degrees of freedom, log p.");
  m.def(
      "conditional_test_numeric",
      [](const DoubleVector& x, const IntVector& classes,
         const std::optional<DoubleVector>& weights, int n_classes) {
        return as_tuple(conditional_test_numeric(
            values_of(x), values_of(classes),
            weights ? values_of(*weights) : std::span<const double>(), n_classes));
      },
      nb::arg("x").noconvert(), nb::arg("classes").noconvert(),
      nb::arg("weights").noconvert().none(), nb::arg("n_classes"),
      "Statistic, degrees of freedom, log p.");
}

}  // namespace mixedwood
