// Models that minimise a regularised loss over mixed rows. A nominal column adds one weight to a
// row's sum whatever the number of its values, so that a Hessian costs the square of the number of
// columns for each row, not of the number of weights. A tree fits thousands of small hyperplanes to a few
// digits; smooth_svm.cpp fits one large one to the last.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mixedwood/linear_model.hpp"
#include "../numeric/newton_armijo.hpp"
#include "svm_rows.hpp"

namespace mixedwood {
namespace {

// Hyperplanes are fitted at every node and compared by their splits: more digits change nothing.
constexpr NewtonSettings kPrecision{1e-6, 50, 20, 0.05};

// Of the sparse model: rounds, and what keeps its divisions from infinity.
constexpr int kRounds = 40;
constexpr double kLeastSlack = 1e-6;
constexpr NewtonSettings kRound{1e-4, 3, 20, 0.05};  // the next round changes the question anyway

// A loss at distance m: its value, and the first two derivatives by m.
struct LossAt {
  double value, slope, curvature;
};

struct Hinge {  // in its limit form, or smooth
  double alpha = 0.0;
  LossAt operator()(double m) const {
    const linear::RowTerms terms = linear::row_terms(1.0 - m, 1.0, alpha);
    return {terms.loss, -terms.slope, terms.curvature};
  }
};

struct Logistic {
  LossAt operator()(double m) const {
    const double e = std::exp(-std::abs(m));
    const double wrong = m > 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
    return {std::max(-m, 0.0) + std::log1p(e), -wrong, wrong * (1.0 - wrong)};
  }
};

struct Squares {
  LossAt operator()(double m) const { return {0.5 * (1.0 - m) * (1.0 - m), m - 1.0, 1.0}; }
};

template <typename Loss>
class RegularisedLoss {
 public:
  // `ridge`: by how much the square of each weight counts; empty: 1.
  RegularisedLoss(const MixedRows& rows, const TwoGroups& groups, double cost, Loss loss,
                  std::span<const double> ridge)
      : rows_(rows), groups_(groups), cost_(cost), loss_(loss), ridge_(ridge), at_(rows.size()) {}

  std::int64_t cost() const {
    const std::size_t per_row = rows_.n_numbers + rows_.n_nominal;
    return static_cast<std::int64_t>(rows_.size() * per_row * per_row +
                                     rows_.n_weights * rows_.n_weights);
  }

  double value(const std::vector<double>& z) {
    double sum = 0.0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      at_[i] = loss_(groups_.signs[i] * rows_.distance(i, z));
      sum += weight(i) * at_[i].value;
    }
    double penalty = 0.0;
    for (std::size_t j = 0; j < z.size(); ++j) penalty += ridge(j) * z[j] * z[j];
    return cost_ * sum + 0.5 * penalty;
  }

  void derivatives(const std::vector<double>& z, std::vector<double>& gradient,
                   SymmetricMatrix& hessian) const {
    std::fill(hessian.entries.begin(), hessian.entries.end(), 0.0);
    for (std::size_t j = 0; j < z.size(); ++j) {
      gradient[j] = ridge(j) * z[j];
      hessian.row(j)[j] = ridge(j);
    }
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const double w = cost_ * weight(i);
      if (at_[i].slope != 0.0) add(gradient, i, w * at_[i].slope * groups_.signs[i]);
      if (at_[i].curvature != 0.0) add_square(hessian, i, w * at_[i].curvature);
    }
  }

 private:
  double ridge(std::size_t j) const { return ridge_.empty() ? 1.0 : ridge_[j]; }
  double weight(std::size_t i) const { return groups_.weights.empty() ? 1.0 : groups_.weights[i]; }

  void add(std::vector<double>& to, std::size_t i, double factor) const {
    const double* x = rows_.numbers.data() + i * rows_.n_numbers;
    const std::int32_t* places = rows_.places.data() + i * rows_.n_nominal;
    for (std::size_t j = 0; j < rows_.n_numbers; ++j) to[j] += factor * x[j];
    for (std::size_t q = 0; q < rows_.n_nominal; ++q)
      to[at(places[q])] += factor;
  }

  // Places of later columns are higher: everything is in the lower half.
  void add_square(SymmetricMatrix& to, std::size_t i, double factor) const {
    const double* x = rows_.numbers.data() + i * rows_.n_numbers;
    const std::int32_t* places = rows_.places.data() + i * rows_.n_nominal;
    for (std::size_t j = 0; j < rows_.n_numbers; ++j) {
      const double scaled = factor * x[j];
      double* row = to.row(j).data();
      for (std::size_t l = 0; l <= j; ++l) row[l] += scaled * x[l];
    }
    for (std::size_t q = 0; q < rows_.n_nominal; ++q) {
      double* row = to.row(static_cast<std::size_t>(places[q])).data();
      for (std::size_t l = 0; l < rows_.n_numbers; ++l) row[l] += factor * x[l];
      for (std::size_t p = 0; p <= q; ++p) row[places[p]] += factor;
    }
  }

  const MixedRows& rows_;
  const TwoGroups& groups_;
  double cost_;
  Loss loss_;
  std::span<const double> ridge_;
  std::vector<LossAt> at_;  // of each row, where the value was asked for last
};

class NewtonModel : public LinearModel {
 public:
  NewtonModel(LinearLoss loss, double alpha, std::vector<double> costs)
      : loss_(loss), alpha_(alpha), costs_(std::move(costs)) {
    if (costs_.empty() || !std::is_sorted(costs_.begin(), costs_.end()) || !(costs_[0] > 0.0) ||
        !std::isfinite(costs_.back()))
      throw std::invalid_argument("costs must be positive and ascending");
    if (loss == LinearLoss::kSmoothHinge && !(alpha > 0.0 && std::isfinite(alpha)))
      throw std::invalid_argument("alpha must be a positive number");
  }

  std::size_t n_settings() const override { return costs_.size(); }

  std::size_t default_setting() const override {  // the one nearest to C = 1
    std::size_t best = 0;
    for (std::size_t s = 1; s < costs_.size(); ++s)
      if (std::abs(std::log(costs_[s])) < std::abs(std::log(costs_[best]))) best = s;
    return best;
  }

  bool fit(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
           std::vector<double>& hyperplane, Stop& stop) const override {
    switch (loss_) {
      case LinearLoss::kSquaredHinge: minimise(rows, groups, setting, Hinge{}, hyperplane, stop); break;
      case LinearLoss::kSmoothHinge: minimise(rows, groups, setting, Hinge{alpha_}, hyperplane, stop); break;
      case LinearLoss::kSparseHinge: minimise_sparsely(rows, groups, setting, hyperplane, stop); break;
      case LinearLoss::kLogistic: minimise(rows, groups, setting, Logistic{}, hyperplane, stop); break;
      case LinearLoss::kFisher:
        minimise(rows, groups, setting, Squares{}, hyperplane, stop);
        cut_halfway(rows, groups, hyperplane);
        break;
    }
    return !stop.requested() &&
           std::all_of(hyperplane.begin(), hyperplane.end(), [](double x) { return std::isfinite(x); });
  }

 private:
  template <typename Loss>
  void minimise(const MixedRows& rows, const TwoGroups& groups, std::size_t setting, Loss loss,
                std::vector<double>& hyperplane, Stop& stop,
                std::span<const double> ridge = {},
                const NewtonSettings& precision = kPrecision) const {
    RegularisedLoss<Loss> function(rows, groups, costs_[setting], loss, ridge);
    newton_armijo(function, precision, hyperplane, stop);
  }

  // |w| is at most w^2 / (2 a) + a / 2, and equal at a = |w|: squares with the weights of the last
  // round lead down to the sum of |w|. Weights that go to nothing are set to nothing in the end.
  void minimise_sparsely(const MixedRows& rows, const TwoGroups& groups, std::size_t setting,
                         std::vector<double>& hyperplane, Stop& stop) const {
    std::vector<double> ridge(hyperplane.size(), 1.0), last;
    std::fill(hyperplane.begin(), hyperplane.end(), 0.0);  // a weight that starts at nothing stays there
    double slack = 0.1;
    for (int round = 0; round < kRounds && !stop.requested(); ++round) {
      last = hyperplane;
      minimise(rows, groups, setting, Hinge{}, hyperplane, stop, ridge, kRound);
      double change = 0.0, largest = 0.0;
      for (std::size_t j = 0; j < hyperplane.size(); ++j) {
        change = std::max(change, std::abs(hyperplane[j] - last[j]));
        largest = std::max(largest, std::abs(hyperplane[j]));
        if (j != rows.constant()) ridge[j] = 1.0 / (std::abs(hyperplane[j]) + slack);
      }
      if (slack <= kLeastSlack && change <= 1e-4 * largest) break;
      slack = std::max(kLeastSlack, slack / 3.0);
    }
    double largest = 0.0;
    for (const double w : hyperplane) largest = std::max(largest, std::abs(w));
    for (std::size_t j = 0; j < hyperplane.size(); ++j)
      if (j != rows.constant() && std::abs(hyperplane[j]) <= 1e-3 * largest) hyperplane[j] = 0.0;
  }

  // Least squares find Fisher's direction; his cut is halfway between the means of the groups.
  static void cut_halfway(const MixedRows& rows, const TwoGroups& groups,
                          std::vector<double>& hyperplane) {
    double sum[2] = {0.0, 0.0}, weight[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int side = groups.signs[i] > 0;
      const double w = groups.weights.empty() ? 1.0 : groups.weights[i];
      sum[side] += w * rows.distance(i, hyperplane);
      weight[side] += w;
    }
    if (weight[0] > 0.0 && weight[1] > 0.0)
      hyperplane[rows.constant()] -= 0.5 * (sum[0] / weight[0] + sum[1] / weight[1]);
  }

  LinearLoss loss_;
  double alpha_;
  std::vector<double> costs_;
};

}  // namespace

std::unique_ptr<LinearModel> make_newton_model(LinearLoss loss, double alpha,
                                                   std::vector<double> costs) {
  return std::make_unique<NewtonModel>(loss, alpha, std::move(costs));
}

}  // namespace mixedwood
