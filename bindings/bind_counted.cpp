#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string_view.h>

#include "arrays.hpp"
#include "mixedwood/counted.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

using CountMatrix = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using SumArray = nb::ndarray<std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using TermMatrix = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using HashVector = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using KnownHashes = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CountVector = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void make_counted(CountedTable* self, const nb::list& numbers, const IntVector& n_values,
                  std::string_view kinds, std::int32_t n_classes) {
  if (nb::len(numbers) != kinds.size() || n_values.size() != kinds.size())
    throw std::invalid_argument("one kind and one number of values are needed for each column");
  std::vector<CountedColumn> columns(kinds.size());
  std::vector<DoubleVector> kept(kinds.size());
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    columns[c].numeric = kinds[c] == 'n';
    columns[c].ordered = kinds[c] != 'c';
    columns[c].n_values = n_values.data()[c];
    if (!columns[c].numeric) continue;
    if (!nb::try_cast(nb::handle(numbers[c]), kept[c], false))
      throw std::invalid_argument("the bins of a column must be contiguous float64 numbers");
    columns[c].numbers = values_of(kept[c]);
  }
  new (self) CountedTable(columns, n_classes);
}

// Codes of each column, which `kept` keeps alive.
std::vector<const std::int32_t*> codes_of(const nb::list& columns, std::size_t n_rows,
                                          std::vector<IntVector>& kept) {
  kept.resize(nb::len(columns));
  std::vector<const std::int32_t*> codes;
  for (std::size_t c = 0; c < kept.size(); ++c) {
    if (!nb::try_cast(nb::handle(columns[c]), kept[c], false) || kept[c].size() != n_rows)
      throw std::invalid_argument("a column must be contiguous int32 codes, one for each row");
    codes.push_back(kept[c].data());
  }
  return codes;
}

void add_counts_py(const CountedTable& table, const nb::list& columns, const IntVector& classes,
                   const IntVector& slots, const CountMatrix& histograms) {
  if (histograms.shape(1) != table.length)
    throw std::invalid_argument("a histogram does not fit the table");
  std::vector<IntVector> kept;
  const auto codes = codes_of(columns, classes.size(), kept);
  nb::gil_scoped_release released;
  add_counts(table, codes, values_of(classes), values_of(slots),
             {histograms.data(), histograms.size()});
}

void add_sums_py(const CountedTable& table, const nb::list& columns, const IntVector& classes,
                 const IntVector& slots, const TermMatrix& terms, const SumArray& sums) {
  if (sums.shape(1) != table.length || sums.shape(2) != terms.shape(1))
    throw std::invalid_argument("sums do not fit the table or the terms");
  std::vector<IntVector> kept;
  const auto codes = codes_of(columns, classes.size(), kept);
  nb::gil_scoped_release released;
  add_sums(table, codes, values_of(classes), values_of(slots), {terms.data(), terms.size()},
           terms.shape(1), {sums.data(), sums.size()});
}

void hash_numbers_py(const HashVector& hashes, const DoubleVector& numbers) {
  nb::gil_scoped_release released;
  hash_numbers({hashes.data(), hashes.size()}, values_of(numbers));
}

void hash_codes_py(const HashVector& hashes, const IntVector& codes, const KnownHashes& hash_of) {
  nb::gil_scoped_release released;
  hash_codes({hashes.data(), hashes.size()}, values_of(codes), {hash_of.data(), hash_of.size()});
}

IntArrayOut find_bins_py(const DoubleVector& edges, const DoubleVector& numbers) {
  std::unique_ptr<std::int32_t[]> bins(new std::int32_t[numbers.size()]);
  {
    nb::gil_scoped_release released;
    find_bins(values_of(edges), values_of(numbers), {bins.get(), numbers.size()});
  }
  return hand_over(std::move(bins), numbers.size());
}

nb::dict as_dict(ChosenSplit chosen);

template <typename Choose>
nb::dict choose(double time_limit, Choose choose) {
  SignalWatch watch(time_limit);
  ChosenSplit chosen;
  {
    nb::gil_scoped_release released;
    chosen = choose(watch.stop);
  }
  watch.rethrow();
  return as_dict(std::move(chosen));
}

nb::dict choose_split_py(const CountedTable& table, const GrowSettings& settings,
                         const CountVector& histogram, const DoubleVector& classes,
                         std::uint64_t seed, const IntVector& columns, double time_limit) {
  const std::span<const std::int32_t> given = values_of(columns);
  return choose(time_limit, [&](Stop& stop) {
    return choose_split(table, settings, {histogram.data(), histogram.size()}, values_of(classes),
                        seed, {given.begin(), given.end()}, stop);
  });
}

nb::dict choose_weighed_split_py(const CountedTable& table, const GrowSettings& settings,
                                 const DoubleVector& weights, const DoubleVector& rows,
                                 std::int64_t n_rows, bool whole_weights,
                                 const DoubleVector& classes, std::uint64_t seed,
                                 const IntVector& columns, double time_limit) {
  const std::span<const std::int32_t> given = values_of(columns);
  if (n_rows < 0) throw std::invalid_argument("a number of rows is negative");
  const WeighedHistogram histogram{values_of(weights), values_of(rows),
                                   static_cast<std::size_t>(n_rows), whole_weights};
  return choose(time_limit, [&](Stop& stop) {
    return choose_split(table, settings, histogram, values_of(classes), seed,
                        {given.begin(), given.end()}, stop);
  });
}

nb::dict choose_number_split_py(const CountedTable& table, const RegressSettings& settings,
                                const nb::ndarray<const double, nb::ndim<2>, nb::c_contig,
                                                  nb::device::cpu>& cells,
                                const DoubleVector& node, bool whole_weights, std::uint64_t seed,
                                const IntVector& columns, double time_limit) {
  if (cells.shape(0) != 4 || node.size() != 6)
    throw std::invalid_argument("a histogram has four sums for each cell, and six of the node");
  const std::size_t n = cells.shape(1);
  const auto row = [&](std::size_t i) { return std::span<const double>(cells.data() + i * n, n); };
  const double* sums = node.data();
  const MomentHistogram histogram{row(0),  row(1),  row(2),  row(3),  sums[0],
                                  sums[1], sums[2], sums[3], sums[4], sums[5], whole_weights};
  const std::span<const std::int32_t> given = values_of(columns);
  return choose(time_limit, [&](Stop& stop) {
    return choose_split(table, settings, histogram, seed, {given.begin(), given.end()}, stop);
  });
}

nb::dict as_dict(ChosenSplit chosen) {
  nb::dict result;
  result["kind"] = static_cast<int>(chosen.kind);
  result["column"] = chosen.column;
  result["last_left"] = chosen.last_left;
  result["n_children"] = chosen.n_children;
  result["missing_child"] = chosen.missing_child;
  result["score"] = chosen.score;
  result["high"] = chosen.high;
  result["worth"] = chosen.worth;
  result["values"] = hand_over(std::move(chosen.values));
  result["children"] = hand_over(std::move(chosen.children));
  result["columns"] = hand_over(std::move(chosen.columns));
  result["seeds"] = hand_over(std::move(chosen.seeds));
  return result;
}

}  // namespace

void bind_counted(nb::module_& m) {
  nb::class_<CountedTable>(m, "CountedTable", "Columns of a table whose rows are counted elsewhere.")
      .def("__init__", &make_counted, nb::arg("numbers"), nb::arg("n_values").noconvert(),
           nb::arg("kinds"), nb::arg("n_classes"),
           nb::sig("def __init__(self, numbers: list[NDArray[numpy.float64] | None], "
                   "n_values: NDArray[numpy.int32], kinds: str, n_classes: int) -> None"))
      .def_prop_ro("length", [](const CountedTable& t) { return t.length; })
      .def_prop_ro(
          "offset",
          [](const CountedTable& t) { return hand_over(std::vector<std::int64_t>(t.offset)); },
          nb::rv_policy::move);
  m.def("add_counts", &add_counts_py, nb::arg("table"), nb::arg("columns"),
        nb::arg("classes").noconvert(), nb::arg("slots").noconvert(),
        nb::arg("histograms").noconvert(),
        nb::sig("def add_counts(table: CountedTable, columns: list[NDArray[numpy.int32]], "
                "classes: NDArray[numpy.int32], slots: NDArray[numpy.int32], "
                "histograms: NDArray[numpy.uint32]) -> None"),
        "Add rows to the histograms of their nodes.");
  m.def("add_sums", &add_sums_py, nb::arg("table"), nb::arg("columns"),
        nb::arg("classes").noconvert(), nb::arg("slots").noconvert(), nb::arg("terms").noconvert(),
        nb::arg("sums").noconvert(),
        nb::sig("def add_sums(table: CountedTable, columns: list[NDArray[numpy.int32]], "
                "classes: NDArray[numpy.int32], slots: NDArray[numpy.int32], "
                "terms: NDArray[numpy.int64], sums: NDArray[numpy.int64]) -> None"),
        "Add whole numbers of rows, one or more each, to the cells of their nodes.");
  m.def("hash_numbers", &hash_numbers_py, nb::arg("hashes").noconvert(),
        nb::arg("numbers").noconvert(),
        nb::sig("def hash_numbers(hashes: NDArray[numpy.uint64], "
                "numbers: NDArray[numpy.float64]) -> None"),
        "Mix numbers into the hashes of their rows.");
  m.def("hash_codes", &hash_codes_py, nb::arg("hashes").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("hash_of").noconvert(),
        nb::sig("def hash_codes(hashes: NDArray[numpy.uint64], codes: NDArray[numpy.int32], "
                "hash_of: NDArray[numpy.uint64]) -> None"),
        "Mix the hashes of codes into those of their rows; the last is that of missing values.");
  m.def("find_bins", &find_bins_py, nb::arg("edges").noconvert(), nb::arg("numbers").noconvert(),
        nb::sig("def find_bins(edges: NDArray[numpy.float64], numbers: NDArray[numpy.float64]) "
                "-> NDArray[numpy.int32]"),
        "The bin of each number; -1 for NaN.");
  m.def("choose_split", &choose_split_py, nb::arg("table"), nb::arg("settings"),
        nb::arg("histogram").noconvert(), nb::arg("classes").noconvert(), nb::arg("seed"),
        nb::arg("columns").noconvert(), nb::arg("time_limit"),
        nb::sig("def choose_split(table: CountedTable, settings: GrowSettings, "
                "histogram: NDArray[numpy.uint32], classes: NDArray[numpy.float64], seed: int, "
                "columns: NDArray[numpy.int32], time_limit: float) -> dict[str, typing.Any]"),
        "The split of a node, from its counts alone.");
  m.def("choose_weighed_split", &choose_weighed_split_py, nb::arg("table"), nb::arg("settings"),
        nb::arg("weights").noconvert(), nb::arg("rows").noconvert(), nb::arg("n_rows"),
        nb::arg("whole_weights"), nb::arg("classes").noconvert(), nb::arg("seed"),
        nb::arg("columns").noconvert(), nb::arg("time_limit"),
        nb::sig("def choose_weighed_split(table: CountedTable, settings: GrowSettings, "
                "weights: NDArray[numpy.float64], rows: NDArray[numpy.float64], n_rows: int, "
                "whole_weights: bool, classes: NDArray[numpy.float64], seed: int, "
                "columns: NDArray[numpy.int32], time_limit: float) -> dict[str, typing.Any]"),
        "The split of a node, from the weights and numbers of its rows.");
  m.def("choose_number_split", &choose_number_split_py, nb::arg("table"), nb::arg("settings"),
        nb::arg("cells").noconvert(), nb::arg("node").noconvert(), nb::arg("whole_weights"),
        nb::arg("seed"), nb::arg("columns").noconvert(), nb::arg("time_limit"),
        nb::sig("def choose_number_split(table: CountedTable, settings: RegressSettings, "
                "cells: NDArray[numpy.float64], node: NDArray[numpy.float64], whole_weights: bool, "
                "seed: int, columns: NDArray[numpy.int32], time_limit: float) "
                "-> dict[str, typing.Any]"),
        "The split of a node that predicts a number: cells have rows, weights, sums and squares; "
        "the node rows, weight, sum, mean, squared deviations and loss.");
}

}  // namespace mixedwood
