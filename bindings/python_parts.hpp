// Parts of a search that live in Python: a criterion, and the signals of the calling thread.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "mixedwood/criterion.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

namespace nb = nanobind;

// A part that its Python object keeps alive. nanobind's own caster allocates where nothing may throw.
template <typename Part>
std::shared_ptr<const Part> shared_part(nb::handle given) {
  const auto* part = nb::cast<const Part*>(given);
  return {part, [kept = nb::borrow(given)](const Part*) mutable {
            nb::gil_scoped_acquire gil;
            kept.reset();
          }};
}

// A criterion written in Python: score(groups) gets a new array, one row per group.
class PythonCriterion final : public Criterion {
 public:
  PythonCriterion(nb::object score, bool convex, bool many_groups, bool entropy)
      : score_(std::move(score)), traits_{} {
    traits_.convex = convex;
    traits_.many_groups = many_groups;
    traits_.may_rescale = false;
    traits_.impurity = entropy ? ImpurityKind::kEntropy : ImpurityKind::kGini;
  }
  CriterionTraits traits() const override { return traits_; }

  double score(const GroupStatistics& groups, double /*before*/) const override {
    nb::gil_scoped_acquire gil;
    const auto rows = static_cast<std::size_t>(groups.n_groups());
    const auto columns = static_cast<std::size_t>(groups.n_classes());
    auto copy = std::make_unique<std::vector<double>>();
    copy->reserve(rows * columns);
    for (int g = 0; g < groups.n_groups(); ++g)
      copy->insert(copy->end(), groups.group(g).begin(), groups.group(g).end());
    double* data = copy->data();
    const nb::object result = score_(matrix_of(std::move(copy), data, rows, columns));
    double number = 0.0;
    if (!nb::try_cast(result, number)) {
      throw nb::type_error(("score() of a criterion must return a number; it returned " +
                            std::string(nb::repr(result).c_str()))
                               .c_str());
    }
    return number;
  }

  // For the garbage collector: the criterion keeps a method, which keeps what it is bound to.
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    nb::handle score = nb::inst_ptr<PythonCriterion>(self)->score_;
    Py_VISIT(score.ptr());
    return 0;
  }
  static int clear(PyObject* self) {
    nb::inst_ptr<PythonCriterion>(self)->score_.reset();
    return 0;
  }

 private:
  using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
  // The array owns the numbers.
  static Matrix matrix_of(std::unique_ptr<std::vector<double>> numbers, double* data,
                          std::size_t rows, std::size_t columns) {
    nb::capsule owner(numbers.get(),
                      [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    numbers.release();
    return Matrix(data, {rows, columns}, owner);
  }

  nb::object score_;  // touched only with the GIL held
  CriterionTraits traits_;
};

inline PyType_Slot kPythonCriterionSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&PythonCriterion::traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(&PythonCriterion::clear)},
    {0, nullptr}};

// Set by one thread, seen by searches on others.
class StopFlag {
 public:
  void set() { set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> set_{false};
};

// Lets Ctrl-C through: checks Python's signals every few milliseconds of a search that runs
// without the GIL, and keeps the exception until the search has wound up. Looks for a flag that
// another thread sets as well.
class SignalWatch {
 public:
  explicit SignalWatch(double seconds, const StopFlag* flag = nullptr)
      : flag_(flag), stop(seconds, [this] { return check(); }) {}

  // Call with the GIL held, after the search.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
    if (flagged_) throw std::runtime_error("stopped from another thread");
  }
  // For searches whose best result so far is useful: Ctrl-C is no error.
  void rethrow_unless_interrupt() const {
    try {
      rethrow();
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    }
  }

 private:
  bool check() {
    if (flag_ != nullptr && flag_->is_set()) return flagged_ = true;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    error_ = std::make_exception_ptr(nb::python_error());
    return true;
  }
  const StopFlag* flag_;
  bool flagged_ = false;
  std::exception_ptr error_;

 public:
  Stop stop;
};

}  // namespace mixedwood
