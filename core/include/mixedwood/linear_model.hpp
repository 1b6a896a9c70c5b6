// Linear tests: hyperplanes through the numbers of a node, and the values of its nominal columns, that
// compete with the tests of single columns. A model may also decide by a function of its own.
//
//   columns -> rows of a model -> a hyperplane for each question -> where to cut -> a candidate
//
// A model separates two groups of rows; which classes make up the groups is `MultiClass`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixedwood/index.hpp"
#include "mixedwood/stop.hpp"

namespace mixedwood {

// Rows as a model sees them: first numbers, the last of which is the constant 1, then nominal
// columns, each by the place of the row's value among the weights of a hyperplane.
struct MixedRows {
  std::span<const double> numbers;       // row by row
  std::span<const std::int32_t> places;  // row by row
  std::size_t n_numbers = 1;
  std::size_t n_nominal = 0;
  std::size_t n_weights = 1;  // of a hyperplane: numbers, then values

  std::size_t size() const { return numbers.size() / n_numbers; }
  std::size_t constant() const { return n_numbers - 1; }
  // Of a row from a hyperplane, times the length of the hyperplane's normal.
  double distance(std::size_t row, std::span<const double> hyperplane) const {
    const double* x = numbers.data() + row * n_numbers;
    const std::int32_t* value = places.data() + row * n_nominal;
    double sum = 0.0;
    for (std::size_t j = 0; j < n_numbers; ++j) sum += hyperplane[j] * x[j];
    for (std::size_t q = 0; q < n_nominal; ++q) sum += hyperplane[at(value[q])];
    return sum;
  }
};

// What to separate: rows of sign +1 from rows of sign -1.
struct TwoGroups {
  std::span<const std::int8_t> signs;
  std::span<const double> weights;  // of rows; empty: 1 each
};

// How the rows of a node become numbers, for models that decide themselves: for each column of their
// matrix the column of the table, and the value that it indicates or how its number is scaled.
struct NodeColumns {
  static constexpr std::int32_t kNumber = -2;  // in place of a value; -1 indicates that it is missing

  std::span<const std::int32_t> rows;  // of the table
  std::vector<std::int32_t> column, value;
  std::vector<double> size, mean, spread;  // of a number: (x / size - mean) / spread
  std::vector<double> fill;                // where no value of the node is met: its share
};

struct FittedModel {
  std::vector<double> hyperplane;  // a start, then the result
  std::vector<double> decisions;   // of all rows of the node; empty if the hyperplane decides
  std::int32_t number = -1;        // of a model that decides, if it is kept
};

class LinearModel {
 public:
  virtual ~LinearModel() = default;
  // Ways to fit that are to be chosen from, the simplest hyperplane first.
  virtual std::size_t n_settings() const { return 1; }
  // The one to take where there are too few rows to select.
  virtual std::size_t default_setting() const { return 0; }
  // Fits a hyperplane; `hyperplane` holds a start, or zeros. False when there is none, or asked to stop.
  virtual bool fit(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
                   std::vector<double>& hyperplane, Stop& stop) const = 0;
  // The same for a model that may have no hyperplane. `keep`: a split may be made of it.
  virtual bool fit_node(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
                        const NodeColumns& /*node*/, bool /*keep*/, FittedModel& fitted,
                        Stop& stop) const {
    return fit(rows, groups, setting, fitted.hyperplane, stop);
  }
};

// Losses of `make_newton_model`; m is the distance from the hyperplane, positive on the right side.
enum class LinearLoss {
  kSquaredHinge,  // max(1 - m, 0)^2 / 2: the support vector machine in its limit form
  kSmoothHinge,   // the same, smoothed by alpha
  kSparseHinge,   // the squared hinge with the sum of |weight| in place of |hyperplane|^2 / 2
  kLogistic,      // ln(1 + exp(-m))
  kFisher,        // (1 - m)^2 / 2, cut halfway between the groups: Fisher's discriminant
};

// Minimises  C * sum of losses + |hyperplane|^2 / 2  by Newton's method with Armijo's rule, for the C
// chosen from `costs`, ascending.
std::unique_ptr<LinearModel> make_newton_model(LinearLoss loss, double alpha,
                                                   std::vector<double> costs);

// Which classes are set against which others.
enum class MultiClass {
  kOvr,  // each class against the others
  kLargest,    // the largest class against the others
  kBalanced,   // classes assigned to two groups of about the same weight, the heaviest first
  kExhaustive,      // every way to make two groups, for few classes; one against the others beyond
};

enum class NodeFeatures { kNumeric, kAll };  // the columns of a linear model
enum class Intercept { kModel, kBest };      // as the model was fitted, or best for the criterion
enum class ScoreOn { kTrain, kValidation };  // rows by which splits are compared

// Named as the parameters of ModelTreeClassifier.
struct LinearSettings {
  std::vector<std::shared_ptr<const LinearModel>> models;  // each offers its own splits
  MultiClass multi_class = MultiClass::kOvr;
  std::int32_t max_groupings = 10;  // of the classes, tried at a node
  NodeFeatures node_features = NodeFeatures::kNumeric;
  std::int32_t max_terms = 256;  // of a split; nominal columns with many values stay out first
  Intercept intercept = Intercept::kModel;
  ScoreOn score_on = ScoreOn::kTrain;
  // Folds, to select a setting and to validate; 1: a third of the rows is left out once.
  std::int32_t node_cv = 1;
  std::int64_t max_tuning_rows = 2000;  // size of the sample that is used for tuning
  double min_samples_model = 2.0;       // smaller nodes have no linear splits

  bool validates() const { return score_on == ScoreOn::kValidation; }
};

}  // namespace mixedwood
