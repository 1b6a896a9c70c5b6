// Values ordered along the first principal component of their class probabilities
// (Coppersmith, Hong, Hosking 1999), after merging values with equal probabilities.
// principal_ext also tries each prefix with its last value and the next one exchanged.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../numeric/linear_algebra.hpp"
#include "mixedwood/registry.hpp"
#include "scan.hpp"
#include "merged_values.hpp"

namespace mixedwood::partitioners {
namespace {

// The rows sqrt(N_i) (P_i - p), whose Gram matrix over the classes is the covariance times N - 1.
std::vector<double> centred_rows(const CountTable& table) {
  const auto k = static_cast<std::size_t>(table.n_classes());
  std::vector<double> rows(static_cast<std::size_t>(table.n_values()) * k);
  for (int i = 0; i < table.n_values(); ++i) {
    const double weight = table.row_total(i), root = std::sqrt(weight);
    for (std::size_t l = 0; l < k; ++l)
      rows[at(i) * k + l] =
          root * (table.row(i)[l] / weight - table.class_totals()[l] / table.total());
  }
  return rows;
}

// Products of the rows of an m x n matrix with each other.
SymmetricMatrix row_products(const std::vector<double>& matrix, std::size_t m, std::size_t n,
                             Stop& stop) {
  SymmetricMatrix gram(m);
  const std::span<const double> all(matrix);
  for (std::size_t i = 0; i < m; ++i) {
    if (stop.requested(static_cast<std::int64_t>(i * n))) throw Stopped{};
    for (std::size_t j = 0; j <= i; ++j)
      gram.row(i)[j] = gram.row(j)[i] = dot(all.subspan(i * n, n), all.subspan(j * n, n));
  }
  return gram;
}

std::vector<double> transpose(const std::vector<double>& matrix, std::size_t m, std::size_t n) {
  std::vector<double> turned(matrix.size());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) turned[j * m + i] = matrix[i * n + j];
  return turned;
}

// Unit vector over the classes; the sign makes its largest component positive.
std::vector<double> principal_axis(const CountTable& table, Stop& stop) {
  const auto n = static_cast<std::size_t>(table.n_values());
  const auto k = static_cast<std::size_t>(table.n_classes());
  const auto rows = centred_rows(table);
  std::vector<double> axis(k, 0.0);
  if (k <= n) {
    axis = dominant_eigenvector(row_products(transpose(rows, n, k), k, n, stop), stop);
  } else {
    // The same axis from the smaller Gram matrix, over the values.
    const auto u = dominant_eigenvector(row_products(rows, n, k, stop), stop);
    for (std::size_t i = 0; i < n; ++i)
      add_scaled(axis, u[i], std::span<const double>(rows).subspan(i * k, k));
    normalise(axis);
  }
  const auto largest = std::max_element(axis.begin(), axis.end(), [](double a, double b) {
    return std::abs(a) < std::abs(b);
  });
  if (*largest < 0.0)
    for (double& x : axis) x = -x;
  return axis;
}

class Principal final : public Partitioner {
 public:
  Principal(bool exchange, bool count_scores)
      : exchange_(exchange), count_scores_(count_scores) {}

  Grouping search(const SplitProblem& problem) const override {
    const auto groups = merged_values(problem.table, 1e-9, problem.stop);
    Grouping best;
    const auto scorer = problem.scorer();
    if (groups.size() < 2) {
      // All values have the same classes: no partition gains anything, the first will do.
      Order order(static_cast<std::size_t>(problem.table.n_values()));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
      offer_prefix(order, 1, *scorer, best);
      return best;
    }
    const CountTable merged = merge_values(problem.table, groups);
    const auto axis = principal_axis(merged, problem.stop);
    std::vector<double> scores(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const int value = static_cast<int>(g);
      scores[g] = dot(merged.row(value), axis);
      if (!count_scores_) scores[g] /= merged.row_total(value);
    }
    std::vector<std::vector<int>> blocks;
    blocks.reserve(groups.size());
    for (int g : order_by(scores)) blocks.push_back(groups[at(g)]);
    scan_blocks(blocks, *scorer, problem.stop, exchange_, best);
    // With two classes the axis is the line itself: the order is by P(class 1).
    best.exact = best.complete && !count_scores_ && problem.criterion.traits().convex &&
                 problem.table.n_classes() <= 2;
    return best;
  }

 private:
  bool exchange_;
  bool count_scores_;
};

}  // namespace

std::unique_ptr<Partitioner> make_principal(const Options& options) {
  return std::make_unique<Principal>(false, options.is("scores", "counts"));
}
std::unique_ptr<Partitioner> make_principal_ext(const Options& options) {
  return std::make_unique<Principal>(true, options.is("scores", "counts"));
}

}  // namespace mixedwood::partitioners
