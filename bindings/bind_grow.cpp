#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "choices.hpp"
#include "growth.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/grow_prune.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

void make_settings(GrowSettings* self, const nb::typed<nb::handle, Criterion>& criterion,
                   const nb::typed<nb::handle, Partitioner>& partitioner,
                   const nb::list& screeners, nb::handle linear) {
  GrowSettings settings;
  settings.criterion = shared_part<Criterion>(criterion);
  settings.partitioner = shared_part<Partitioner>(partitioner);
  for (nb::handle screener : screeners)
    settings.screeners.push_back(shared_part<Screener>(screener));
  if (!linear.is_none()) settings.linear = shared_part<LinearSettings>(linear);
  new (self) GrowSettings(std::move(settings));
}

// Kinds: 'c' codes without order, 'o' codes in order, 'n' numbers. Returns the length.
std::size_t read_column(nb::handle given, char kind, std::int32_t n_values, InputColumn& column) {
  column.ordered = kind != 'c';
  IntVector codes;
  DoubleVector numbers;
  if (kind == 'n' && nb::try_cast(given, numbers, false)) {
    column.view = {nullptr, numbers.data(), 0};
    return numbers.size();
  }
  if (kind != 'n' && nb::try_cast(given, codes, false)) {
    column.view = {codes.data(), nullptr, n_values};
    return codes.size();
  }
  throw std::invalid_argument("a column must be contiguous int32 codes or float64 numbers");
}

void make_coded(EncodedColumns* self, const nb::list& columns, const IntVector& n_values,
                std::string_view kinds, std::size_t n_rows) {
  if (nb::len(columns) != kinds.size() || n_values.size() != kinds.size())
    throw std::invalid_argument("one kind and one number of values are needed for each column");
  std::vector<InputColumn> read(kinds.size());
  EncodedColumns made;
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (read_column(columns[c], kinds[c], n_values.data()[c], read[c]) != n_rows)
      throw std::invalid_argument("columns differ in length");
    made.owners.push_back(nb::borrow(columns[c]));
  }
  {
    nb::gil_scoped_release released;
    made.table = EncodedTable(read, n_rows);
  }
  new (self) EncodedColumns(std::move(made));
}

// The same table with some columns of codes as places in an order, to be cut halfway.
EncodedColumns reordered(const EncodedColumns& coded, const IntVector& given_places,
                       const nb::list& columns) {
  const std::span<const std::int32_t> places = values_of(given_places);
  EncodedColumns made = coded;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    if (places[i] < 0 || place >= made.table.columns.size() || i >= nb::len(columns))
      throw std::invalid_argument("no such column");
    InputColumn column;
    if (read_column(columns[i], 'o', made.table.columns[place].n_values(), column) !=
        made.table.n_rows)
      throw std::invalid_argument("columns differ in length");
    column.halfway = true;
    made.table.columns[place] = EncodedColumn(column, made.table.n_rows);
    made.owners[place] = nb::borrow(columns[i]);
  }
  return made;
}

// The table of some of the columns.
EncodedColumns selected(const EncodedColumns& coded, const IntVector& places) {
  EncodedColumns made;
  made.table.n_rows = coded.table.n_rows;
  for (const std::int32_t p : values_of(places)) {
    const auto place = static_cast<std::size_t>(p);
    if (p < 0 || place >= coded.table.columns.size()) throw std::invalid_argument("no such column");
    made.table.columns.push_back(coded.table.columns[place]);
    made.owners.push_back(coded.owners[place]);
  }
  return made;
}

nb::dict grow_py(const EncodedColumns& coded, const IntVector& classes,
                 const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                 const GrowSettings& settings, double time_limit,
                 const std::optional<IntVector>& rows, const std::optional<LongVector>& starts,
                 const StopFlag* stop) {
  GrowData data;
  data.classes = values_of(classes);
  data.n_classes = n_classes;
  if (weights) data.weights = values_of(*weights);
  if (rows) data.rows = values_of(*rows);
  if (starts) data.starts = {starts->data(), starts->size()};
  SignalWatch watch(time_limit, stop);
  GrownTree tree;
  {
    nb::gil_scoped_release released;
    tree = grow(coded.table, data, settings, watch.stop);
  }
  watch.rethrow();
  return arrays_of(std::move(tree));
}

using HalfVector = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple grow_prune_py(const EncodedColumns& coded, const IntVector& classes,
                        const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                        const GrowSettings& settings, double time_limit, const HalfVector& halves,
                        std::int64_t max_iter, bool refit_leaves, const StopFlag* stop) {
  GrowData data;
  data.classes = values_of(classes);
  data.n_classes = n_classes;
  if (weights) data.weights = values_of(*weights);
  SignalWatch watch(time_limit, stop);
  GrowPruneResult result;
  {
    nb::gil_scoped_release released;
    result = grow_prune(coded.table, data, {halves.data(), halves.size()}, settings,
                        {max_iter, refit_leaves}, watch.stop);
  }
  watch.rethrow();
  return nb::make_tuple(arrays_of(std::move(result.tree)), hand_over(std::move(result.grown)),
                        hand_over(std::move(result.pruned)), result.ended);
}

}  // namespace

void bind_grow(nb::module_& m) {
  nb::class_<StopFlag>(m, "StopFlag", "Stops growth that is under way on other threads.")
      .def(nb::init<>())
      .def("set", &StopFlag::set)
      .def("is_set", &StopFlag::is_set);
  nb::class_<EncodedColumns>(m, "EncodedTable", "A table made ready for growing many trees.")
      .def("__init__", &make_coded, nb::arg("columns"), nb::arg("n_values").noconvert(),
           nb::arg("kinds"),
           nb::arg("n_rows"),
           nb::sig("def __init__(self, columns: list[NDArray[numpy.int32] | "
                   "NDArray[numpy.float64]], n_values: NDArray[numpy.int32], kinds: str, "
                   "n_rows: int) -> None"))
      .def("reordered", &reordered, nb::arg("places").noconvert(), nb::arg("columns"),
           nb::sig("def reordered(self, places: NDArray[numpy.int32], "
                   "columns: list[NDArray[numpy.int32]]) -> EncodedTable"),
           "The table with some of its columns of codes as places in some order.")
      .def("selected", &selected, nb::arg("places").noconvert(),
           "The table of some of the columns.");
  nb::class_<GrowSettings>(m, "GrowSettings", "How a tree is grown, and when to stop.")
      .def("__init__", &make_settings, nb::arg("criterion"), nb::arg("partitioner"),
           nb::arg("screeners"), nb::arg("linear").none(),
           nb::sig("def __init__(self, criterion: Criterion, partitioner: Partitioner, "
                   "screeners: list[Screener], linear: LinearSettings | None) -> None"))
      .def_rw("rules", &GrowSettings::rules)
      .def_rw("selection", &GrowSettings::selection)
      .def_rw("alpha", &GrowSettings::alpha)
      .def_rw("bonferroni", &GrowSettings::bonferroni)
      .def_rw("min_split_gain", &GrowSettings::min_split_gain)
      .def_rw("max_depth", &GrowSettings::max_depth, nb::arg().none())
      .def_rw("min_samples_split", &GrowSettings::min_samples_split)
      .def_rw("min_samples_leaf", &GrowSettings::min_samples_leaf)
      .def_rw("max_leaf_nodes", &GrowSettings::max_leaf_nodes, nb::arg().none())
      .def_rw("best_first", &GrowSettings::best_first)
      .def_rw("max_features", &GrowSettings::max_features, nb::arg().none())
      .def_rw("handle_missing", &GrowSettings::handle_missing)
      .def_rw("handle_unknown", &GrowSettings::handle_unknown)
      .def_rw("axis_aligned", &GrowSettings::axis_aligned)
      .def_rw("seed", &GrowSettings::seed)
      .def_prop_rw(
          "costs", [](const GrowSettings& s) { return hand_over(std::vector<double>(s.costs)); },
          [](GrowSettings& s, const DoubleVector& given) {
            s.costs.assign(given.data(), given.data() + given.size());
          })
      .def_prop_rw(
          "split_costs",
          [](const GrowSettings& s) { return hand_over(std::vector<double>(s.split_costs)); },
          [](GrowSettings& s, const DoubleVector& given) {
            s.split_costs.assign(given.data(), given.data() + given.size());
          });
  m.def("grow", &grow_py, nb::arg("table"), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("settings"),
        nb::arg("time_limit"), nb::arg("rows").noconvert().none() = nb::none(),
        nb::arg("starts").noconvert().none() = nb::none(), nb::arg("stop").none() = nb::none(),
        nb::sig("def grow(table: EncodedTable, classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "settings: GrowSettings, time_limit: float, "
                "rows: NDArray[numpy.int32] | None = None, "
                "starts: NDArray[numpy.int64] | None = None, stop: StopFlag | None = None) "
                "-> dict[str, typing.Any]"),
        "Arrays of a tree grown from the root down, or of several side by side.");
  m.def("grow_prune", &grow_prune_py, nb::arg("table"), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("settings"),
        nb::arg("time_limit"), nb::arg("halves").noconvert(), nb::arg("max_iter"),
        nb::arg("refit_leaves"), nb::arg("stop").none() = nb::none(),
        nb::sig("def grow_prune(table: EncodedTable, classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "settings: GrowSettings, time_limit: float, "
                "halves: NDArray[numpy.int8], max_iter: int, refit_leaves: bool, "
                "stop: StopFlag | None = None) "
                "-> tuple[dict[str, typing.Any], NDArray[numpy.int64], NDArray[numpy.int64], bool]"),
        "Arrays of a tree grown and pruned in turns; leaves each time, and whether it ended.");
}

}  // namespace mixedwood
