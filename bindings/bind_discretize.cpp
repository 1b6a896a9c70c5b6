#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "choices.hpp"
#include "mixedwood/discretize.hpp"

namespace mixedwood {
namespace {

nb::ndarray<nb::numpy, double, nb::ndim<1>> cut_points_py(
    const DoubleVector& numbers, const std::optional<IntVector>& classes, std::size_t n_classes,
    CutRule rule, std::int64_t n_bins) {
  std::vector<double> cuts;
  {
    nb::gil_scoped_release released;
    for (const CutPoint& cut :
         cut_points(rule, values_of(numbers),
                    classes ? values_of(*classes) : std::span<const std::int32_t>(), n_classes,
                    n_bins))
      cuts.push_back(cut.at);
  }
  return hand_over(std::move(cuts));
}

}  // namespace

void bind_discretize(nb::module_& m) {
  m.def("cut_points", &cut_points_py, nb::arg("numbers").noconvert(),
        nb::arg("classes").noconvert().none(), nb::arg("n_classes"), nb::arg("rule"),
        nb::arg("n_bins"),
        nb::sig("def cut_points(numbers: NDArray[numpy.float64], classes: NDArray[numpy.int32] | "
                "None, n_classes: int, rule: str, n_bins: int) -> NDArray[numpy.float64]"),
        "Ascending cut points of one column; NaN is left out.");
}

}  // namespace mixedwood
