#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "growth.hpp"
#include "mixedwood/boost.hpp"
#include "python_parts.hpp"
#include "settings.hpp"

namespace mixedwood {
namespace {

using DoubleMatrixOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BinnedColumns {
  BinnedTable table;
  std::vector<nb::object> owners;
};

void make_binned(BinnedColumns* room, const CodedColumns& coded, std::int32_t max_bins,
                 const std::optional<DoubleVector>& weights) {
  const auto given = weights ? values_of(*weights) : std::span<const double>();
  BinnedTable table = [&] {
    nb::gil_scoped_release released;
    return BinnedTable(coded.table, max_bins, given);
  }();
  new (room) BinnedColumns{std::move(table), coded.owners};
}

BoostSettings read_settings(const nb::dict& given) {
  BoostSettings s;
  s.max_depth = get<std::int32_t>(given, "max_depth");
  s.max_leaves = get<std::int64_t>(given, "max_leaves");
  s.best_first = get<bool>(given, "best_first");
  s.min_leaf = get<double>(given, "min_leaf");
  s.min_hessian = get<double>(given, "min_hessian");
  s.l2 = get<double>(given, "l2");
  s.min_gain = get<double>(given, "min_gain");
  s.max_columns = get<std::int32_t>(given, "max_columns");
  s.nominal_l2 = get<double>(given, "nominal_l2");
  s.smoothing = get<double>(given, "smoothing");
  s.adjusted = get<bool>(given, "adjusted");
  s.seed = get<std::uint64_t>(given, "seed");
  s.n_threads = get<int>(given, "n_threads");
  const auto order = get<std::string>(given, "order");
  if (order == "sorted")
    s.order = BoostSettings::Order::kSorted;
  else if (order == "random_per_tree")
    s.order = BoostSettings::Order::kRandomPerTree;
  else if (order == "random_per_node")
    s.order = BoostSettings::Order::kRandomPerNode;
  else
    throw std::invalid_argument("the setting 'order' is not '" + order + "'");
  const auto unseen = get<std::string>(given, "unseen");
  if (unseen == "node")
    s.unseen = GrowSettings::Unseen::kStop;
  else if (unseen == "missing")
    s.unseen = GrowSettings::Unseen::kLikeMissing;
  else if (unseen == "majority")
    s.unseen = GrowSettings::Unseen::kHeavier;
  else
    throw std::invalid_argument("the setting 'unseen' is not '" + unseen + "'");
  return s;
}

nb::dict gradient_tree_py(const BinnedColumns& binned, const DoubleMatrix& gradients,
                          const DoubleMatrix& hessians, const IntVector& classes,
                          const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                          const IntVector& rows, const IntVector& others,
                          const std::optional<IntVector>& columns, const nb::dict& settings,
                          double time_limit) {
  BoostData data;
  data.gradients = values_of(gradients);
  data.hessians = values_of(hessians);
  data.n_outputs = gradients.shape(1);
  data.classes = values_of(classes);
  if (weights) data.weights = values_of(*weights);
  data.n_classes = n_classes;
  data.rows = values_of(rows);
  data.others = values_of(others);
  if (columns) data.columns = values_of(*columns);
  const BoostSettings read = read_settings(settings);
  SignalWatch watch(time_limit);
  GradientTree grown;
  {
    nb::gil_scoped_release released;
    grown = grow_gradient_tree(binned.table, data, read, watch.stop);
  }
  watch.rethrow();
  nb::dict result = arrays_of(std::move(grown.tree));
  result["values"] = hand_over(std::move(grown.values));
  result["answers"] = hand_over(std::move(grown.answers));
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

void bind_boost(nb::module_& m) {
  nb::class_<BinnedColumns>(m, "BinnedTable", "A coded table in bins, for gradient boosting.")
      .def("__init__", &make_binned, nb::arg("table"), nb::arg("max_bins"),
           nb::arg("weights").noconvert().none() = nb::none());
  m.def("gradient_tree", &gradient_tree_py, nb::arg("table"), nb::arg("gradients").noconvert(),
        nb::arg("hessians").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("rows").noconvert(),
        nb::arg("others").noconvert(), nb::arg("columns").noconvert().none(), nb::arg("settings"),
        nb::arg("time_limit"),
        nb::sig("def gradient_tree(table: BinnedTable, gradients: NDArray[numpy.float64], "
                "hessians: NDArray[numpy.float64], classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "rows: NDArray[numpy.int32], others: NDArray[numpy.int32], "
                "columns: NDArray[numpy.int32] | None, settings: dict[str, typing.Any], "
                "time_limit: float) -> dict[str, typing.Any]"),
        "Arrays of a tree whose answers are Newton steps, and the node of each row.");
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
