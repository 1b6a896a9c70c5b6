// Linear machines on their way from Python: native ones by name, others by what fits them there.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mixedwood/linear_machine.hpp"
#include "settings.hpp"

namespace mixedwood {

namespace nb = nanobind;

// fit(X, signs, weights or None, setting) in Python gets new arrays and returns the weights of the
// columns of X and the constant, or None where there is no plane.
class PythonMachine final : public LinearMachine {
 public:
  PythonMachine(nb::object fit, std::size_t n_settings, std::size_t default_setting)
      : fit_(std::move(fit)), n_settings_(n_settings), default_setting_(default_setting) {}

  std::size_t n_settings() const override { return n_settings_; }
  std::size_t default_setting() const override { return default_setting_; }

  bool fit(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
           std::vector<double>& plane, Stop& stop) const override {
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
      const auto array = nb::cast<DoubleVector>(found);
      const std::span<const double> read = values_of(array);
      if (read.size() != rows.n_weights)
        throw std::invalid_argument("a plane needs one weight for each column, and a constant");
      // The constant comes last there, and behind the numbers here.
      std::copy_n(read.begin(), m, plane.begin());
      plane[m] = read.back();
      std::copy(read.begin() + static_cast<std::ptrdiff_t>(m), read.end() - 1,
                plane.begin() + static_cast<std::ptrdiff_t>(m) + 1);
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

  nb::object fit_;  // touched only with the GIL held
  std::size_t n_settings_, default_setting_;
};

struct LinearParts {
  LinearTestSettings settings;
  std::vector<std::unique_ptr<LinearMachine>> machines;
};

// A machine is (loss, alpha, costs), or ("python", what to call, number of settings, default one).
inline std::unique_ptr<LinearMachine> read_machine(const nb::tuple& given) {
  const std::string name = text_of(given[0]);
  if (name == "python")
    return std::make_unique<PythonMachine>(nb::borrow(given[1]), nb::cast<std::size_t>(given[2]),
                                           nb::cast<std::size_t>(given[3]));
  const auto loss = name == "squared_hinge"  ? LinearLoss::kSquaredHinge
                    : name == "smooth_hinge" ? LinearLoss::kSmoothHinge
                    : name == "sparse_hinge" ? LinearLoss::kSparseHinge
                    : name == "logistic"     ? LinearLoss::kLogistic
                    : name == "fisher"       ? LinearLoss::kFisher
                                             : throw std::invalid_argument("no such machine: " + name);
  std::vector<double> costs;
  for (nb::handle cost : nb::cast<nb::tuple>(given[2])) costs.push_back(nb::cast<double>(cost));
  return make_newton_machine(loss, nb::cast<double>(given[1]), std::move(costs));
}

}  // namespace mixedwood
