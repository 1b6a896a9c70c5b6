#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <variant>

#include "arrays.hpp"
#include "mixedwood/router.hpp"
#include "mixedwood/shap.hpp"
#include "mixedwood/tree.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

// Of a Python object with one attribute per array, in exact types; what the spans borrow lives as
// long as the object.
TreeView view_of(nb::handle tree) {
  TreeView view;
  for_each_array(
      [&]<typename T>(const char* name, TreeList list, std::span<const T>& array) {
        nb::ndarray<const T, nb::c_contig, nb::device::cpu> given;
        if (!nb::try_cast(tree.attr(name), given, false) ||
            (list != TreeList::kStatistics && given.ndim() != 1))
          throw std::invalid_argument(std::string("not a tree: ") + name +
                                      " has the wrong type or is not contiguous");
        array = {given.data(), given.size()};
      },
      view);
  return view;
}

// Name, type and what it has an entry for, of each array.
nb::list tree_arrays() {
  static constexpr const char* kLists[] = {"node",  "prediction", "statistics", "offset",
                                           "child", "category",   "term"};
  nb::list arrays;
  TreeView none;
  for_each_array(
      [&]<typename T>(const char* name, TreeList list, std::span<const T>&) {
        const char* type = std::is_same_v<T, double>         ? "float64"
                           : std::is_same_v<T, std::int32_t> ? "int32"
                                                             : "uint8";
        arrays.append(nb::make_tuple(name, type, kLists[static_cast<std::size_t>(list)]));
      },
      none);
  return arrays;
}

// Columns are int32 codes or float64 numbers; n_values is not asked for numbers. Codes are checked
// when they are read, not here.
TableView table_of(const nb::list& columns, std::span<const std::int32_t> n_values) {
  static constexpr std::int32_t no_code = 0;  // something to point at when there are no rows
  static constexpr double no_number = 0.0;
  if (nb::len(columns) != n_values.size())
    throw std::invalid_argument("one number of values is needed for each column");
  TableView table;
  table.columns.reserve(n_values.size());
  for (std::size_t c = 0; c < n_values.size(); ++c) {
    ColumnView view;
    std::size_t length = 0;
    IntVector codes;
    DoubleVector numbers;
    if (nb::try_cast(columns[c], codes, false)) {
      length = codes.size();
      view = {length == 0 ? &no_code : codes.data(), nullptr, n_values[c]};
    } else if (nb::try_cast(columns[c], numbers, false)) {
      length = numbers.size();
      view = {nullptr, length == 0 ? &no_number : numbers.data(), 0};
    } else {
      throw std::invalid_argument("a column must be contiguous int32 codes or float64 numbers");
    }
    if (c > 0 && length != table.n_rows)
      throw std::invalid_argument("columns differ in length");
    table.n_rows = length;
    table.columns.push_back(view);
  }
  return table;
}

void check_tree_py(nb::handle tree, const nb::list& columns,
                   const IntVector& n_values) {
  check_tree(view_of(tree), table_of(columns, values_of(n_values)));
}

void make_router(Router* self, nb::handle tree, const nb::list& columns,
                 const IntVector& n_values) {
  const TreeView view = view_of(tree);  // of arrays that the tree keeps
  const TableView table = table_of(columns, values_of(n_values));
  nb::gil_scoped_release released;
  new (self) Router(view, table);
}

IntArrayOut route_py(const Router& router, const nb::list& columns) {
  const TableView table = table_of(columns, router.n_values());
  auto nodes = std::make_unique_for_overwrite<std::int32_t[]>(table.n_rows);
  {
    nb::gil_scoped_release released;
    router.route(table, {nodes.get(), table.n_rows});
  }
  return hand_over(std::move(nodes), table.n_rows);
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> distribute_py(const Router& router,
                                                          const nb::list& columns,
                                                          const DoubleMatrix& values) {
  const TableView table = table_of(columns, router.n_values());
  if (values.shape(0) != router.n_nodes())
    throw std::invalid_argument("one row of values is needed for each node");
  const std::size_t n_outputs = values.shape(1);
  auto out = std::make_unique_for_overwrite<double[]>(table.n_rows * n_outputs);
  {
    nb::gil_scoped_release released;
    router.distribute(table, values_of(values), n_outputs, {out.get(), table.n_rows * n_outputs});
  }
  nb::capsule owner(out.get(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return {out.release(), {table.n_rows, n_outputs}, owner};
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> class_weights_py(const Router& router,
                                                        const nb::list& columns,
                                                        const IntVector& classes,
                                                        const DoubleVector& weights,
                                                        std::size_t n_classes) {
  const TableView table = table_of(columns, router.n_values());
  const std::size_t n_nodes = router.n_nodes();
  auto out = std::make_unique<double[]>(n_nodes * n_classes);
  {
    nb::gil_scoped_release released;
    router.add_class_weights(table, values_of(classes), values_of(weights), n_classes,
                        {out.get(), n_nodes * n_classes});
  }
  nb::capsule owner(out.get(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return {out.release(), {n_nodes, n_classes}, owner};
}

// Sums of a node's linear test for some rows.
nb::ndarray<nb::numpy, double, nb::ndim<1>> linear_sums_py(
    nb::handle tree, const nb::list& columns, const IntVector& n_values,
    std::int32_t node, const IntVector& rows) {
  const TreeView view = view_of(tree);  // of arrays that were checked when the tree was made
  const TableView table = table_of(columns, values_of(n_values));
  const std::span<const std::int32_t> chosen = values_of(rows);
  if (node < 0 || node >= view.n_nodes()) throw std::invalid_argument("there is no such node");
  for (const std::int32_t row : chosen)
    if (row < 0 || static_cast<std::size_t>(row) >= table.n_rows)
      throw std::invalid_argument("a row is not one of the table");
  std::vector<double> sums(chosen.size());
  {
    nb::gil_scoped_release released;
    LinearSplits tests;
    tests.sums(tests.add(terms_of(view, node), table), table, chosen, sums);
  }
  return hand_over(std::move(sums));
}

using DoubleCubeInOut = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using DoubleMatrixInOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What one tree adds, checked: rows of values for its nodes, and where in a row of `out` it goes.
struct Borrowed {
  Router::Member member;
  // What the vote borrows: an array of another type has been copied, and nobody else keeps it.
  DoubleMatrix values;
  IntVector labels;
};

Borrowed read_member(nb::handle given, bool plurality, std::size_t n_outputs) {
  const auto [router, values, labels, first, weight] =
      nb::cast<std::tuple<const Router*, DoubleMatrix, IntVector, std::size_t, double>>(given);
  Router::Member member{router, {values_of(values), values.shape(1), {}, weight}, first};
  if (values.shape(0) != router->n_nodes() || labels.size() != router->n_nodes())
    throw std::invalid_argument("one row of values and one label are needed for each node");
  if (first > n_outputs || values.shape(1) > n_outputs - first)
    throw std::invalid_argument("a tree has more outputs than there are outputs");
  if (plurality) {
    member.vote.labels = values_of(labels);
    for (const std::int32_t label : member.vote.labels)
      if (label < 0 || static_cast<std::size_t>(label) >= values.shape(1))
        throw std::invalid_argument("a label is not one of the outputs");
  }
  return {member, values, labels};
}

// Rows first..last of the table, by all trees.
void add_up_py(const nb::list& trees, const nb::list& columns, bool plurality, std::size_t first,
               std::size_t last, DoubleMatrixInOut out) {
  if (nb::len(trees) == 0) return;
  std::vector<Borrowed> borrowed;
  std::vector<Router::Member> members;
  for (nb::handle tree : trees) {
    borrowed.push_back(read_member(tree, plurality, out.shape(1)));
    members.push_back(borrowed.back().member);
  }
  const TableView table = table_of(columns, members[0].router->n_values());
  if (last > table.n_rows || first > last || out.shape(0) != table.n_rows)
    throw std::invalid_argument("there are no such rows");
  nb::gil_scoped_release released;
  Router::add_up(members, table, first, last, out.data(), out.shape(1));
}

// Adds the SHAP values of one tree, for some rows, to out (rows x columns x outputs), from an output
// on. Returns what the tree predicts when no column is known.
nb::ndarray<nb::numpy, double, nb::ndim<1>> add_shap_py(
    nb::handle tree, const nb::list& columns, const IntVector& n_values, const DoubleMatrix& values,
    double scale, std::size_t first, std::size_t last, std::size_t first_output,
    const DoubleCubeInOut& out) {
  const TreeView view = view_of(tree);  // of arrays that were checked when the tree was made
  const TableView table = table_of(columns, values_of(n_values));
  const std::size_t n_outputs = values.shape(1);
  if (values.shape(0) != at(view.n_nodes()))
    throw std::invalid_argument("one row of values is needed for each node");
  if (last > table.n_rows || first > last || out.shape(0) != table.n_rows ||
      out.shape(1) != table.columns.size() || first_output > out.shape(2) ||
      n_outputs > out.shape(2) - first_output)
    throw std::invalid_argument("there are no such rows or outputs");
  check_tree(view, table);
  SignalWatch watch(std::numeric_limits<double>::infinity());
  std::vector<double> base;
  try {
    nb::gil_scoped_release released;
    ShapTree prepared(view, values_of(values), n_outputs);
    base = prepared.base();
    const std::size_t stride = out.shape(2), row_length = out.shape(1) * stride;
    for (std::size_t row = first; row < last; ++row)
      prepared.add(table, row, scale, out.data() + row * row_length + first_output, stride,
                   watch.stop);
  } catch (const Stopped&) {
    // There is no time limit: it was a signal, whose exception comes next.
  }
  watch.rethrow();
  return hand_over(std::move(base));
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.attr("tree_layout_version") = kTreeLayoutVersion;
  m.def("tree_arrays", &tree_arrays, nb::sig("def tree_arrays() -> list[tuple[str, str, str]]"),
        "Name, type and list (what it has an entry for) of each array of a tree.");
  m.def("check_tree", &check_tree_py, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values").noconvert(),
        nb::sig("def check_tree(tree: object, columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], n_values: NDArray[numpy.int32]) -> None"),
        "ValueError unless the arrays are a tree over such columns.");
  m.def("linear_sums", &linear_sums_py, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values").noconvert(),
        nb::arg("node"), nb::arg("rows").noconvert(),
        nb::sig("def linear_sums(tree: object, columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], n_values: NDArray[numpy.int32], node: int, "
                "rows: NDArray[numpy.int32]) -> NDArray[numpy.float64]"),
        "What a linear split compares with zero, for some rows; NaN where it has no value.");
  nb::class_<Router>(m, "Router", "A tree laid out for routing rows.")
      .def("__init__", &make_router, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values").noconvert(),
           nb::sig("def __init__(self, tree: object, columns: list[NDArray[numpy.int32] | "
                   "NDArray[numpy.float64]], n_values: NDArray[numpy.int32]) -> None"))
      .def("route", &route_py, nb::arg("columns"),
           nb::sig("def route(self, columns: list[NDArray[numpy.int32] | "
                   "NDArray[numpy.float64]]) -> NDArray[numpy.int32]"),
           "The node that each row reaches.")
      .def("distribute", &distribute_py, nb::arg("columns"), nb::arg("values").noconvert(),
           nb::sig("def distribute(self, columns: list[NDArray[numpy.int32] | "
                   "NDArray[numpy.float64]], values: NDArray[numpy.float64]) "
                   "-> NDArray[numpy.float64]"),
           "Values of the nodes, weighted by the fraction of the row that each gets.")
      .def("class_weights", &class_weights_py, nb::arg("columns"), nb::arg("classes").noconvert(),
           nb::arg("weights").noconvert(), nb::arg("n_classes"),
           nb::sig("def class_weights(self, columns: list[NDArray[numpy.int32] | "
                   "NDArray[numpy.float64]], classes: NDArray[numpy.int32], "
                   "weights: NDArray[numpy.float64], n_classes: int) -> NDArray[numpy.float64]"),
           "Class weights of the rows that stop at each node, by fractions; no weights: 1 each.");
  m.def("add_up", &add_up_py, nb::arg("trees"), nb::arg("columns"), nb::arg("plurality"),
        nb::arg("first"), nb::arg("last"), nb::arg("out").noconvert(),
        nb::sig("def add_up(trees: list[tuple[Router, NDArray[numpy.float64], "
                "NDArray[numpy.int32], int, float]], columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], plurality: bool, first: int, last: int, "
                "out: NDArray[numpy.float64]) -> None"),
        "Add the values of trees (router, values, labels, first output, weight) to some rows.");
  m.def("add_shap", &add_shap_py, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values").noconvert(),
        nb::arg("values").noconvert(), nb::arg("scale"), nb::arg("first"), nb::arg("last"),
        nb::arg("first_output"), nb::arg("out").noconvert(),
        nb::sig("def add_shap(tree: object, columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], n_values: NDArray[numpy.int32], "
                "values: NDArray[numpy.float64], scale: float, first: int, last: int, "
                "first_output: int, out: NDArray[numpy.float64]) -> NDArray[numpy.float64]"),
        "Add the SHAP values of a tree to some rows; returns its value when no column is known.");
}

}  // namespace mixedwood
