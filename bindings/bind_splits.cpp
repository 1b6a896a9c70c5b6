#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <limits>
#include <optional>

#include "arrays.hpp"
#include "mixedwood/split.hpp"
#include "python_parts.hpp"

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
      throw std::invalid_argument("cost_matrix must have one row and one column per class");
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
                       const PythonCriterion* custom, const nb::typed<nb::handle, Partitioner>& partitioner,
                       const std::optional<DoubleMatrix>& costs,
                       std::uint64_t seed, bool ordered, double time_limit) {
  SplitRequest request = make_request(counts, criterion, custom, costs, ordered);
  request.partitioner = shared_part<Partitioner>(partitioner);
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

}  // namespace

void bind_splits(nb::module_& m) {
  m.def("best_split", &best_split_py, nb::arg("counts").noconvert(), nb::arg("criterion"),
        nb::arg("custom").none(), nb::arg("partitioner"),
        nb::arg("cost_matrix").noconvert().none(), nb::arg("seed"), nb::arg("ordered"),
        nb::arg("time_limit"),
        nb::sig("def best_split(counts: NDArray[numpy.float64], criterion: str, "
                "custom: PythonCriterion | None, partitioner: Partitioner, "
                "cost_matrix: NDArray[numpy.float64] | None, seed: int, ordered: bool, "
                "time_limit: float) -> dict[str, typing.Any]"),
        "Best grouping of the rows of a table of counts.");
  m.def("score_grouping", &score_grouping_py, nb::arg("counts").noconvert(),
        nb::arg("group").noconvert(), nb::arg("criterion"), nb::arg("custom").none(),
        nb::arg("cost_matrix").noconvert().none(), nb::arg("ordered"),
        nb::sig("def score_grouping(counts: NDArray[numpy.float64], group: NDArray[numpy.int32], "
                "criterion: str, custom: PythonCriterion | None, "
                "cost_matrix: NDArray[numpy.float64] | None, ordered: bool) -> dict[str, typing.Any]"),
        "Score of a given grouping.");
}

}  // namespace mixedwood
