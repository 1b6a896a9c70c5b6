#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "growth.hpp"
#include "mixedwood/regress.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

// A field that is a word in Python: the position of the word is the value.
template <auto Field, std::size_t kCount>
void def_word(nb::class_<RegressSettings>& bound, const char* name,
              const std::array<const char*, kCount>& words) {
  using Enum = std::remove_reference_t<decltype(std::declval<RegressSettings>().*Field)>;
  bound.def_prop_rw(
      name,
      [words](const RegressSettings& s) { return words[static_cast<std::size_t>(s.*Field)]; },
      [words, name](RegressSettings& s, std::string_view given) {
        for (std::size_t i = 0; i < kCount; ++i)
          if (given == words[i]) {
            s.*Field = static_cast<Enum>(i);
            return;
          }
        throw std::invalid_argument(std::string("no such ") + name + ": " + std::string(given));
      });
}

nb::dict regress_py(const CodedColumns& coded, const DoubleVector& target,
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

}  // namespace

void bind_regress(nb::module_& m) {
  nb::class_<RegressSettings> settings(m, "RegressSettings", "Settings of a regression tree.");
  settings.def(nb::init<>())
      .def_rw("min_split_gain", &RegressSettings::min_split_gain)
      .def_rw("alpha", &RegressSettings::alpha)
      .def_rw("bonferroni", &RegressSettings::bonferroni)
      .def_rw("max_depth", &RegressSettings::max_depth, nb::arg().none())
      .def_rw("min_samples_split", &RegressSettings::min_samples_split)
      .def_rw("min_samples_leaf", &RegressSettings::min_samples_leaf)
      .def_rw("max_leaf_nodes", &RegressSettings::max_leaf_nodes, nb::arg().none())
      .def_rw("best_first", &RegressSettings::best_first)
      .def_rw("max_features", &RegressSettings::max_features, nb::arg().none())
      .def_rw("missing_is_value", &RegressSettings::missing_is_value)
      .def_rw("seed", &RegressSettings::seed);
  def_word<&RegressSettings::criterion, 3>(settings, "criterion",
                                           {"squared_error", "poisson", "absolute_error"});
  def_word<&RegressSettings::partitioner, 5>(
      settings, "partitioner",
      {"mean_order", "one_vs_rest", "random_order", "random_subset", "exact"});
  def_word<&RegressSettings::selection, 4>(settings, "selection",
                                           {"score", "adjusted", "average_gain", "significance"});
  def_word<&RegressSettings::unknown, 3>(settings, "handle_unknown",
                                         {"stop", "missing", "majority"});
  m.def("regress", &regress_py, nb::arg("table"), nb::arg("target").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("settings"), nb::arg("time_limit"),
        nb::arg("rows").noconvert().none() = nb::none(), nb::arg("stop").none() = nb::none(),
        nb::sig("def regress(table: CodedTable, target: NDArray[numpy.float64], "
                "weights: NDArray[numpy.float64] | None, settings: RegressSettings, "
                "time_limit: float, rows: NDArray[numpy.int32] | None = None, "
                "stop: StopFlag | None = None) -> dict[str, typing.Any]"),
        "Arrays of a regression tree. Statistics of a node: weight, predicted number, sum of squared "
        "deviations, loss.");
}

}  // namespace mixedwood
