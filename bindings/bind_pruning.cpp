#include <nanobind/stl/optional.h>

#include <limits>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "mixedwood/pruning.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

using ByteVector = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using ArrayOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

nb::tuple cost_complexity_py(const IntVector& parent, const DoubleVector& costs) {
  SignalWatch watch(std::numeric_limits<double>::infinity());
  CostComplexity path;
  try {
    nb::gil_scoped_release released;
    path = cost_complexity(values_of(parent), values_of(costs), watch.stop);
  } catch (const Stopped&) {
    // There is no time limit: it was a signal, whose exception comes next.
  }
  watch.rethrow();
  return nb::make_tuple(hand_over(std::move(path.alphas)), hand_over(std::move(path.n_leaves)),
                        hand_over(std::move(path.costs)), hand_over(std::move(path.cut_at)));
}

RoutedRows rows_of(const IntVector& parent, const IntVector& label, const DoubleMatrix& counts,
                   const std::optional<DoubleMatrix>& costs) {
  if (counts.shape(0) != parent.size())
    throw std::invalid_argument("a label and class weights are needed for each node");
  return {values_of(parent), values_of(label), values_of(counts), counts.shape(1),
          costs ? values_of(*costs) : std::span<const double>{}};
}

ArrayOut<double> path_errors_py(const IntVector& parent, const IntVector& label,
                                const DoubleMatrix& counts, const DoubleVector& cut_at,
                                const DoubleVector& alphas,
                                const std::optional<DoubleMatrix>& costs) {
  const RoutedRows rows = rows_of(parent, label, counts, costs);
  std::vector<double> errors;
  {
    nb::gil_scoped_release released;
    errors = path_errors(rows, values_of(cut_at), values_of(alphas));
  }
  return hand_over(std::move(errors));
}

ArrayOut<std::uint8_t> reduced_error_py(const IntVector& parent, const IntVector& label,
                                        const DoubleMatrix& counts, const ByteVector& inherited,
                                        const std::optional<DoubleMatrix>& costs) {
  const RoutedRows rows = rows_of(parent, label, counts, costs);
  std::vector<std::uint8_t> cut;
  {
    nb::gil_scoped_release released;
    cut = reduced_error(rows, {inherited.data(), inherited.size()});
  }
  return hand_over(std::move(cut));
}

}  // namespace

void bind_pruning(nb::module_& m) {
  m.def("cost_complexity", &cost_complexity_py, nb::arg("parent").noconvert(),
        nb::arg("costs").noconvert(),
        nb::sig("def cost_complexity(parent: NDArray[numpy.int32], costs: NDArray[numpy.float64]) "
                "-> tuple[NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.float64], "
                "NDArray[numpy.float64]]"),
        "Alphas, leaves and cost at each, and where each node is cut.");
  m.def("path_errors", &path_errors_py, nb::arg("parent").noconvert(),
        nb::arg("label").noconvert(), nb::arg("counts").noconvert(), nb::arg("cut_at").noconvert(),
        nb::arg("alphas").noconvert(), nb::arg("costs").noconvert().none() = nb::none(),
        nb::sig("def path_errors(parent: NDArray[numpy.int32], label: NDArray[numpy.int32], "
                "counts: NDArray[numpy.float64], cut_at: NDArray[numpy.float64], "
                "alphas: NDArray[numpy.float64], costs: NDArray[numpy.float64] | None = None) "
                "-> NDArray[numpy.float64]"),
        "Weight, or cost, of the wrong rows at each alpha, by the rows that end in each node.");
  m.def("reduced_error", &reduced_error_py, nb::arg("parent").noconvert(),
        nb::arg("label").noconvert(), nb::arg("counts").noconvert(),
        nb::arg("inherited").noconvert(), nb::arg("costs").noconvert().none() = nb::none(),
        nb::sig("def reduced_error(parent: NDArray[numpy.int32], label: NDArray[numpy.int32], "
                "counts: NDArray[numpy.float64], inherited: NDArray[numpy.uint8], "
                "costs: NDArray[numpy.float64] | None = None) "
                "-> NDArray[numpy.uint8]"),
        "1 for each node that is better as a leaf, by the rows that end in each node.");
}

}  // namespace mixedwood
