#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "choices.hpp"
#include "growth.hpp"
#include "mixedwood/exact_sums.hpp"
#include "mixedwood/gradient.hpp"
#include "mixedwood/gradient_blocks.hpp"
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

using BinArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagVector = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NodeVector = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void make_block_grower(BlockGrower* self, const IntVector& n_bins, const nb::list& thresholds,
                       const GradientSettings& settings, std::size_t n_outputs, std::size_t n_rows,
                       double max_gradient, double max_hessian, double row_weight,
                       const std::optional<IntVector>& columns, std::size_t max_memory) {
  if (nb::len(thresholds) != n_bins.size())
    throw std::invalid_argument("thresholds or None are needed for each column");
  BinnedSchema schema;
  BlockData data;
  for (std::size_t c = 0; c < n_bins.size(); ++c) {
    BinnedSchema::Column column;
    column.n_bins = n_bins.data()[c];
    column.has_missing = true;  // perhaps
    DoubleVector its;
    column.ordered = !thresholds[c].is_none();
    if (column.ordered && !nb::try_cast(nb::handle(thresholds[c]), its, false))
      throw std::invalid_argument("thresholds must be contiguous float64 numbers");
    data.thresholds.emplace_back();
    if (column.ordered) data.thresholds.back().assign(its.data(), its.data() + its.size());
    schema.add(std::move(column));
  }
  data.n_outputs = n_outputs;
  data.n_rows = n_rows;
  data.max_gradient = max_gradient;
  data.max_hessian = max_hessian;
  data.row_weight = row_weight;
  if (columns) data.columns.assign(columns->data(), columns->data() + columns->size());
  data.max_memory = max_memory;
  new (self) BlockGrower(std::move(schema), std::move(data), settings);
}

// The block, with what it borrows.
struct HeldBlock {
  HeldBlock(const nb::list& bins, const std::optional<FlagVector>& learns, const NodeVector& nodes)
      : arrays(nb::len(bins)) {
    for (std::size_t c = 0; c < arrays.size(); ++c) {
      if (!nb::try_cast(nb::handle(bins[c]), arrays[c], false) || arrays[c].size() != nodes.size() ||
          arrays[c].dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
          arrays[c].dtype().bits > 32)
        throw std::invalid_argument("a column must be unsigned bins, one for each row");
      columns.push_back({arrays[c].data(), arrays[c].dtype().bits / 8});
    }
    block.columns = columns;
    if (learns) block.learns = {learns->data(), learns->size()};
    block.nodes = {nodes.data(), nodes.size()};
  }
  std::vector<BinArray> arrays;
  std::vector<BlockColumn> columns;
  RowBlock block;
};

void add_block_py(BlockGrower& grower, const nb::list& bins, const std::optional<FlagVector>& learns,
                  const NodeVector& nodes, const DoubleMatrix& gradients,
                  const DoubleMatrix& hessians) {
  HeldBlock held(bins, learns, nodes);
  held.block.gradients = values_of(gradients);
  held.block.hessians = values_of(hessians);
  nb::gil_scoped_release released;
  grower.add(held.block);
}

void settle_py(BlockGrower& grower, const nb::list& bins, const std::optional<FlagVector>& learns,
               const NodeVector& nodes) {
  HeldBlock held(bins, learns, nodes);
  nb::gil_scoped_release released;
  grower.settle(held.block);
}

void end_pass_py(BlockGrower& grower, double time_limit) {
  SignalWatch watch(time_limit);
  {
    nb::gil_scoped_release released;
    grower.end_pass(watch.stop);
  }
  watch.rethrow();
}

void add_exactly(ExactSums& sums, const DoubleVector& values,
                 const std::optional<IntVector>& which) {
  if (which ? which->size() != values.size() : sums.size() != 1)
    throw std::invalid_argument("each number needs the place of its sum");
  nb::gil_scoped_release released;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t sum = which ? static_cast<std::size_t>(which->data()[i]) : 0;
    if (sum >= sums.size()) throw std::invalid_argument("there is no such sum");
    sums.add(sum, values.data()[i]);
  }
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
  nb::class_<BlockGrower>(m, "BlockGrower", "Grows a gradient tree of rows that come in blocks.")
      .def("__init__", &make_block_grower, nb::arg("n_bins").noconvert(), nb::arg("thresholds"),
           nb::arg("settings"), nb::arg("n_outputs"), nb::arg("n_rows"), nb::arg("max_gradient"),
           nb::arg("max_hessian"), nb::arg("row_weight"), nb::arg("columns").noconvert().none(),
           nb::arg("max_memory"),
           nb::sig("def __init__(self, n_bins: NDArray[numpy.int32], "
                   "thresholds: list[NDArray[numpy.float64] | None], settings: GradientSettings, "
                   "n_outputs: int, n_rows: int, max_gradient: float, max_hessian: float, "
                   "row_weight: float, columns: NDArray[numpy.int32] | None, max_memory: int) "
                   "-> None"))
      .def("begin_pass", &BlockGrower::begin_pass)
      .def("add", &add_block_py, nb::arg("bins"), nb::arg("learns").noconvert().none(),
           nb::arg("nodes").noconvert(), nb::arg("gradients").noconvert(),
           nb::arg("hessians").noconvert(),
           nb::sig("def add(self, bins: list[NDArray[typing.Any]], "
                   "learns: NDArray[numpy.uint8] | None, nodes: NDArray[numpy.int32], "
                   "gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64]) -> None"))
      .def("end_pass", &end_pass_py, nb::arg("time_limit"))
      .def("finish", &BlockGrower::finish)
      .def("settle", &settle_py, nb::arg("bins"), nb::arg("learns").noconvert().none(),
           nb::arg("nodes").noconvert(),
           nb::sig("def settle(self, bins: list[NDArray[typing.Any]], "
                   "learns: NDArray[numpy.uint8] | None, nodes: NDArray[numpy.int32]) -> None"))
      .def_prop_ro("n_nodes", &BlockGrower::n_nodes)
      .def("tree",
           [](const BlockGrower& grower, const DoubleVector& statistics, std::size_t n_classes) {
             nb::dict result = arrays_of(grower.tree(values_of(statistics), n_classes));
             result["values"] = hand_over(grower.values());
             return result;
           },
           nb::arg("statistics").noconvert(), nb::arg("n_classes"),
           nb::sig("def tree(self, statistics: NDArray[numpy.float64], n_classes: int) "
                   "-> dict[str, typing.Any]"));
  nb::class_<ExactSums>(m, "ExactSums", "Sums that do not depend on the order of the numbers.")
      .def(nb::init<std::size_t>(), nb::arg("n_sums"))
      .def("add", &add_exactly, nb::arg("values").noconvert(),
           nb::arg("which").noconvert().none() = nb::none(),
           nb::sig("def add(self, values: NDArray[numpy.float64], "
                   "which: NDArray[numpy.int32] | None = None) -> None"))
      .def("values",
           [](const ExactSums& sums) {
             std::vector<double> values(sums.size());
             for (std::size_t i = 0; i < values.size(); ++i) values[i] = sums.value(i);
             return hand_over(std::move(values));
           },
           nb::sig("def values(self) -> NDArray[numpy.float64]"));
  m.def("exact_sum",
        [](const DoubleVector& values) {
          nb::gil_scoped_release released;
          return exact_sum(values_of(values));
        },
        nb::arg("values").noconvert(), nb::sig("def exact_sum(values: NDArray[numpy.float64]) -> float"),
        "The sum of numbers without rounding, as ExactSums gives it, in less time.");
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
