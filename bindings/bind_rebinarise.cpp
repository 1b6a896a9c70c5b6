#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "cut_rules.hpp"
#include "growth.hpp"
#include "mixedwood/rebinarise.hpp"
#include "python_parts.hpp"
#include "settings.hpp"

namespace mixedwood {
namespace {

Encoding encoding_of(std::string_view name) {
  if (name == "one_hot") return Encoding::kOneHot;
  if (name == "multi_hot") return Encoding::kMultiHot;
  if (name == "thresholds") return Encoding::kThresholds;
  if (name == "subsets") return Encoding::kSubsets;
  throw std::invalid_argument("there is no encoding '" + std::string(name) + "'");
}

RebinariseSettings read_settings(const nb::dict& given) {
  RebinariseSettings s;
  s.rule = cut_rule(get<std::string>(given, "rule"));
  s.encoding = encoding_of(get<std::string>(given, "encoding"));
  s.max_subset_values = get<std::size_t>(given, "max_subset_values");
  s.max_depth = get<int>(given, "max_depth");
  s.max_nodes = get<std::int64_t>(given, "max_nodes");
  s.leaf_cost = get<std::int64_t>(given, "leaf_cost");
  s.min_leaf = get<std::int64_t>(given, "min_leaf");
  s.upper_bound = get<std::int64_t>(given, "upper_bound");
  s.memory_limit = get<double>(given, "memory_limit");
  return s;
}

// Kinds: 'c' codes without order, 'o' codes in order, 'n' numbers.
RebinariseColumn read_column(nb::handle given, char kind, std::int32_t n_values,
                             std::size_t n_rows) {
  RebinariseColumn column;
  column.ordered = kind == 'o';
  IntVector codes;
  DoubleVector numbers;
  std::size_t length = 0;
  if (kind == 'n' && nb::try_cast(given, numbers, false)) {
    column.view = {nullptr, numbers.data(), 0};
    length = numbers.size();
  } else if (kind != 'n' && nb::try_cast(given, codes, false)) {
    column.view = {codes.data(), nullptr, n_values};
    length = codes.size();
  } else {
    throw std::invalid_argument("a column must be contiguous int32 codes or float64 numbers");
  }
  if (length != n_rows) throw std::invalid_argument("columns differ in length");
  return column;
}

nb::dict rebinarised_tree_py(const nb::list& columns, std::string_view kinds,
                             const IntVector& n_values, const nb::list& cuts,
                             const LongVector& n_bins, const IntVector& classes,
                             const std::optional<LongVector>& weights, std::size_t n_classes,
                             const nb::dict& given, double time_limit, const StopFlag* flag,
                             std::optional<std::int64_t> work_limit) {
  const std::size_t n = kinds.size();
  if (nb::len(columns) != n || n_values.size() != n || nb::len(cuts) != n || n_bins.size() != n)
    throw std::invalid_argument("kind, number of values, cuts and ranges are needed for each column");
  const RebinariseSettings settings = read_settings(given);
  std::vector<RebinariseColumn> read;
  for (std::size_t c = 0; c < n; ++c) {
    read.push_back(read_column(columns[c], kinds[c], n_values.data()[c], classes.size()));
    read.back().n_bins = n_bins.data()[c];
    if (cuts[c].is_none()) continue;
    const auto at = nb::cast<DoubleVector>(cuts[c]);
    read.back().cuts.emplace(at.data(), at.data() + at.size());
  }
  const auto start = std::chrono::steady_clock::now();
  SignalWatch watch(time_limit, flag);
  if (work_limit) watch.stop.limit_work(*work_limit);
  RebinarisedResult found;
  {
    nb::gil_scoped_release released;
    const auto given_weights = weights ? std::span(weights->data(), weights->size())
                                       : std::span<const std::int64_t>();
    found = rebinarised_tree(read, values_of(classes), given_weights, n_classes, settings,
                             watch.stop);
  }
  watch.rethrow_unless_interrupt();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  nb::dict result;
  std::vector<std::uint8_t> missing_yes(found.tree.column.size(), 0);
  result["column"] = hand_over(std::move(found.tree.column));
  result["low"] = hand_over(std::move(found.tree.low));
  result["high"] = hand_over(std::move(found.tree.high));
  result["value_offset"] = hand_over(std::move(found.tree.value_offset));
  result["value_code"] = hand_over(std::move(found.tree.value_code));
  result["missing_yes"] = hand_over(std::move(missing_yes));
  result["yes"] = hand_over(std::move(found.tree.yes));
  result["no"] = hand_over(std::move(found.tree.no));
  result["cost"] = found.cost;
  result["lower_bound"] = found.lower_bound;
  result["status"] = word_for(found.status);
  result["n_explored"] = found.n_explored;
  result["n_cached"] = found.n_cached;
  result["seconds"] = seconds.count();
  result["work"] = watch.stop.work();
  return result;
}

}  // namespace

void bind_rebinarise(nb::module_& m) {
  m.def("rebinarised_tree", &rebinarised_tree_py, nb::arg("columns"), nb::arg("kinds"),
        nb::arg("n_values").noconvert(), nb::arg("cuts"), nb::arg("n_bins").noconvert(),
        nb::arg("classes").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("n_classes"), nb::arg("settings"),
        nb::arg("time_limit"), nb::arg("stop").none(), nb::arg("work_limit") = nb::none(),
        nb::sig("def rebinarised_tree(columns: list[Any], kinds: str, n_values: NDArray[numpy.int32], "
                "cuts: list[Any], n_bins: NDArray[numpy.int64], classes: NDArray[numpy.int32], weights: "
                "NDArray[numpy.int64] | None, n_classes: int, settings: dict[str, Any], "
                "time_limit: float, stop: StopFlag | None, work_limit: int | None = None) -> "
                "dict[str, Any]"),
        "Best tree over tests made anew from the rows of every node.");
}

}  // namespace mixedwood
