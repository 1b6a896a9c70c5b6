#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "mixedwood/grow.hpp"
#include "mixedwood/registry.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

// What must outlive the call: the settings point at these.
struct Parts {
  std::unique_ptr<Criterion> criterion;
  std::unique_ptr<Partitioner> partitioner;
  std::vector<std::unique_ptr<Acceptor>> acceptors;
};

template <typename T>
T get(const nb::dict& settings, const char* name) {
  if (!settings.contains(name))
    throw std::invalid_argument(std::string("the setting '") + name + "' is missing");
  return nb::cast<T>(settings[name]);
}

template <typename Enum>
Enum choice(const nb::dict& settings, const char* name,
            std::initializer_list<std::pair<const char*, Enum>> choices) {
  const auto value = get<std::string>(settings, name);
  for (const auto& [text, meaning] : choices)
    if (value == text) return meaning;
  throw std::invalid_argument(std::string("the setting '") + name + "' is not '" + value + "'");
}

GrowSettings read_settings(const nb::dict& given, std::int32_t n_classes, Parts& parts) {
  GrowSettings s;
  s.rules = choice<Rules>(given, "rules",
                          {{"parts", Rules::kParts},
                           {"c45", Rules::kC45},
                           {"random_tree", Rules::kRandomTree}});
  s.selection = choice<Selection>(
      given, "selection",
      {{"score", Selection::kScore}, {"significance", Selection::kSignificance}});
  s.unseen = choice<GrowSettings::Unseen>(given, "unseen",
                                          {{"node", GrowSettings::Unseen::kStop},
                                           {"missing", GrowSettings::Unseen::kLikeMissing},
                                           {"majority", GrowSettings::Unseen::kHeavier}});
  if (const nb::object custom = given["custom"]; !custom.is_none()) {
    s.criterion = nb::cast<PythonCriterion*>(custom);
  } else {
    parts.criterion = criterion_info(get<std::string>(given, "criterion")).make({}, n_classes);
    s.criterion = parts.criterion.get();
  }
  const auto partitioner = get<std::string>(given, "partitioner");
  parts.partitioner = make_partitioner(partitioner, get<Options>(given, "options"));
  s.partitioner = parts.partitioner.get();
  s.exact = partitioner == "auto" || partitioner == "exact" || partitioner == "two_class_order";
  s.may_hurry = partitioner == "auto";
  using NamedValue = std::pair<std::string, double>;
  for (const auto& [name, value] : get<std::vector<NamedValue>>(given, "acceptors")) {
    parts.acceptors.push_back(acceptor_info(name).make(value));
    s.acceptors.push_back(parts.acceptors.back().get());
  }
  s.min_gain = get<double>(given, "min_gain");
  s.max_p = get<double>(given, "max_p");
  s.bonferroni = get<bool>(given, "bonferroni");
  s.max_depth = get<std::int32_t>(given, "max_depth");
  s.min_split = get<double>(given, "min_split");
  s.min_leaf = get<double>(given, "min_leaf");
  s.max_leaves = get<std::int64_t>(given, "max_leaves");
  s.best_first = get<bool>(given, "best_first");
  s.max_columns = get<std::int32_t>(given, "max_columns");
  s.fractional = get<bool>(given, "fractional");
  s.missing_is_value = get<bool>(given, "missing_is_value");
  s.seed = get<std::uint64_t>(given, "seed");
  if (partitioner == "multiway" && s.rules == Rules::kParts && !s.criterion->traits().many_groups) {
    throw std::invalid_argument(
        "partitioner='multiway' makes one group per value, but the criterion scores two groups. "
        "Use a criterion for many groups ('gini', 'entropy', 'gain_ratio'), or another "
        "partitioner.");
  }
  return s;
}

// Kinds: 'c' codes without order, 'o' codes in order, 'n' numbers.
GrowData read_data(const nb::list& columns, const std::vector<std::int32_t>& n_values,
                   const std::string& kinds, const IntVector& classes,
                   const std::optional<DoubleVector>& weights, std::int32_t n_classes) {
  GrowData data;
  data.classes = values_of(classes);
  data.n_rows = classes.size();
  data.n_classes = n_classes;
  if (weights) data.weights = values_of(*weights);
  if (weights && weights->size() != data.n_rows)
    throw std::invalid_argument("one weight is needed for each row");
  for (const std::int32_t cls : data.classes)
    if (cls < 0 || cls >= n_classes) throw std::invalid_argument("a class is out of range");
  for (const double weight : data.weights)
    if (!(weight >= 0.0) || std::isinf(weight))
      throw std::invalid_argument("weights must be finite and zero or more");
  if (nb::len(columns) != kinds.size() || n_values.size() != kinds.size())
    throw std::invalid_argument("one kind and one number of values are needed for each column");
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    GrowColumn column;
    column.ordered = kinds[c] != 'c';
    std::size_t length = 0;
    IntVector codes;
    DoubleVector numbers;
    if (kinds[c] == 'n' && nb::try_cast(columns[c], numbers, false)) {
      column.view = {nullptr, numbers.data(), 0};
      length = numbers.size();
    } else if (kinds[c] != 'n' && nb::try_cast(columns[c], codes, false)) {
      column.view = {codes.data(), nullptr, n_values[c]};
      length = codes.size();
    } else {
      throw std::invalid_argument("a column must be contiguous int32 codes or float64 numbers");
    }
    if (length != data.n_rows) throw std::invalid_argument("columns differ in length");
    data.columns.push_back(column);
  }
  return data;
}

nb::dict grow_py(const nb::list& columns, const std::vector<std::int32_t>& n_values,
                 const std::string& kinds, const IntVector& classes,
                 const std::optional<DoubleVector>& weights, std::int32_t n_classes,
                 const nb::dict& settings, double time_limit) {
  const GrowData data = read_data(columns, n_values, kinds, classes, weights, n_classes);
  Parts parts;
  const GrowSettings read = read_settings(settings, n_classes, parts);
  SignalWatch watch(time_limit);
  GrownTree tree;
  {
    nb::gil_scoped_release released;
    tree = grow(data, read, watch.stop);
  }
  watch.rethrow();
  nb::dict result;
  result["kind"] = hand_over(std::move(tree.kind));
  result["column"] = hand_over(std::move(tree.column));
  result["low"] = hand_over(std::move(tree.low));
  result["high"] = hand_over(std::move(tree.high));
  result["child_offset"] = hand_over(std::move(tree.child_offset));
  result["children"] = hand_over(std::move(tree.children));
  result["value_offset"] = hand_over(std::move(tree.value_offset));
  result["value_code"] = hand_over(std::move(tree.value_code));
  result["value_child"] = hand_over(std::move(tree.value_child));
  result["missing_child"] = hand_over(std::move(tree.missing_child));
  result["unseen_child"] = hand_over(std::move(tree.unseen_child));
  result["weight"] = hand_over(std::move(tree.weight));
  result["counts"] = hand_over(std::move(tree.counts));
  result["label"] = hand_over(std::move(tree.label));
  result["score"] = hand_over(std::move(tree.score));
  result["complete"] = tree.complete;
  return result;
}

nb::list acceptors_list() {
  nb::list names;
  for (const auto& a : acceptors())
    names.append(nb::make_tuple(a.name, a.summary, a.option, a.default_value, a.least, a.most));
  return names;
}

}  // namespace

void bind_grow(nb::module_& m) {
  m.def("grow", &grow_py, nb::arg("columns"), nb::arg("n_values"), nb::arg("kinds"),
        nb::arg("classes").noconvert(), nb::arg("weights").noconvert().none(),
        nb::arg("n_classes"), nb::arg("settings"), nb::arg("time_limit"),
        nb::sig("def grow(columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], "
                "n_values: list[int], kinds: str, classes: NDArray[numpy.int32], "
                "weights: NDArray[numpy.float64] | None, n_classes: int, "
                "settings: dict[str, typing.Any], time_limit: float) -> dict[str, typing.Any]"),
        "Arrays of a tree grown from the root down.");
  m.def("acceptors", &acceptors_list,
        nb::sig("def acceptors() -> list[tuple[str, str, str, float, float, float]]"),
        "Name, summary, option, its default and range, of each acceptor.");
}

}  // namespace mixedwood
