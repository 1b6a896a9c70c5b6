#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "growth.hpp"
#include "mixedwood/optimal_all.hpp"
#include "python_parts.hpp"
#include "settings.hpp"

namespace mixedwood {
namespace {

nb::dict optimal_all_py(const EncodedColumns& coded, const IntVector& classes,
                        const std::optional<LongVector>& weights, std::int32_t n_classes,
                        const nb::dict& given, double time_limit, const StopFlag* stop,
                        std::optional<std::int64_t> work_limit) {
  AllSplitsProblem problem;
  problem.table = &coded.table;
  problem.classes = values_of(classes);
  if (weights) problem.weights = {weights->data(), weights->size()};
  problem.n_classes = n_classes;
  AllSplitsSettings settings;
  settings.max_depth = get<std::int32_t>(given, "max_depth");
  settings.max_nodes = get<std::int64_t>(given, "max_nodes");
  settings.leaf_cost = get<std::int64_t>(given, "leaf_cost");
  settings.min_leaf = get<std::int64_t>(given, "min_leaf");
  settings.upper_bound = get<std::int64_t>(given, "upper_bound");
  settings.memory_limit = get<std::int64_t>(given, "memory_limit");
  SignalWatch watch(time_limit, stop);
  if (work_limit) watch.stop.limit_work(*work_limit);
  AllSplitsResult found;
  {
    nb::gil_scoped_release released;
    found = optimal_all_splits(problem, settings, watch.stop);
  }
  watch.rethrow_unless_interrupt();
  nb::dict result;
  result["column"] = hand_over(std::move(found.column));
  result["yes"] = hand_over(std::move(found.yes));
  result["no"] = hand_over(std::move(found.no));
  result["label"] = hand_over(std::move(found.label));
  result["low"] = hand_over(std::move(found.low));
  result["high"] = hand_over(std::move(found.high));
  result["value_offset"] = hand_over(std::move(found.value_offset));
  result["value_code"] = hand_over(std::move(found.value_code));
  result["missing_yes"] = hand_over(std::move(found.missing_yes));
  result["cost"] = found.cost;
  result["lower_bound"] = found.lower_bound;
  result["status"] = word_for(found.status);
  result["n_explored"] = found.n_explored;
  result["n_cached"] = found.n_cached;
  result["seconds"] = found.seconds;
  result["work"] = watch.stop.work();
  return result;
}

}  // namespace

void bind_optimal_all(nb::module_& m) {
  m.def("optimal_all", &optimal_all_py, nb::arg("table"), nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("settings"),
        nb::arg("time_limit"), nb::arg("stop") = nb::none(), nb::arg("work_limit") = nb::none(),
        nb::sig("def optimal_all(table: EncodedTable, classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.int64] | None, n_classes: int, "
                "settings: dict[str, int], time_limit: float, stop: StopFlag | None = None, "
                "work_limit: int | None = None) -> dict[str, typing.Any]"),
        "The best tree over all thresholds and subsets: its arrays, its cost and the proof.");
}

}  // namespace mixedwood
