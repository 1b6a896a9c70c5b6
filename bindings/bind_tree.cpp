#include <nanobind/stl/vector.h>

#include <variant>

#include "arrays.hpp"
#include "mixedwood/predict.hpp"
#include "mixedwood/tree.hpp"

namespace mixedwood {
namespace {

using ByteVector = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A Python object with one attribute per array of the layout, in exact types; what the spans
// borrow lives as long as the object.
template <typename Array>
Array attribute(nb::handle tree, const char* name) {
  Array array;
  if (!nb::try_cast(tree.attr(name), array, false))
    throw std::invalid_argument(std::string("not a tree: ") + name +
                                " has the wrong type or is not contiguous");
  return array;
}

std::span<const std::int32_t> ints(nb::handle tree, const char* name) {
  return values_of(attribute<IntVector>(tree, name));
}
std::span<const double> doubles(nb::handle tree, const char* name) {
  return values_of(attribute<DoubleVector>(tree, name));
}

TreeView view_of(nb::handle tree) {
  TreeView view;
  const auto kind = attribute<ByteVector>(tree, "kind");
  view.kind = {kind.data(), kind.size()};
  view.column = ints(tree, "column");
  view.low = doubles(tree, "low");
  view.high = doubles(tree, "high");
  view.child_offset = ints(tree, "child_offset");
  view.children = ints(tree, "children");
  view.value_offset = ints(tree, "value_offset");
  view.value_code = ints(tree, "value_code");
  view.value_child = ints(tree, "value_child");
  view.term_offset = ints(tree, "term_offset");
  view.term_column = ints(tree, "term_column");
  view.term_weight = doubles(tree, "term_weight");
  view.intercept = doubles(tree, "intercept");
  view.missing_child = ints(tree, "missing_child");
  view.unseen_child = ints(tree, "unseen_child");
  view.weight = doubles(tree, "weight");
  return view;
}

// Columns are int32 codes or float64 numbers; n_values is 0 for numbers.
TableView table_of(const nb::list& columns, const std::vector<std::int32_t>& n_values) {
  if (nb::len(columns) != n_values.size())
    throw std::invalid_argument("one number of values is needed for each column");
  TableView table;
  for (std::size_t c = 0; c < n_values.size(); ++c) {
    ColumnView view;
    std::size_t length = 0;
    IntVector codes;
    DoubleVector numbers;
    if (nb::try_cast(columns[c], codes, false)) {
      view = {codes.data(), nullptr, n_values[c]};
      length = codes.size();
      for (const std::int32_t code : values_of(codes))
        if (code >= n_values[c]) throw std::invalid_argument("a code is beyond its column's values");
    } else if (nb::try_cast(columns[c], numbers, false)) {
      view = {nullptr, numbers.data(), 0};
      length = numbers.size();
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
                   const std::vector<std::int32_t>& n_values) {
  check_tree(view_of(tree), table_of(columns, n_values));
}

IntArrayOut route_py(nb::handle tree, const nb::list& columns,
                     const std::vector<std::int32_t>& n_values) {
  const TreeView view = view_of(tree);
  const TableView table = table_of(columns, n_values);
  std::vector<std::int32_t> answers(table.n_rows);
  {
    nb::gil_scoped_release released;
    route(view, table, answers);
  }
  return hand_over(std::move(answers));
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> distribute_py(
    nb::handle tree, const nb::list& columns, const std::vector<std::int32_t>& n_values,
    const DoubleMatrix& answers) {
  const TreeView view = view_of(tree);
  const TableView table = table_of(columns, n_values);
  if (answers.shape(0) != view.kind.size())
    throw std::invalid_argument("one row of answers is needed for each node");
  const std::size_t n_outputs = answers.shape(1);
  auto* out = new std::vector<double>(table.n_rows * n_outputs);
  nb::capsule owner(out, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  {
    nb::gil_scoped_release released;
    distribute(view, table, values_of(answers), n_outputs, *out);
  }
  return {out->data(), {table.n_rows, n_outputs}, owner};
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.attr("tree_layout_version") = kTreeLayoutVersion;
  m.def("check_tree", &check_tree_py, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values"),
        nb::sig("def check_tree(tree: object, columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], n_values: list[int]) -> None"),
        "ValueError unless the arrays are a tree over such columns.");
  m.def("route", &route_py, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values"),
        nb::sig("def route(tree: object, columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], n_values: list[int]) -> NDArray[numpy.int32]"),
        "The node that answers each row.");
  m.def("distribute", &distribute_py, nb::arg("tree"), nb::arg("columns"), nb::arg("n_values"),
        nb::arg("answers").noconvert(),
        nb::sig("def distribute(tree: object, columns: list[NDArray[numpy.int32] | "
                "NDArray[numpy.float64]], n_values: list[int], answers: NDArray[numpy.float64]) "
                "-> NDArray[numpy.float64]"),
        "Answers of the nodes, weighted by the share of the row that each gets.");
}

}  // namespace mixedwood
