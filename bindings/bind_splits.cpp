#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <limits>
#include <optional>

#include "arrays.hpp"
#include "mixedwood/registry.hpp"
#include "mixedwood/split.hpp"
#include "python_parts.hpp"
#include "settings.hpp"

namespace mixedwood {
namespace {

SplitRequest make_request(const DoubleMatrix& counts, std::string_view criterion,
                          const PythonCriterion* custom, const std::optional<DoubleMatrix>& costs,
                          bool ordered) {
  SplitRequest request;
  request.counts = values_of(counts);
  request.n_rows = counts.shape(0);
  request.n_columns = counts.shape(1);
  request.criterion = criterion;
  request.custom_criterion = custom;
  if (costs) {
    if (costs->shape(0) != counts.shape(1) || costs->shape(1) != counts.shape(1))
      throw std::invalid_argument("costs must have one row and one column per class");
    request.costs = values_of(*costs);
  }
  request.ordered = ordered;
  return request;
}

nb::dict as_dict(Split split) {
  nb::dict result;
  result["group"] = hand_over(std::move(split.group));
  result["n_groups"] = split.n_groups;
  result["score"] = split.score;
  result["impurity"] = split.impurity;
  result["impurity_before"] = split.impurity_before;
  result["exact"] = split.exact;
  result["complete"] = split.complete;
  result["bound"] = split.bound;
  result["superclass"] = hand_over(std::move(split.superclass));
  result["partitioner"] = split.partitioner.c_str();
  return result;
}

nb::dict best_split_py(const DoubleMatrix& counts, std::string_view criterion,
                       const PythonCriterion* custom, std::string_view partitioner,
                       const nb::dict& options, const std::optional<DoubleMatrix>& costs,
                       std::uint64_t seed, bool ordered, double time_limit) {
  SplitRequest request = make_request(counts, criterion, custom, costs, ordered);
  request.partitioner = partitioner;
  request.options = options_of(options);
  request.seed = seed;
  SignalWatch watch(time_limit);
  Split split;
  {
    nb::gil_scoped_release released;
    split = best_split(request, watch.stop);
  }
  watch.rethrow();
  return as_dict(std::move(split));
}

nb::dict score_grouping_py(const DoubleMatrix& counts, const IntVector& group,
                           std::string_view criterion, const PythonCriterion* custom,
                           const std::optional<DoubleMatrix>& costs, bool ordered) {
  if (group.shape(0) != counts.shape(0))
    throw std::invalid_argument("group must have one entry per row of counts");
  const SplitRequest request = make_request(counts, criterion, custom, costs, ordered);
  SignalWatch watch(std::numeric_limits<double>::infinity());
  Split split;
  {
    nb::gil_scoped_release released;
    split = score_grouping(request, values_of(group), watch.stop);
  }
  watch.rethrow();
  return as_dict(std::move(split));
}

nb::list criteria_list() {
  nb::list names;
  for (const auto& info : criteria())
    names.append(nb::make_tuple(info.name.c_str(), info.summary.c_str(), info.takes_costs));
  return names;
}

nb::list partitioners_list() {
  nb::list names;
  for (const auto& info : partitioners()) {
    nb::list options;
    for (const auto& o : info.options) {
      nb::list choices;
      for (const auto& choice : o.choices) choices.append(choice.c_str());
      options.append(nb::make_tuple(o.name.c_str(), o.default_value, o.summary.c_str(), choices));
    }
    names.append(nb::make_tuple(info.name.c_str(), info.summary.c_str(), options));
  }
  return names;
}

}  // namespace

void bind_splits(nb::module_& m) {
  nb::class_<PythonCriterion>(m, "PythonCriterion", nb::type_slots(kPythonCriterionSlots),
                              "A criterion whose score is computed in Python.")
      .def(nb::init<nb::object, bool, bool, bool>(), nb::arg("score"), nb::arg("convex"),
           nb::arg("many_groups"), nb::arg("entropy"));
  m.def("best_split", &best_split_py, nb::arg("counts").noconvert(), nb::arg("criterion"),
        nb::arg("custom").none(), nb::arg("partitioner"), nb::arg("options"),
        nb::arg("costs").noconvert().none(), nb::arg("seed"), nb::arg("ordered"),
        nb::arg("time_limit"),
        nb::sig("def best_split(counts: NDArray[numpy.float64], criterion: str, "
                "custom: PythonCriterion | None, partitioner: str, options: dict[str, float], "
                "costs: NDArray[numpy.float64] | None, seed: int, ordered: bool, "
                "time_limit: float) -> dict[str, typing.Any]"),
        "Best grouping of the rows of a table of counts.");
  m.def("score_grouping", &score_grouping_py, nb::arg("counts").noconvert(),
        nb::arg("group").noconvert(), nb::arg("criterion"), nb::arg("custom").none(),
        nb::arg("costs").noconvert().none(), nb::arg("ordered"),
        nb::sig("def score_grouping(counts: NDArray[numpy.float64], group: NDArray[numpy.int32], "
                "criterion: str, custom: PythonCriterion | None, "
                "costs: NDArray[numpy.float64] | None, ordered: bool) -> dict[str, typing.Any]"),
        "Score of a given grouping.");
  m.def("criteria", &criteria_list, nb::sig("def criteria() -> list[tuple[str, str, bool]]"),
        "Name, summary and whether it takes costs, of each criterion.");
  m.def("partitioners", &partitioners_list,
        nb::sig("def partitioners() -> list[tuple[str, str, "
                "list[tuple[str, float, str, list[str]]]]]"),
        "Name, summary and options of each partitioner.");
}

}  // namespace mixedwood
