#include <nanobind/stl/optional.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "growth.hpp"
#include "mixedwood/optimal.hpp"
#include "python_parts.hpp"
#include "settings.hpp"

namespace mixedwood {
namespace {

using ByteMatrix = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const std::map<std::string, bool OptimalSwitches::*>& switches() {
  static const std::map<std::string, bool OptimalSwitches::*> all = {
      {"cache", &OptimalSwitches::cache},
      {"similarity", &OptimalSwitches::similarity},
      {"equivalent_points", &OptimalSwitches::equivalent_points},
      {"parent_minus_child", &OptimalSwitches::parent_minus_child},
      {"merge_rows", &OptimalSwitches::merge_rows},
      {"wide_registers", &OptimalSwitches::wide_registers}};
  return all;
}

void make_solver(OptimalSolver* room, const ByteMatrix& matrix, const IntVector& classes,
                 const std::optional<LongVector>& weights, std::int32_t n_classes, Cost leaf_cost,
                 std::int64_t min_leaf, const nb::dict& given, Cost error_cost) {
  BinaryProblem problem;
  problem.n_rows = matrix.shape(0);
  problem.n_columns = matrix.shape(1);
  problem.matrix = {matrix.data(), matrix.size()};
  problem.classes = values_of(classes);
  if (weights) problem.weights = {weights->data(), weights->size()};
  problem.n_classes = n_classes;
  OptimalSettings settings;
  settings.error_cost = error_cost;
  settings.leaf_cost = leaf_cost;
  settings.min_leaf = min_leaf;
  for (const auto& [name, value] : given) {
    const auto found = switches().find(text_of(name));
    if (found == switches().end())
      throw std::invalid_argument("there is no switch '" + text_of(name) + "'");
    settings.switches.*(found->second) = nb::cast<bool>(value);
  }
  OptimalSolver solver = [&] {
    nb::gil_scoped_release released;
    return OptimalSolver(problem, settings);
  }();
  new (room) OptimalSolver(std::move(solver));
}

nb::dict solve(OptimalSolver& solver, std::int32_t max_depth, std::int64_t max_nodes,
               std::optional<Cost> upper_bound, double time_limit, std::int64_t memory_limit,
               const StopFlag* stop, std::optional<std::int64_t> work_limit) {
  OptimalBudget budget;
  budget.max_depth = max_depth;
  budget.max_nodes = max_nodes;
  if (upper_bound) budget.upper_bound = std::min(*upper_bound, kNoBound);
  budget.memory = memory_limit;
  SignalWatch watch(time_limit, stop);
  if (work_limit) watch.stop.limit_work(*work_limit);
  OptimalResult result;
  {
    nb::gil_scoped_release released;
    result = solver.solve(budget, watch.stop);
  }
  watch.rethrow_unless_interrupt();
  nb::dict answer;
  answer["status"] = word_for(result.status);
  answer["test"] = hand_over(std::move(result.test));
  answer["yes"] = hand_over(std::move(result.yes));
  answer["no"] = hand_over(std::move(result.no));
  answer["cost"] = result.cost;
  answer["lower_bound"] = result.lower_bound;
  answer["n_explored"] = result.n_explored;
  answer["n_cached"] = result.n_cached;
  answer["cache_bytes"] = result.cache_bytes;
  answer["seconds"] = result.seconds;
  answer["work"] = watch.stop.work();
  nb::list trace;
  for (const auto& m : result.trace) trace.append(nb::make_tuple(m.seconds, m.cost));
  answer["trace"] = trace;
  return answer;
}

nb::list switch_names() {
  nb::list names;
  for (const auto& [name, _] : switches()) names.append(name.c_str());
  return names;
}

}  // namespace

void bind_optimal(nb::module_& m) {
  m.def("optimal_switches", &switch_names, nb::sig("def optimal_switches() -> list[str]"),
        "Parts of the search for optimal trees that tests may switch off.");
  nb::class_<OptimalSolver>(m, "OptimalSolver",
                            "Best trees over binary columns; what one call learns helps the next.")
      .def("__init__", &make_solver, nb::arg("matrix"), nb::arg("classes"),
           nb::arg("weights").none(), nb::arg("n_classes"), nb::arg("leaf_cost") = 0,
           nb::arg("min_leaf") = 1, nb::arg("switches") = nb::dict(), nb::arg("error_cost") = 1,
           nb::sig("def __init__(self, matrix: NDArray[numpy.uint8], classes: "
                   "NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, "
                   "leaf_cost: int = 0, min_leaf: int = 1, switches: dict[str, bool] = {}, "
                   "error_cost: int = 1) -> None"))
      .def("solve", &solve, nb::arg("max_depth"), nb::arg("max_nodes") = -1,
           nb::arg("upper_bound") = nb::none(), nb::arg("time_limit") = 1e18,
           nb::arg("memory_limit") = -1, nb::arg("stop") = nb::none(),
           nb::arg("work_limit") = nb::none(),
           nb::sig("def solve(self, max_depth: int, max_nodes: int = -1, upper_bound: int | None "
                   "= None, time_limit: float = 1e18, memory_limit: int = -1, stop: StopFlag | None "
                   "= None, work_limit: int | None = None) -> dict[str, typing.Any]"));
}

}  // namespace mixedwood
