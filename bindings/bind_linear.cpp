#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "choices.hpp"
#include "mixedwood/column_scale.hpp"
#include "mixedwood/linear_model.hpp"
#include "mixedwood/smooth_svm.hpp"
#include "python_parts.hpp"

namespace mixedwood {
namespace {

using DoubleMatrixOut = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using SignVector = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

SvmData data_of(const DoubleMatrix& x, const SignVector& signs,
                const std::optional<DoubleVector>& weights) {
  return {values_of(x), {signs.data(), signs.size()},
          weights ? values_of(*weights) : std::span<const double>(), x.shape(1)};
}

nb::dict fit(const DoubleMatrix& x, const SignVector& signs,
             const std::optional<DoubleVector>& weights, double c, double alpha, double tolerance,
             int max_iterations, const std::optional<DoubleVector>& start, double seconds) {
  SvmSettings settings;
  settings.c = c;
  settings.alpha = alpha;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  SignalWatch watch(seconds);
  SvmFit found;
  {
    nb::gil_scoped_release released;
    found = fit_smooth_svm(data_of(x, signs, weights), settings,
                           start ? values_of(*start) : std::span<const double>(), watch.stop);
  }
  watch.rethrow();
  nb::dict result;
  result["z"] = hand_over(std::move(found.z));
  result["objective"] = found.objective;
  result["gradient_norm"] = found.gradient_norm;
  result["iterations"] = found.iterations;
  result["converged"] = found.converged;
  result["timed_out"] = watch.stop.timed_out();
  result["steps"] = hand_over(std::move(found.steps));
  return result;
}

nb::dict derivatives(const DoubleMatrix& x, const SignVector& signs,
                     const std::optional<DoubleVector>& weights, double c, double alpha,
                     const DoubleVector& z) {
  SvmSettings settings;
  settings.c = c;
  settings.alpha = alpha;
  SvmDerivatives found = svm_derivatives(data_of(x, signs, weights), settings, values_of(z));
  nb::dict result;
  result["objective"] = found.objective;
  result["gradient"] = hand_over(std::move(found.gradient));
  result["hessian"] = hand_over(std::move(found.hessian));  // row by row
  return result;
}

auto decisions(const DoubleMatrix& x, const DoubleVector& z) {
  std::vector<double> found;
  {
    nb::gil_scoped_release released;
    found = svm_decisions(values_of(x), x.shape(0), values_of(z));
  }
  return hand_over(std::move(found));
}

using Scale = std::tuple<double, double, double>;

// Chunks of rows, so that what is written stays near until all its columns are there.
constexpr std::size_t kChunk = 64;

// Column k on the scale of row k of `scales`: size, mean and spread.
void scale_columns(const nb::list& given, const DoubleMatrix& scales, const LongVector& places,
                   const DoubleMatrixOut& matrix) {
  const std::size_t n = matrix.shape(0), width = matrix.shape(1);
  std::vector<DoubleVector> columns;
  for (nb::handle column : given) columns.push_back(nb::cast<DoubleVector>(column));
  bool fits = columns.size() == scales.shape(0) && columns.size() == places.size() &&
              (columns.empty() || scales.shape(1) == 3);
  for (std::size_t k = 0; fits && k < columns.size(); ++k)
    fits = columns[k].size() == n && places.data()[k] >= 0 &&
           static_cast<std::size_t>(places.data()[k]) < width;
  if (!fits) throw std::invalid_argument("a column, a scale and a place in the matrix go together");
  nb::gil_scoped_release released;
  for (std::size_t begin = 0; begin < n; begin += kChunk) {
    const std::size_t count = std::min(kChunk, n - begin);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double* const scale = scales.data() + 3 * k;
      scale_column({columns[k].data() + begin, count}, {scale[0], scale[1], scale[2]},
                   matrix.data() + begin * width + places.data()[k], width);
    }
  }
}

// fit(X, signs, weights or None, setting) in Python gets new arrays and returns the weights of the
// columns of X and the constant, or None where there is no hyperplane, or a model that decides.
// decide(model, keep, rows, column, category, size, mean, spread, fill) then gives its number, if it
// is kept, and the decisions of these rows.
class PythonLinearModel final : public LinearModel {
 public:
  PythonLinearModel(nb::object fit, nb::object decide, std::size_t n_settings,
                    std::size_t default_setting)
      : fit_(std::move(fit)),
        decide_(std::move(decide)),
        n_settings_(n_settings),
        default_setting_(default_setting) {}

  std::size_t n_settings() const override { return n_settings_; }
  std::size_t default_setting() const override { return default_setting_; }

  bool fit(const MixedRows&, const TwoGroups&, std::size_t, std::vector<double>&,
           Stop&) const override {
    throw std::logic_error("a model of Python is fitted in a node");
  }

  bool fit_node(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
                const NodeColumns& node, bool keep, FittedModel& fitted,
                Stop& stop) const override {
    std::vector<double>& hyperplane = fitted.hyperplane;
    const std::size_t n = rows.size(), d = rows.n_weights - 1, m = rows.n_numbers - 1;
    auto x = std::make_unique<std::vector<double>>(n * d, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      std::copy_n(rows.numbers.begin() + static_cast<std::ptrdiff_t>(i * rows.n_numbers), m,
                  x->begin() + static_cast<std::ptrdiff_t>(i * d));
      for (std::size_t q = 0; q < rows.n_nominal; ++q)
        (*x)[i * d + static_cast<std::size_t>(rows.places[i * rows.n_nominal + q]) - 1] = 1.0;
    }
    {
      nb::gil_scoped_acquire gil;
      const nb::object weights =
          groups.weights.empty()
              ? nb::none()
              : nb::cast(array_of(std::make_unique<std::vector<double>>(groups.weights.begin(),
                                                                        groups.weights.end()),
                                  {n}));
      const nb::object found =
          fit_(array_of(std::move(x), {n, d}),
               array_of(std::make_unique<std::vector<std::int8_t>>(groups.signs.begin(),
                                                                   groups.signs.end()),
                        {n}),
               weights, setting);
      if (found.is_none()) return false;
      if (!nb::ndarray_check(found)) {
        decide(found, node, keep, fitted);
        return !stop.requested();
      }
      const auto array = nb::cast<DoubleVector>(found);
      const std::span<const double> read = values_of(array);
      if (read.size() != rows.n_weights)
        throw std::invalid_argument("a hyperplane needs one weight for each column, and a constant");
      // The constant comes last there, and behind the numbers here.
      std::copy_n(read.begin(), m, hyperplane.begin());
      hyperplane[m] = read.back();
      std::copy(read.begin() + static_cast<std::ptrdiff_t>(m), read.end() - 1,
                hyperplane.begin() + static_cast<std::ptrdiff_t>(m) + 1);
    }
    return !stop.requested();
  }

 private:
  template <typename T>
  static nb::ndarray<nb::numpy, T> array_of(std::unique_ptr<std::vector<T>> values,
                                            std::vector<std::size_t> shape) {
    T* data = values->data();
    nb::capsule owner(values.get(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    values.release();
    return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner);
  }

  void decide(const nb::object& model, const NodeColumns& node, bool keep,
              FittedModel& fitted) const {
    const nb::object found =
        decide_(model, keep, copy_of(node.rows), copy_of(std::span(node.column)),
                copy_of(std::span(node.value)), copy_of(std::span(node.size)),
                copy_of(std::span(node.mean)), copy_of(std::span(node.spread)),
                copy_of(std::span(node.fill)));
    const auto number = nb::cast<std::int32_t>(found[0]);
    const auto decisions = nb::cast<DoubleVector>(found[1]);
    if (decisions.size() != node.rows.size() || (keep && number < 0))
      throw std::invalid_argument("a model needs a number, and one decision for each row");
    fitted.number = number;
    fitted.decisions.assign(decisions.data(), decisions.data() + decisions.size());
  }

  template <typename T>
  static nb::ndarray<nb::numpy, std::remove_const_t<T>> copy_of(std::span<T> values) {
    using Number = std::remove_const_t<T>;
    return array_of(std::make_unique<std::vector<Number>>(values.begin(), values.end()),
                    {values.size()});
  }

  nb::object fit_, decide_;  // touched only with the GIL held
  std::size_t n_settings_, default_setting_;
};

void make_settings(LinearSettings* self, const nb::list& models) {
  LinearSettings settings;
  for (nb::handle model : models) settings.models.push_back(shared_part<LinearModel>(model));
  new (self) LinearSettings(std::move(settings));
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::class_<LinearModel>(m, "LinearModel", "Separates two groups of rows by a hyperplane.");
  nb::class_<PythonLinearModel, LinearModel>(m, "PythonLinearModel",
                                               "A linear model that is fitted in Python.")
      .def(nb::init<nb::object, nb::object, std::size_t, std::size_t>(), nb::arg("fit"),
           nb::arg("decide"), nb::arg("n_settings"), nb::arg("default_setting"));
  m.def("make_linear_model",
        [](LinearLoss loss, double smoothing, const DoubleVector& costs) {
          return make_newton_model(loss, smoothing, {costs.data(), costs.data() + costs.size()});
        },
        nb::arg("loss"), nb::arg("smoothing"), nb::arg("costs").noconvert(),
        "A linear model fitted by Newton's method, for one of some values of C, ascending.");
  nb::class_<LinearSettings>(m, "LinearSettings", "How linear splits are searched.")
      .def("__init__", &make_settings, nb::arg("models"),
           nb::sig("def __init__(self, models: list[LinearModel]) -> None"))
      .def_rw("multi_class", &LinearSettings::multi_class)
      .def_rw("max_groupings", &LinearSettings::max_groupings)
      .def_rw("node_features", &LinearSettings::node_features)
      .def_rw("max_terms", &LinearSettings::max_terms)
      .def_rw("intercept", &LinearSettings::intercept)
      .def_rw("score_on", &LinearSettings::score_on)
      .def_rw("node_cv", &LinearSettings::node_cv)
      .def_rw("max_tuning_rows", &LinearSettings::max_tuning_rows)
      .def_rw("min_samples_model", &LinearSettings::min_samples_model);
  m.def("fit_smooth_svm", &fit, nb::arg("x").noconvert(), nb::arg("signs").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("c"), nb::arg("alpha"),
        nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("start").noconvert().none(),
        nb::arg("seconds"),
        nb::sig("def fit_smooth_svm(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], "
                "weights: NDArray[numpy.float64] | None, c: float, alpha: float, "
                "tolerance: float, max_iterations: int, start: NDArray[numpy.float64] | None, "
                "seconds: float) -> dict[str, Any]"),
        "The hyperplane of a smooth support vector machine. alpha 0: limit form.");
  m.def(
      "measure_column",
      [](const DoubleVector& numbers, const std::optional<DoubleVector>& weights) -> Scale {
        if (weights && weights->size() != numbers.size())
          throw std::invalid_argument("weights must be one for every number");
        const ColumnScale scale = measure_column(
            values_of(numbers), weights ? values_of(*weights) : std::span<const double>());
        return {scale.size, scale.mean, scale.spread};
      },
      nb::arg("numbers").noconvert(), nb::arg("weights").noconvert().none(),
      "A power of two near the largest number; mean and spread of the numbers divided by it.");
  m.def("scale_columns", &scale_columns, nb::arg("columns"), nb::arg("scales").noconvert(),
        nb::arg("places").noconvert(), nb::arg("matrix").noconvert(),
        nb::sig("def scale_columns(columns: list[NDArray[numpy.float64]], "
                "scales: NDArray[numpy.float64], places: NDArray[numpy.int64], "
                "matrix: NDArray[numpy.float64]) -> None"),
        "Writes columns, each on its scale, into their places in a matrix.");
  m.def("svm_decisions", &decisions, nb::arg("x").noconvert(), nb::arg("z").noconvert(),
        "w.x + b of each row.");
  m.def("svm_derivatives", &derivatives, nb::arg("x").noconvert(), nb::arg("signs").noconvert(),
        nb::arg("weights").noconvert().none(), nb::arg("c"), nb::arg("alpha"),
        nb::arg("z").noconvert(),
        nb::sig("def svm_derivatives(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], "
                "weights: NDArray[numpy.float64] | None, c: float, alpha: float, "
                "z: NDArray[numpy.float64]) -> dict[str, Any]"),
        "Objective, gradient and Hessian (row by row) at z.");
}

}  // namespace mixedwood
