#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "arrays.hpp"
#include "choices.hpp"
#include "growth.hpp"
#include "mixedwood/grow_prune.hpp"
#include "mixedwood/regress.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

nb::dict regress_py(const EncodedColumns& coded, const DoubleVector& target,
                    const std::optional<DoubleVector>& weights, const RegressSettings& settings,
                    double time_limit, const std::optional<IntVector>& rows, const StopFlag* stop) {
  RegressData data;
  data.target = values_of(target);
  if (weights) data.weights = values_of(*weights);
  if (rows) data.rows = values_of(*rows);
  SignalWatch watch(time_limit, stop);
  GrownTree tree;
  {
    nb::gil_scoped_release released;
    tree = regress(coded.table, data, settings, watch.stop);
  }
  watch.rethrow();
  return arrays_of(std::move(tree));
}

nb::tuple grow_prune_py(const EncodedColumns& coded, const DoubleVector& target,
                        const std::optional<DoubleVector>& weights, const RegressSettings& settings,
                        double time_limit, const SignVector& halves, std::int64_t max_iter,
                        bool refit_leaves, const StopFlag* stop) {
  RegressData data;
  data.target = values_of(target);
  if (weights) data.weights = values_of(*weights);
  SignalWatch watch(time_limit, stop);
  GrowPruneResult result;
  {
    nb::gil_scoped_release released;
    result = grow_prune_numbers(coded.table, data, {halves.data(), halves.size()}, settings,
                                {max_iter, refit_leaves}, watch.stop);
  }
  watch.rethrow();
  return nb::make_tuple(arrays_of(std::move(result.tree)), hand_over(std::move(result.grown)),
                        hand_over(std::move(result.pruned)), result.ended);
}

}  // namespace

void bind_regress(nb::module_& m) {
  nb::class_<RegressSettings>(m, "RegressSettings",
                              "How a tree of numbers is grown, and when to stop.")
      .def(nb::init<>())
      .def_rw("criterion", &RegressSettings::criterion)
      .def_rw("partitioner", &RegressSettings::partitioner)
      .def_rw("selection", &RegressSettings::selection)
      .def_rw("min_split_gain", &RegressSettings::min_split_gain)
      .def_rw("alpha", &RegressSettings::alpha)
      .def_rw("bonferroni", &RegressSettings::bonferroni)
      .def_rw("max_depth", &RegressSettings::max_depth, nb::arg().none())
      .def_rw("min_samples_split", &RegressSettings::min_samples_split)
      .def_rw("min_samples_leaf", &RegressSettings::min_samples_leaf)
      .def_rw("max_leaf_nodes", &RegressSettings::max_leaf_nodes, nb::arg().none())
      .def_rw("best_first", &RegressSettings::best_first)
      .def_rw("max_features", &RegressSettings::max_features, nb::arg().none())
      .def_rw("handle_missing", &RegressSettings::handle_missing)
      .def_rw("handle_unknown", &RegressSettings::handle_unknown)
      .def_rw("seed", &RegressSettings::seed)
      .def_prop_rw(
          "monotonic_cst",
          [](const RegressSettings& s) { return hand_over(std::vector<std::int8_t>(s.monotonic_cst)); },
          [](RegressSettings& s, const SignVector& given) {
            s.monotonic_cst.assign(given.data(), given.data() + given.size());
          });
  m.def("regress", &regress_py, nb::arg("table"), nb::arg("target").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("settings"), nb::arg("time_limit"),
        nb::arg("rows").noconvert().none() = nb::none(), nb::arg("stop").none() = nb::none(),
        nb::sig("def regress(table: EncodedTable, target: NDArray[numpy.float64], "
                "weights: NDArray[numpy.float64] | None, settings: RegressSettings, "
                "time_limit: float, rows: NDArray[numpy.int32] | None = None, "
                "stop: StopFlag | None = None) -> dict[str, typing.Any]"),
        "Arrays of a tree of numbers. Statistics of a node: weight, predicted number, sum of squared "
        "deviations, loss.");
  m.def("grow_prune_numbers", &grow_prune_py, nb::arg("table"), nb::arg("target").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("settings"), nb::arg("time_limit"),
        nb::arg("halves").noconvert(), nb::arg("max_iter"), nb::arg("refit_leaves"),
        nb::arg("stop").none() = nb::none(),
        nb::sig("def grow_prune_numbers(table: EncodedTable, target: NDArray[numpy.float64], "
                "weights: NDArray[numpy.float64] | None, settings: RegressSettings, "
                "time_limit: float, halves: NDArray[numpy.int8], max_iter: int, "
                "refit_leaves: bool, stop: StopFlag | None = None) "
                "-> tuple[dict[str, typing.Any], NDArray[numpy.int64], NDArray[numpy.int64], bool]"),
        "Arrays of a tree of numbers grown and pruned in turns; leaves each time, and whether it "
        "ended.");
}

}  // namespace mixedwood
