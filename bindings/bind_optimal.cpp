#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choices.hpp"
#include "growth.hpp"
#include "mixedwood/optimal.hpp"
#include "python_parts.hpp"

namespace mixedwood {
using optimal::Encoding;
}  // namespace mixedwood

MIXEDWOOD_CHOICES(Encoding, {"one_hot", Encoding::kOneHot}, {"multi_hot", Encoding::kMultiHot},
                  {"thresholds", Encoding::kThresholds}, {"subsets", Encoding::kSubsets});

namespace mixedwood {
namespace {

using namespace optimal;
using LongMatrix = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ByteMatrix = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Samples samples_of(const IntVector& classes, const std::optional<LongVector>& weights,
                   std::int32_t n_classes) {
  Samples samples{values_of(classes), {}, n_classes};
  if (weights) samples.weights = {weights->data(), weights->size()};
  return samples;
}

// Columns as arrays of codes or of numbers.
TableView table_of(const nb::list& columns) {
  TableView table;
  for (const nb::handle column : columns) {
    IntVector codes;
    DoubleVector numbers;
    std::size_t length = 0;
    if (nb::try_cast(column, codes, false)) {
      table.columns.push_back({codes.data(), nullptr, 0});
      length = codes.size();
    } else if (nb::try_cast(column, numbers, false)) {
      table.columns.push_back({nullptr, numbers.data(), 0});
      length = numbers.size();
    } else {
      throw std::invalid_argument("a column must be contiguous int32 codes or float64 numbers");
    }
    if (table.columns.size() > 1 && length != table.n_rows)
      throw std::invalid_argument("columns differ in length");
    table.n_rows = length;
  }
  return table;
}

// Of kind 'n' are numbers, others are codes.
TableView table_of(const nb::list& columns, std::string_view kinds) {
  if (nb::len(columns) != kinds.size()) throw std::invalid_argument("each column needs a kind");
  TableView table = table_of(columns);
  for (std::size_t c = 0; c < kinds.size(); ++c)
    if ((kinds[c] == 'n') != (table.columns[c].numbers != nullptr))
      throw std::invalid_argument("a column must be contiguous int32 codes or float64 numbers");
  return table;
}

// A solver, and what it refers to.
struct NativeSolver {
  std::unique_ptr<Solver> solver;
  nb::object owner;
};

template <typename Make>
NativeSolver made_by(const Make& make, nb::object owner = {}) {
  nb::gil_scoped_release released;
  return {make(), std::move(owner)};
}

NativeSolver binary_solver(const ByteMatrix& matrix, const IntVector& classes,
                           const std::optional<LongVector>& weights, std::int32_t n_classes,
                           const Objective& objective, const BinarySwitches& switches) {
  const Samples samples = samples_of(classes, weights, n_classes);
  if (matrix.shape(0) != samples.classes.size())
    throw std::invalid_argument("each row needs one class");
  return made_by([&] {
    return make_binary_solver({matrix.data(), matrix.size()}, matrix.shape(1), samples, objective,
                              switches);
  });
}

NumberSamples number_samples_of(const DoubleVector& weights, const DoubleVector& sums,
                                double ticks) {
  return {values_of(weights), values_of(sums), ticks};
}

NativeSolver binary_number_solver(const ByteMatrix& matrix, const DoubleVector& weights,
                                  const DoubleVector& sums, double ticks,
                                  const Objective& objective) {
  const NumberSamples samples = number_samples_of(weights, sums, ticks);
  if (matrix.shape(0) != samples.weights.size())
    throw std::invalid_argument("each row needs one weight and one sum");
  return made_by([&] {
    return make_binary_number_solver({matrix.data(), matrix.size()}, matrix.shape(1), samples,
                                     objective);
  });
}

NativeSolver all_splits_number_solver(nb::object table, const DoubleVector& weights,
                                      const DoubleVector& sums, double ticks,
                                      const Objective& objective) {
  const NumberSamples samples = number_samples_of(weights, sums, ticks);
  const EncodedTable& coded = nb::cast<const EncodedColumns&>(table).table;
  return made_by([&] { return make_all_splits_number_solver(coded, samples, objective); },
                 std::move(table));
}

NativeSolver all_splits_solver(nb::object table, const IntVector& classes,
                               const std::optional<LongVector>& weights, std::int32_t n_classes,
                               const Objective& objective) {
  const Samples samples = samples_of(classes, weights, n_classes);
  const EncodedTable& coded = nb::cast<const EncodedColumns&>(table).table;
  return made_by([&] { return make_all_splits_solver(coded, samples, objective); },
                 std::move(table));
}

NativeSolver per_node_solver(const nb::list& columns, std::string_view kinds,
                             const IntVector& n_categories, const nb::list& thresholds,
                             const nb::list& root_thresholds, const LongVector& n_bins, const IntVector& classes,
                             const std::optional<LongVector>& weights, std::int32_t n_classes,
                             const Objective& objective, const BinarizerSettings& settings,
                             const std::optional<LongMatrix>& class_weights) {
  Samples samples = samples_of(classes, weights, n_classes);
  if (class_weights) samples.class_weights = {class_weights->data(), class_weights->size()};
  const TableView table = table_of(columns, kinds);
  const std::size_t n = kinds.size();
  if (n_categories.size() != n || nb::len(thresholds) != n || nb::len(root_thresholds) != n ||
      n_bins.size() != n)
    throw std::invalid_argument("each column needs a kind, categories, thresholds and bins");
  if (n > 0 && table.n_rows != samples.classes.size())
    throw std::invalid_argument("columns differ in length");
  std::vector<PerNodeColumn> read(n);
  for (std::size_t c = 0; c < n; ++c) {
    read[c].view = table.columns[c];
    read[c].view.n_values = n_categories.data()[c];
    read[c].ordered = kinds[c] == 'o';
    read[c].n_bins = n_bins.data()[c];
    if (!root_thresholds[c].is_none()) {
      const auto at_root = nb::cast<DoubleVector>(root_thresholds[c]);
      read[c].root_thresholds.assign(at_root.data(), at_root.data() + at_root.size());
    }
    if (thresholds[c].is_none()) continue;
    const auto at = nb::cast<DoubleVector>(thresholds[c]);
    read[c].thresholds.emplace(at.data(), at.data() + at.size());
  }
  return made_by([&] { return make_per_node_solver(read, samples, objective, settings); });
}

struct Solved : SolverResult {
  std::int64_t work = 0;
};

Solved solve(NativeSolver& native, const SearchLimits& limits, double time_limit,
             std::optional<std::int64_t> work_limit, const StopFlag* stop) {
  SignalWatch watch(time_limit, stop);
  if (work_limit) watch.stop.limit_work(*work_limit);
  Solved result;
  {
    nb::gil_scoped_release released;
    static_cast<SolverResult&>(result) = native.solver->solve(limits, watch.stop);
  }
  watch.rethrow_unless_interrupt();
  result.work = watch.stop.work();
  return result;
}

nb::list trace_of(const Solved& result) {
  nb::list trace;
  for (const auto& m : result.trace) trace.append(nb::make_tuple(m.seconds, m.cost));
  return trace;
}

// From an object with the attributes of a BinarySplit.
SplitTree::Node node_of(nb::handle split) {
  SplitTree::Node node;
  node.column = nb::cast<std::int32_t>(split.attr("column"));
  node.low = nb::cast<double>(split.attr("low"));
  node.high = nb::cast<double>(split.attr("high"));
  node.missing = nb::cast<bool>(split.attr("missing"));
  const nb::object codes = split.attr("codes");
  node.is_subset = !codes.is_none();
  if (node.is_subset)
    for (const nb::handle code : codes) node.codes.push_back(nb::cast<std::int32_t>(code));
  if (node.column < 0) throw std::invalid_argument("a split needs a column");
  return node;
}

// From such objects, None for leaves, and the children of each.
void make_tree(SplitTree* made, const nb::list& splits, const IntVector& if_true,
               const IntVector& if_false) {
  SplitTree tree;
  const std::size_t n = nb::len(splits);
  if (if_true.size() != n || if_false.size() != n)
    throw std::invalid_argument("each node needs two children");
  tree.nodes.resize(n);
  std::vector<int> n_parents(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const nb::handle split = splits[i];
    if (split.is_none()) continue;
    SplitTree::Node& node = tree.nodes[i] = node_of(split);
    node.if_true = if_true.data()[i];
    node.if_false = if_false.data()[i];
    for (const std::int32_t child : {node.if_true, node.if_false})
      if (child <= static_cast<std::int64_t>(i) || static_cast<std::size_t>(child) >= n ||
          n_parents[static_cast<std::size_t>(child)]++ > 0)
        throw std::invalid_argument("children must come after their parent, each once");
  }
  new (made) SplitTree(std::move(tree));
}

// Arguments of BinarySplit for each node, None for leaves; and the children.
nb::list splits_of(const SplitTree& tree) {
  nb::list splits;
  for (const SplitTree::Node& node : tree.nodes) {
    if (node.column < 0) {
      splits.append(nb::none());
      continue;
    }
    nb::list codes;
    for (const std::int32_t code : node.codes) codes.append(code);
    splits.append(nb::make_tuple(node.column, node.low, node.high,
                                 node.is_subset ? nb::object(nb::tuple(codes)) : nb::none(),
                                 node.missing));
  }
  return splits;
}

template <std::int32_t SplitTree::Node::* kMember>
auto member_of(const SplitTree& tree) {
  std::vector<std::int32_t> values;
  for (const SplitTree::Node& node : tree.nodes) values.push_back(node.*kMember);
  return hand_over(std::move(values));
}

// Of a column of codes: whether some are missing, and the codes that occur. Of numbers: the first,
// then the ends, None for no numbers, and whether there are no others.
nb::list column_values_py(const nb::list& columns) {
  const TableView table = table_of(columns);
  nb::list found;
  for (const ColumnView& column : table.columns) {
    const ColumnValues values = values_of_column(column, table.n_rows);
    if (column.numbers == nullptr) {
      nb::list codes;
      for (const std::int32_t code : values.codes) codes.append(code);
      found.append(nb::make_tuple(values.missing, codes));
    } else {
      const bool any = values.low <= values.high;
      found.append(nb::make_tuple(values.missing, any ? nb::cast(values.low) : nb::none(),
                                  any ? nb::cast(values.high) : nb::none(), values.only_ends));
    }
  }
  return found;
}

nb::tuple evaluate_splits_py(const nb::list& columns, const nb::list& splits, bool varying) {
  const TableView table = table_of(columns);
  std::vector<SplitTree::Node> nodes;
  for (const nb::handle split : splits) nodes.push_back(node_of(split));
  SplitFeatures found;
  {
    nb::gil_scoped_release released;
    found = evaluate_splits(table, nodes, varying);
  }
  nb::list kept;
  for (const std::int32_t place : found.kept) kept.append(place);
  return nb::make_tuple(hand_over(std::move(found.cells)), kept);
}

auto apply_py(const SplitTree& tree, const nb::list& columns, std::string_view kinds) {
  const TableView table = table_of(columns, kinds);
  std::vector<std::int32_t> leaves;
  {
    nb::gil_scoped_release released;
    leaves = tree.apply(table);
  }
  return hand_over(std::move(leaves));
}

nb::dict build_py(const SplitTree& tree, const nb::list& columns, std::string_view kinds,
                  const IntVector& classes, const std::optional<DoubleVector>& weights,
                  std::size_t n_classes, HandleUnknown unknown) {
  const TableView table = table_of(columns, kinds);
  std::vector<std::uint8_t> nominal;
  for (const char kind : kinds) nominal.push_back(kind == 'c');
  GrownTree grown;
  {
    nb::gil_scoped_release released;
    grown = tree.build(table, nominal, values_of(classes),
                       weights ? values_of(*weights) : std::span<const double>(), n_classes, unknown);
  }
  return arrays_of(std::move(grown));
}

}  // namespace

void bind_optimal(nb::module_& m) {
  nb::class_<Objective>(m, "OptimalObjective", "What a tree costs, and which leaves are allowed.")
      .def(nb::init<>())
      .def_rw("error_penalty", &Objective::error_penalty)
      .def_rw("leaf_penalty", &Objective::leaf_penalty)
      .def_rw("min_samples_leaf", &Objective::min_samples_leaf);
  nb::class_<SearchLimits>(m, "SearchLimits", "Limits of a search; None for no limit.")
      .def(nb::init<>())
      .def_rw("max_depth", &SearchLimits::max_depth)
      .def_rw("max_leaf_nodes", &SearchLimits::max_leaf_nodes, nb::arg().none())
      .def_rw("upper_bound", &SearchLimits::upper_bound, nb::arg().none())
      .def_rw("memory_limit", &SearchLimits::memory_limit, nb::arg().none());
  nb::class_<BinarySwitches>(m, "BinarySwitches", "Parts of the binary solver, for tests.")
      .def(nb::init<>())
      .def_rw("cache", &BinarySwitches::cache)
      .def_rw("similarity", &BinarySwitches::similarity)
      .def_rw("equivalent_points", &BinarySwitches::equivalent_points)
      .def_rw("parent_minus_child", &BinarySwitches::parent_minus_child)
      .def_rw("merge_rows", &BinarySwitches::merge_rows)
      .def_rw("wide_registers", &BinarySwitches::wide_registers);
  nb::class_<BinarizerSettings>(m, "BinarizerSettings", "How binary features are made at a node.")
      .def(nb::init<>())
      .def_rw("rule", &BinarizerSettings::rule)
      .def_rw("encoding", &BinarizerSettings::encoding)
      .def_rw("max_subset_values", &BinarizerSettings::max_subset_values)
      .def_rw("min_bins_per_side", &BinarizerSettings::min_bins_per_side)
      .def_rw("min_samples_binarize", &BinarizerSettings::min_samples_binarize)
      .def_rw("max_depth_binarize", &BinarizerSettings::max_depth_binarize, nb::arg().none());

  m.def("column_values", &column_values_py, nb::arg("columns"),
        nb::sig("def column_values(columns: list[typing.Any]) -> list[tuple[typing.Any, ...]]"),
        "Of each column whether values are missing, and the codes that occur; or of numbers the "
        "ends, None for no numbers, and whether there are no others.");
  m.def("evaluate_splits", &evaluate_splits_py, nb::arg("columns"), nb::arg("splits"),
        nb::arg("varying") = false,
        nb::sig("def evaluate_splits(columns: list[typing.Any], splits: list[typing.Any], varying: "
                "bool = False) -> tuple[NDArray[numpy.uint8], list[int]]"),
        "The branch of each row for each split, row by row, and which splits they are: all, or "
        "those with rows on both sides.");

  nb::class_<SplitTree>(m, "SplitTree", "The splits of a tree; an empty one stands for none.")
      .def("__init__", &make_tree, nb::arg("splits"), nb::arg("if_true"), nb::arg("if_false"),
           nb::sig("def __init__(self, splits: list[typing.Any], if_true: NDArray[numpy.int32], "
                   "if_false: NDArray[numpy.int32]) -> None"))
      .def("__len__", [](const SplitTree& tree) { return tree.nodes.size(); })
      .def_prop_ro("n_leaves", &SplitTree::n_leaves)
      .def_prop_ro("column", &member_of<&SplitTree::Node::column>, nb::rv_policy::automatic,
                   nb::sig("def column(self) -> NDArray[numpy.int32]"))
      .def_prop_ro("if_true", &member_of<&SplitTree::Node::if_true>, nb::rv_policy::automatic,
                   nb::sig("def if_true(self) -> NDArray[numpy.int32]"))
      .def_prop_ro("if_false", &member_of<&SplitTree::Node::if_false>, nb::rv_policy::automatic,
                   nb::sig("def if_false(self) -> NDArray[numpy.int32]"))
      .def("splits", &splits_of,
           nb::sig("def splits(self) -> list[tuple[int, float, float, tuple[int, ...] | None, "
                   "bool] | None]"),
           "Column, low, high, codes and branch of missing values of each split; None for leaves.")
      .def("apply", &apply_py, nb::arg("columns"), nb::arg("kinds"),
           nb::sig("def apply(self, columns: list[typing.Any], kinds: str) -> "
                   "NDArray[numpy.int32]"),
           "The leaf of each row.")
      .def("build", &build_py, nb::arg("columns"), nb::arg("kinds"), nb::arg("classes").noconvert(),
           nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("unknown"),
           nb::sig("def build(self, columns: list[typing.Any], kinds: str, classes: "
                   "NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, "
                   "unknown: str) -> dict[str, typing.Any]"),
           "The arrays of the tree, with the statistics of the training rows.");

  nb::class_<Solved>(m, "SolverResult", "A tree, and what is proven about it.")
      .def_prop_ro("status", [](const Solved& result) { return name_of(result.status); })
      .def_ro("tree", &Solved::tree)
      .def_ro("objective_value", &Solved::objective_value)
      .def_ro("lower_bound", &Solved::lower_bound)
      .def_ro("n_explored", &Solved::n_explored)
      .def_ro("n_cached", &Solved::n_cached)
      .def_ro("cache_bytes", &Solved::cache_bytes)
      .def_ro("seconds", &Solved::seconds)
      .def_ro("work", &Solved::work)
      .def_prop_ro("trace", &trace_of, nb::rv_policy::automatic,
                   nb::sig("def trace(self) -> list[tuple[float, int]]"));

  nb::class_<NativeSolver>(m, "OptimalSolver", "Finds best trees of one table, for any limits.")
      .def("solve", &solve, nb::arg("limits"),
           nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
           nb::arg("work_limit") = nb::none(), nb::arg("stop") = nb::none(),
           nb::sig("def solve(self, limits: SearchLimits, time_limit: float = float('inf'), "
                   "work_limit: int | None = None, stop: StopFlag | None = None) -> SolverResult"));
  m.def("binary_solver", &binary_solver, nb::arg("matrix"), nb::arg("classes"),
        nb::arg("weights").none(), nb::arg("n_classes"), nb::arg("objective") = Objective(),
        nb::arg("switches") = BinarySwitches(),
        nb::sig("def binary_solver(matrix: NDArray[numpy.uint8], classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.int64] | None, n_classes: int, objective: OptimalObjective "
                "= ..., switches: BinarySwitches = ...) -> OptimalSolver"),
        "Splits are the columns of a matrix; what one call learns helps the next.");
  m.def("all_splits_solver", &all_splits_solver, nb::arg("table"), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("objective"),
        nb::sig("def all_splits_solver(table: EncodedTable, classes: NDArray[numpy.int32], weights: "
                "NDArray[numpy.int64] | None, n_classes: int, objective: OptimalObjective) -> "
                "OptimalSolver"),
        "Splits are all thresholds and all subsets.");
  m.def("binary_number_solver", &binary_number_solver, nb::arg("matrix"),
        nb::arg("weights").noconvert(), nb::arg("sums").noconvert(), nb::arg("ticks"),
        nb::arg("objective") = Objective(),
        nb::sig("def binary_number_solver(matrix: NDArray[numpy.uint8], weights: "
                "NDArray[numpy.float64], sums: NDArray[numpy.float64], ticks: float, objective: "
                "OptimalObjective = ...) -> OptimalSolver"),
        "The same for numbers: trees of the least squared error. Weights, and sums of weight times "
        "number, are whole.");
  m.def("all_splits_number_solver", &all_splits_number_solver, nb::arg("table"),
        nb::arg("weights").noconvert(), nb::arg("sums").noconvert(), nb::arg("ticks"),
        nb::arg("objective"),
        nb::sig("def all_splits_number_solver(table: EncodedTable, weights: NDArray[numpy.float64], "
                "sums: NDArray[numpy.float64], ticks: float, objective: OptimalObjective) -> "
                "OptimalSolver"),
        "Splits are all thresholds and all subsets.");
  m.def("per_node_solver", &per_node_solver, nb::arg("columns"), nb::arg("kinds"),
        nb::arg("n_categories").noconvert(), nb::arg("thresholds"), nb::arg("root_thresholds"),
        nb::arg("n_bins").noconvert(), nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(), nb::arg("n_classes"),
        nb::arg("objective"), nb::arg("settings"),
        nb::arg("class_weights").noconvert().none() = nb::none(),
        nb::sig("def per_node_solver(columns: list[typing.Any], kinds: str, n_categories: "
                "NDArray[numpy.int32], thresholds: list[typing.Any], root_thresholds: list[typing.Any], "
                "n_bins: NDArray[numpy.int64], "
                "classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: "
                "int, objective: OptimalObjective, settings: BinarizerSettings, class_weights: "
                "NDArray[numpy.int64] | None = None) -> OptimalSolver"),
        "Splits are binary features that are made from the rows of each node.");
}

}  // namespace mixedwood
