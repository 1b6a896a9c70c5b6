// Criteria, partitioners and screeners: the registry's list, and handles for settings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "mixedwood/registry.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

nb::object as_python(const OptionValue& value) {
  return std::visit(
      [](const auto& v) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>)
          return nb::str(v.data(), v.size());
        else
          return nb::cast(v);
      },
      value);
}

OptionValue as_native(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<std::int64_t>(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  return std::string(nb::cast<std::string_view>(value));
}

Options options_of(const nb::dict& given) {
  Options options;
  for (const auto& [name, value] : given)
    options.set(std::string(nb::cast<std::string_view>(name)), as_native(value));
  return options;
}

nb::tuple describe(const std::string& name, const std::string& summary,
                   const std::vector<OptionInfo>& options) {
  nb::list listed;
  for (const auto& o : options) {
    nb::list choices;
    for (const auto& choice : o.choices) choices.append(choice.c_str());
    listed.append(nb::make_tuple(o.name.c_str(), as_python(o.default_value), o.summary.c_str(),
                                 nb::tuple(choices), o.low, o.high));
  }
  return nb::make_tuple(name.c_str(), summary.c_str(), listed);
}

template <typename Infos>
nb::list describe_all(const Infos& infos) {
  nb::list parts;
  for (const auto& info : infos) parts.append(describe(info.name, info.summary, info.options));
  return parts;
}

nb::list criteria_list() {
  nb::list parts;
  for (const auto& info : known_criteria()) parts.append(describe(info.name, info.summary, {}));
  return parts;
}

}  // namespace

void bind_parts(nb::module_& m) {
  nb::class_<Criterion>(m, "Criterion", "Scores the groups of a partition.");
  nb::class_<PythonCriterion, Criterion>(m, "PythonCriterion",
                                         nb::type_slots(kPythonCriterionSlots),
                                         "A criterion whose score is computed in Python.")
      .def(nb::init<nb::object, bool, bool, bool>(), nb::arg("score"), nb::arg("convex"),
           nb::arg("many_groups"), nb::arg("entropy"));
  nb::class_<Partitioner>(m, "Partitioner", "Searches the groupings of the values of a column.");
  nb::class_<Screener>(m, "Screener", "Decides whether a nominal column may be used at a node.");
  m.def("make_criterion", [](std::string_view name, const std::optional<DoubleVector>& costs) {
          const CriterionInfo& info = criterion_info(name);
          std::vector<double> read;
          if (costs && info.takes_costs) read.assign(costs->data(), costs->data() + costs->size());
          return info.make(std::move(read));
        },
        nb::arg("name"), nb::arg("costs").noconvert().none() = nb::none(),
        nb::sig("def make_criterion(name: str, costs: NDArray[numpy.float64] | None = None) -> "
                "Criterion"),
        "The criterion, with symmetric costs of mistakes if it takes them; none: 1 each.");
  m.def("make_partitioner",
        [](std::string_view name, const nb::dict& options) {
          return make_partitioner(name, options_of(options));
        },
        nb::arg("name"), nb::arg("options"),
        nb::sig("def make_partitioner(name: str, options: dict[str, bool | int | float | str]) "
                "-> Partitioner"));
  m.def("make_screener",
        [](std::string_view name, const nb::dict& options) {
          return make_screener(name, options_of(options));
        },
        nb::arg("name"), nb::arg("options"),
        nb::sig("def make_screener(name: str, options: dict[str, bool | int | float | str]) "
                "-> Screener"));
#define MIXEDWOOD_PARTS_SIGNATURE(name)                        \
  nb::sig("def " name "() -> list[tuple[str, str, "            \
          "list[tuple[str, bool | int | float | str, str, tuple[str, ...], float, float]]]]")
  m.def("criteria", &criteria_list, MIXEDWOOD_PARTS_SIGNATURE("criteria"),
        "Name, summary and options (none) of each criterion.");
  m.def("partitioners", [] { return describe_all(known_partitioners()); },
        MIXEDWOOD_PARTS_SIGNATURE("partitioners"),
        "Name, summary and options (name, default, summary, choices, range) of each partitioner.");
  m.def("screeners", [] { return describe_all(known_screeners()); },
        MIXEDWOOD_PARTS_SIGNATURE("screeners"), "Likewise of each screener.");
}

}  // namespace mixedwood
