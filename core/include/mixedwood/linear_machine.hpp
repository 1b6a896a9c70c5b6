// Linear tests: planes through the numbers of a node, and the values of its nominal columns, that
// compete with the tests of single columns.
//
//   columns -> rows of a machine -> a plane for each question -> where to cut -> a candidate
//
// A machine separates two groups of rows; which classes make up the groups is `Superclasses`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixedwood/stop.hpp"

namespace mixedwood {

// Rows as a machine sees them: first numbers, the last of which is the constant 1, then nominal
// columns, each by the place of the row's value among the weights of a plane.
struct MixedRows {
  std::span<const double> numbers;       // row by row
  std::span<const std::int32_t> places;  // row by row
  std::size_t n_numbers = 1;
  std::size_t n_nominal = 0;
  std::size_t n_weights = 1;  // of a plane: numbers, then values

  std::size_t size() const { return numbers.size() / n_numbers; }
  std::size_t constant() const { return n_numbers - 1; }
  // Of a row from a plane, times the length of the plane's normal.
  double distance(std::size_t row, std::span<const double> plane) const {
    const double* x = numbers.data() + row * n_numbers;
    const std::int32_t* value = places.data() + row * n_nominal;
    double sum = 0.0;
    for (std::size_t j = 0; j < n_numbers; ++j) sum += plane[j] * x[j];
    for (std::size_t q = 0; q < n_nominal; ++q) sum += plane[static_cast<std::size_t>(value[q])];
    return sum;
  }
};

// What to separate: rows of sign +1 from rows of sign -1.
struct TwoGroups {
  std::span<const std::int8_t> signs;
  std::span<const double> weights;  // of rows; empty: 1 each
};

class LinearMachine {
 public:
  virtual ~LinearMachine() = default;
  // Ways to fit that are to be chosen from, the simplest plane first.
  virtual std::size_t n_settings() const { return 1; }
  // The one to take where there are too few rows to choose.
  virtual std::size_t default_setting() const { return 0; }
  // Fits a plane; `plane` holds a start, or zeros. False when there is none, or asked to stop.
  virtual bool fit(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
                   std::vector<double>& plane, Stop& stop) const = 0;
};

// Losses of `make_newton_machine`; m is the distance from the plane, positive on the right side.
enum class LinearLoss {
  kSquaredHinge,  // max(1 - m, 0)^2 / 2: the support vector machine in its limit form
  kSmoothHinge,   // the same, smoothed by alpha
  kSparseHinge,   // the squared hinge with the sum of |weight| in place of |plane|^2 / 2
  kLogistic,      // ln(1 + exp(-m))
  kFisher,        // (1 - m)^2 / 2, cut halfway between the groups: Fisher's discriminant
};

// Minimises  C * sum of losses + |plane|^2 / 2  by Newton's method with Armijo's rule, for the C
// chosen from `costs`, ascending.
std::unique_ptr<LinearMachine> make_newton_machine(LinearLoss loss, double alpha,
                                                   std::vector<double> costs);

// Which classes are set against which others.
enum class Superclasses {
  kOneVsRest,  // each class against the others
  kLargest,    // the largest class against the others
  kBalanced,   // classes dealt to two groups of about the same weight, the heaviest first
  kEvery,      // every way to make two groups, for few classes; one against the others beyond
};

struct LinearTestSettings {
  std::vector<const LinearMachine*> machines;  // each offers its own tests
  Superclasses superclasses = Superclasses::kOneVsRest;
  std::int32_t max_questions = 10;  // most ways to group the classes that are tried at a node
  bool nominal = false;             // planes go through the values of nominal columns as well
  std::int32_t max_weights = 256;   // of a plane; nominal columns with many values stay out first
  // Cut where the criterion likes it best; otherwise where the machine says.
  bool best_cut = false;
  // Compare by the score on rows that the plane was not fitted to.
  bool validated = false;
  // Parts of the rows that are left out in turn, to choose a setting and to validate; 1: a third
  // of the rows is left out once.
  std::int32_t n_folds = 1;
  std::int64_t max_tuning_rows = 2000;  // a sample of so many is enough for that
  double min_rows = 2.0;                // smaller nodes have no linear tests
};

}  // namespace mixedwood
