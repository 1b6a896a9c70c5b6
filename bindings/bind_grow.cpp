#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "growth.hpp"
#include "linear_machines.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/grow_prune.hpp"
#include "python_parts.hpp"
#include "settings.hpp"

namespace mixedwood {
namespace {

// What must outlive the call: the settings point at these.
struct Parts {
  LinearParts linear;
};

template <typename Enum>
Enum choice(const nb::dict& settings, const char* name,
            std::initializer_list<std::pair<const char*, Enum>> choices) {
  const auto value = get<std::string>(settings, name);
  for (const auto& [text, meaning] : choices)
    if (value == text) return meaning;
  throw std::invalid_argument(std::string("the setting '") + name + "' is not '" + value + "'");
}

void read_linear(const nb::dict& given, LinearParts& linear) {
  LinearTestSettings& s = linear.settings;
  for (nb::handle machine : nb::cast<nb::list>(given["machines"])) {
    linear.machines.push_back(read_machine(nb::cast<nb::tuple>(machine)));
    s.machines.push_back(linear.machines.back().get());
  }
  s.superclasses = choice<Superclasses>(given, "superclasses",
                                        {{"one_vs_rest", Superclasses::kOneVsRest},
                                         {"largest", Superclasses::kLargest},
                                         {"balanced", Superclasses::kBalanced},
                                         {"every", Superclasses::kEvery}});
  s.max_questions = get<std::int32_t>(given, "max_questions");
  s.nominal = get<bool>(given, "nominal");
  s.max_weights = get<std::int32_t>(given, "max_weights");
  s.best_cut = get<bool>(given, "best_cut");
  s.validated = get<bool>(given, "validated");
  s.n_folds = get<std::int32_t>(given, "n_folds");
  s.max_tuning_rows = get<std::int64_t>(given, "max_tuning_rows");
  s.min_rows = get<double>(given, "min_rows");
  if (s.machines.empty() || s.max_questions < 1 || s.max_weights < 2 || s.n_folds < 1 ||
      s.max_tuning_rows < 10)
    throw std::invalid_argument("linear tests need a machine, questions, weights, folds and rows");
}

GrowSettings read_settings(const nb::dict& given, Parts& parts) {
  GrowSettings s;
  s.rules = choice<Rules>(given, "rules",
                          {{"parts", Rules::kParts},
                           {"c45", Rules::kC45},
                           {"random_tree", Rules::kRandomTree}});
  s.selection = choice<Selection>(
      given, "selection",
      {{"score", Selection::kScore},
       {"adjusted", Selection::kAdjusted},
       {"average_gain", Selection::kAverageGain},
       {"significance", Selection::kSignificance}});
  s.unseen = choice<GrowSettings::Unseen>(given, "unseen",
                                          {{"node", GrowSettings::Unseen::kStop},
                                           {"missing", GrowSettings::Unseen::kLikeMissing},
                                           {"majority", GrowSettings::Unseen::kHeavier}});
  s.criterion = shared_part<Criterion>(given["criterion"]);
  s.partitioner = shared_part<Partitioner>(given["partitioner"]);
  for (nb::handle screener : get<nb::sequence>(given, "screeners"))
    s.screeners.push_back(shared_part<Screener>(screener));
  s.min_gain = get<double>(given, "min_gain");
  s.alpha = get<double>(given, "alpha");
  s.bonferroni = get<bool>(given, "bonferroni");
  s.max_depth = get<std::int32_t>(given, "max_depth");
  s.min_split = get<double>(given, "min_split");
  s.min_leaf = get<double>(given, "min_leaf");
  s.max_leaves = get<std::int64_t>(given, "max_leaves");
  s.best_first = get<bool>(given, "best_first");
  s.max_columns = get<std::int32_t>(given, "max_columns");
  s.fractional = get<bool>(given, "fractional");
  s.missing_is_value = get<bool>(given, "missing_is_value");
  s.thresholds = get<bool>(given, "thresholds");
  if (const nb::object linear = given["linear"]; !linear.is_none()) {
    read_linear(nb::cast<nb::dict>(linear), parts.linear);
    s.linear = &parts.linear.settings;
  }
  s.seed = get<std::uint64_t>(given, "seed");
  if (s.partitioner->traits.many_groups && s.rules == Rules::kParts &&
      !s.criterion->traits().many_groups) {
    throw std::invalid_argument(
        "partitioner='multiway' makes one group per value, but the criterion scores two groups. "
        "Use a criterion for many groups ('gini', 'entropy', 'gain_ratio'), or another "
        "partitioner.");
  }
  return s;
}

// Kinds: 'c' codes without order, 'o' codes in order, 'n' numbers. Returns the length.
std::size_t read_column(nb::handle given, char kind, std::int32_t n_values, GrowColumn& column) {
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

void make_coded(CodedColumns* room, const nb::list& columns, const IntVector& n_values,
                std::string_view kinds, std::size_t n_rows) {
  if (nb::len(columns) != kinds.size() || n_values.size() != kinds.size())
    throw std::invalid_argument("one kind and one number of values are needed for each column");
  std::vector<GrowColumn> read(kinds.size());
  CodedColumns made;
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (read_column(columns[c], kinds[c], n_values.data()[c], read[c]) != n_rows)
      throw std::invalid_argument("columns differ in length");
    made.owners.push_back(nb::borrow(columns[c]));
  }
  {
    nb::gil_scoped_release released;
    made.table = CodedTable(read, n_rows);
  }
  new (room) CodedColumns(std::move(made));
}

// The same table with some columns of codes as places in an order, to be cut halfway.
CodedColumns reordered(const CodedColumns& coded, const IntVector& given_places,
                       const nb::list& columns) {
  const std::span<const std::int32_t> places = values_of(given_places);
  CodedColumns made = coded;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::size_t>(places[i]);
    if (places[i] < 0 || place >= made.table.columns.size() || i >= nb::len(columns))
      throw std::invalid_argument("no such column");
    GrowColumn column;
    if (read_column(columns[i], 'o', made.table.columns[place].n_values(), column) !=
        made.table.n_rows)
      throw std::invalid_argument("columns differ in length");
    column.halfway = true;
    made.table.columns[place] = CodedColumn(column, made.table.n_rows);
    made.owners[place] = nb::borrow(columns[i]);
  }
  return made;
}

// The table of some of the columns.
CodedColumns selected(const CodedColumns& coded, const IntVector& places) {
  CodedColumns made;
  made.table.n_rows = coded.table.n_rows;
  for (const std::int32_t p : values_of(places)) {
    const auto place = static_cast<std::size_t>(p);
    if (p < 0 || place >= coded.table.columns.size()) throw std::invalid_argument("no such column");
    made.table.columns.push_back(coded.table.columns[place]);
    made.owners.push_back(coded.owners[place]);
  }
  return made;
}

nb::dict grow_py(const CodedColumns& coded, const IntVector& classes,
                 const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                 const nb::dict& settings, double time_limit,
                 const std::optional<IntVector>& rows, const std::optional<LongVector>& starts,
                 const StopFlag* stop) {
  GrowData data;
  data.classes = values_of(classes);
  data.n_classes = n_classes;
  if (weights) data.weights = values_of(*weights);
  if (rows) data.rows = values_of(*rows);
  if (starts) data.starts = {starts->data(), starts->size()};
  Parts parts;
  const GrowSettings read = read_settings(settings, parts);
  SignalWatch watch(time_limit, stop);
  GrownTree tree;
  {
    nb::gil_scoped_release released;
    tree = grow(coded.table, data, read, watch.stop);
  }
  watch.rethrow();
  return arrays_of(std::move(tree));
}

using HalfVector = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple grow_prune_py(const CodedColumns& coded, const IntVector& classes,
                        const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                        const nb::dict& settings, double time_limit, const HalfVector& halves,
                        std::int64_t max_iterations, bool relabel, const StopFlag* stop) {
  GrowData data;
  data.classes = values_of(classes);
  data.n_classes = n_classes;
  if (weights) data.weights = values_of(*weights);
  Parts parts;
  const GrowSettings read = read_settings(settings, parts);
  SignalWatch watch(time_limit, stop);
  GrowPruneResult result;
  {
    nb::gil_scoped_release released;
    result = grow_prune(coded.table, data, {halves.data(), halves.size()}, read,
                        {max_iterations, relabel}, watch.stop);
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
  nb::class_<CodedColumns>(m, "CodedTable", "A table made ready for growing many trees.")
      .def("__init__", &make_coded, nb::arg("columns"), nb::arg("n_values").noconvert(),
           nb::arg("kinds"),
           nb::arg("n_rows"),
           nb::sig("def __init__(self, columns: list[NDArray[numpy.int32] | "
                   "NDArray[numpy.float64]], n_values: NDArray[numpy.int32], kinds: str, "
                   "n_rows: int) -> None"))
      .def("reordered", &reordered, nb::arg("places").noconvert(), nb::arg("columns"),
           nb::sig("def reordered(self, places: NDArray[numpy.int32], "
                   "columns: list[NDArray[numpy.int32]]) -> CodedTable"),
           "The table with some of its columns of codes as places in some order.")
      .def("selected", &selected, nb::arg("places").noconvert(),
           "The table of some of the columns.");
  m.def("grow", &grow_py, nb::arg("table"), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("settings"),
        nb::arg("time_limit"), nb::arg("rows").noconvert().none() = nb::none(),
        nb::arg("starts").noconvert().none() = nb::none(), nb::arg("stop").none() = nb::none(),
        nb::sig("def grow(table: CodedTable, classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "settings: dict[str, typing.Any], time_limit: float, "
                "rows: NDArray[numpy.int32] | None = None, "
                "starts: NDArray[numpy.int64] | None = None, stop: StopFlag | None = None) "
                "-> dict[str, typing.Any]"),
        "Arrays of a tree grown from the root down, or of several side by side.");
  m.def("grow_prune", &grow_prune_py, nb::arg("table"), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("settings"),
        nb::arg("time_limit"), nb::arg("halves").noconvert(), nb::arg("max_iterations"),
        nb::arg("relabel"), nb::arg("stop").none() = nb::none(),
        nb::sig("def grow_prune(table: CodedTable, classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "settings: dict[str, typing.Any], time_limit: float, "
                "halves: NDArray[numpy.int8], max_iterations: int, relabel: bool, "
                "stop: StopFlag | None = None) "
                "-> tuple[dict[str, typing.Any], NDArray[numpy.int64], NDArray[numpy.int64], bool]"),
        "Arrays of a tree grown and pruned in turns; leaves each time, and whether it ended.");
}

}  // namespace mixedwood
