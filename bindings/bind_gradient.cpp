#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "choices.hpp"
#include "growth.hpp"
#include "mixedwood/gradient.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

using DoubleMatrixOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BinnedColumns {
  BinnedTable table;
  std::vector<nb::object> owners;
};

void make_binned(BinnedColumns* self, const EncodedColumns& coded, std::int32_t max_bins,
                 const std::optional<DoubleVector>& weights) {
  const auto given = weights ? values_of(*weights) : std::span<const double>();
  BinnedTable table = [&] {
    nb::gil_scoped_release released;
    return BinnedTable(coded.table, max_bins, given);
  }();
  new (self) BinnedColumns{std::move(table), coded.owners};
}

nb::dict gradient_tree_py(const BinnedColumns& binned, const DoubleMatrix& gradients,
                          const DoubleMatrix& hessians, const IntVector& classes,
                          const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                          const std::optional<DoubleVector>& numbers, const IntVector& rows, const IntVector& others,
                          const std::optional<IntVector>& columns, const GradientSettings& settings,
                          double time_limit) {
  GradientData data;
  data.gradients = values_of(gradients);
  data.hessians = values_of(hessians);
  data.n_outputs = gradients.shape(1);
  data.classes = values_of(classes);
  if (weights) data.weights = values_of(*weights);
  data.n_classes = n_classes;
  if (numbers) data.numbers = values_of(*numbers);
  data.rows = values_of(rows);
  data.others = values_of(others);
  if (columns) data.columns = values_of(*columns);
  SignalWatch watch(time_limit);
  GradientTree grown;
  {
    nb::gil_scoped_release released;
    grown = grow_gradient_tree(binned.table, data, settings, watch.stop);
  }
  watch.rethrow();
  nb::dict result = arrays_of(std::move(grown.tree));
  result["values"] = hand_over(std::move(grown.values));
  result["node_of_row"] = hand_over(std::move(grown.node_of_row));
  return result;
}

void derivatives_py(const DoubleMatrix& scores, const IntVector& classes,
                    const std::optional<DoubleVector>& weights, DoubleMatrixOut gradients,
                    DoubleMatrixOut hessians, int n_threads) {
  nb::gil_scoped_release released;
  log_loss_derivatives(values_of(scores), values_of(classes),
                       weights ? values_of(*weights) : std::span<const double>(), scores.shape(1),
                       {gradients.data(), gradients.size()}, {hessians.data(), hessians.size()},
                       n_threads);
}

void add_steps_py(DoubleMatrixOut scores, std::size_t first, const DoubleMatrix& steps,
                  const IntVector& nodes) {
  nb::gil_scoped_release released;
  add_steps({scores.data(), scores.size()}, scores.shape(1), first, values_of(steps),
            steps.shape(1), values_of(nodes));
}

}  // namespace

void bind_gradient(nb::module_& m) {
  nb::class_<BinnedColumns>(m, "BinnedTable", "A coded table in bins, for gradient boosting.")
      .def("__init__", &make_binned, nb::arg("table"), nb::arg("max_bins"),
           nb::arg("weights").noconvert().none() = nb::none());
  nb::class_<GradientSettings>(m, "GradientSettings", "How a gradient tree is grown.")
      .def(nb::init<>())
      .def_rw("max_depth", &GradientSettings::max_depth, nb::arg().none())
      .def_rw("max_leaf_nodes", &GradientSettings::max_leaf_nodes, nb::arg().none())
      .def_rw("best_first", &GradientSettings::best_first)
      .def_rw("min_samples_leaf", &GradientSettings::min_samples_leaf)
      .def_rw("min_child_weight", &GradientSettings::min_child_weight)
      .def_rw("l2_regularization", &GradientSettings::l2_regularization)
      .def_rw("min_split_gain", &GradientSettings::min_split_gain)
      .def_rw("max_features", &GradientSettings::max_features, nb::arg().none())
      .def_rw("half_of_others", &GradientSettings::half_of_others)
      .def_rw("category_order", &GradientSettings::category_order)
      .def_rw("cat_l2", &GradientSettings::cat_l2)
      .def_rw("cat_smooth", &GradientSettings::cat_smooth)
      .def_rw("selection", &GradientSettings::selection)
      .def_rw("dispersion", &GradientSettings::dispersion)
      .def_rw("handle_unknown", &GradientSettings::handle_unknown)
      .def_rw("seed", &GradientSettings::seed)
      .def_rw("n_threads", &GradientSettings::n_threads)
      .def_prop_rw(
          "monotonic_cst",
          [](const GradientSettings& s) { return hand_over(std::vector<std::int8_t>(s.monotonic_cst)); },
          [](GradientSettings& s, const SignVector& given) {
            s.monotonic_cst.assign(given.data(), given.data() + given.size());
          });
  m.def("gradient_tree", &gradient_tree_py, nb::arg("table"), nb::arg("gradients").noconvert(),
        nb::arg("hessians").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"),
        nb::arg("numbers").noconvert().none(), nb::arg("rows").noconvert(),
        nb::arg("others").noconvert(), nb::arg("columns").noconvert().none(), nb::arg("settings"),
        nb::arg("time_limit"),
        nb::sig("def gradient_tree(table: BinnedTable, gradients: NDArray[numpy.float64], "
                "hessians: NDArray[numpy.float64], classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "numbers: NDArray[numpy.float64] | None, rows: NDArray[numpy.int32], others: NDArray[numpy.int32], "
                "columns: NDArray[numpy.int32] | None, settings: GradientSettings, "
                "time_limit: float) -> dict[str, typing.Any]"),
        "Arrays of a tree whose values are Newton steps, and the node of each row.");
  m.def("log_loss_derivatives", &derivatives_py, nb::arg("scores").noconvert(),
        nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("gradients").noconvert(), nb::arg("hessians").noconvert(),
        nb::arg("n_threads") = 1,
        nb::sig("def log_loss_derivatives(scores: NDArray[numpy.float64], "
                "classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, "
                "gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64], "
                "n_threads: int = 1) -> None"),
        "First and second derivatives of the log loss, written into two arrays.");
  m.def("add_steps", &add_steps_py, nb::arg("scores").noconvert(), nb::arg("first"),
        nb::arg("steps").noconvert(), nb::arg("nodes").noconvert(),
        nb::sig("def add_steps(scores: NDArray[numpy.float64], first: int, "
                "steps: NDArray[numpy.float64], nodes: NDArray[numpy.int32]) -> None"),
        "Add to each row's scores, from the first output on, the step of its node.");
}

}  // namespace mixedwood
