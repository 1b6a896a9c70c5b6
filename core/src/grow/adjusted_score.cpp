#include "adjusted_score.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../chance.hpp"
#include "../criteria/impurity.hpp"
#include "mixedwood/significance.hpp"

namespace mixedwood {
namespace {

// Of the other rows of a value, as in ten-fold cross-validation.
constexpr double kKept = 0.9;
constexpr double kOdds = kKept / (1.0 - kKept);
// Tail of the chi-square distribution. A rank is fitted as well, so some more columns of noise
// reach it, but fewer than one in twenty.
constexpr double kDoubt = 0.01;

double weighted_gini(std::span<const double> counts) {
  return weighted_impurity<GiniPurity>(counts);
}

// Degrees of freedom of a cut: the classes present but one.
double degrees_of(std::span<const double> counts) {
  double present = 0.0;
  for (const double c : counts) present += c > 0.0;
  return std::max(1.0, present - 1.0);
}

// Mean of the largest of n independent chi-square statistics beyond the mean of one; a bound
// is enough.
double excess_of_tests(std::size_t n_tests) {
  return 2.0 * std::log(std::max(1.0, static_cast<double>(n_tests)));
}

}  // namespace

double AdjustedScore::nominal(const ColumnCounts& table, Candidate& found,
                              std::span<const double> distinct) {
  const double n_rows = count(table.known_rows, table.known_total) / copies_;
  const double node = weighted_gini(table.known);
  if (!(node > 0.0)) return found.score;
  if (found.kind == kMultiway) {
    double rest = 0.0;
    if (settings_.partitioner->traits.fitted == Fitted::kGroups) {
      find_sides(table, found);
      add_up_groups(table, static_cast<std::size_t>(found.n_children));
      for (std::size_t g = 0; g < static_cast<std::size_t>(found.n_children); ++g)
        rest += weighted_gini({groups_.data() + g * table.n_classes, table.n_classes});
    } else {
      for (std::size_t i = 0; i < table.size(); ++i) rest += weighted_gini(table.entry(i));
    }
    // E[gain] = node * (values - 1) / (rows - 1), exactly, for whole rows put at random and one
    // branch per value. Merging branches gains nothing: for groups it is a bound.
    const double share = found.gini_share = 1.0 - rest / node;
    const double noise = static_cast<double>(table.size() - 1) / std::max(1.0, n_rows - 1.0);
    return share > 0.0 ? found.score * (1.0 - std::min(1.0, noise) / share) : found.score;
  }
  find_sides(table, found);
  add_up_groups(table, 2);
  const std::size_t k = table.n_classes;
  const double share = found.gini_share =
      (node - weighted_gini({groups_.data(), k}) - weighted_gini({groups_.data() + k, k})) / node;
  const double degrees = degrees_of(table.known);
  double score = found.score, by_chance = 0.0;
  switch (settings_.partitioner->traits.fitted) {
    case Fitted::kSides:
    case Fitted::kGroups:
      find_direction(k);
      expect(table, distinct);
      if (share > 0.0) score *= expected_gain(table) / (share * node);
      by_chance = excess(table.size(), degrees);
      break;
    case Fitted::kCut: by_chance = excess(table.size(), degrees); break;
    case Fitted::kValue: by_chance = excess_of_tests(table.size()); break;
    case Fitted::kNothing: break;
  }
  return less_excess(score, by_chance, n_rows, share, table.known, degrees);
}

double AdjustedScore::threshold(const Candidate& found, std::size_t n_values, double n_rows,
                                std::span<const double> counts) {
  const double degrees = degrees_of(counts);
  return less_excess(found.score, excess(n_values, degrees),
                     count(n_rows, sum_of(counts)) / copies_, found.gini_share, counts, degrees);
}

bool AdjustedScore::beyond_chance(const Candidate& found, double n_rows,
                                  std::span<const double> counts) const {
  const double degrees = degrees_of(counts);
  const double one = found.score - less_excess(found.score, 1.0,
                                               count(n_rows, sum_of(counts)) / copies_,
                                               found.gini_share, counts, degrees);
  return found.rank > 0.0 && log_chi2_tail(found.rank / one, degrees) <= std::log(kDoubt);
}

// Takes an excess of a chi-square statistic off a score. An information gain in nats is half of
// such a statistic over the rows; a share of the Gini impurity is it over rows and degrees.
double AdjustedScore::less_excess(double score, double excess, double n_rows, double share,
                                  std::span<const double> counts, double degrees) const {
  if (traits_.impurity_gain && traits_.impurity == ImpurityKind::kEntropy)
    return score - excess / (2.0 * std::numbers::ln2 * n_rows);
  const double by_chance = excess / (n_rows * degrees);
  if (traits_.impurity_gain) return score - by_chance * weighted_gini(counts) / sum_of(counts);
  return share > 0.0 ? score - std::abs(score) * by_chance / share : score;
}

double AdjustedScore::excess(std::size_t n_values, double degrees) {
  constexpr std::size_t kFew = 256;
  static const auto kTable = tabulate<kFew>(0.0, kFew, excess_of_cuts);
  if (degrees != degrees_) {
    degrees_ = degrees;
    factor_ = excess_of_degrees(degrees);
  }
  return factor_ *
         (n_values <= kFew ? kTable[n_values] : excess_of_cuts(static_cast<double>(n_values)));
}

void AdjustedScore::find_sides(const ColumnCounts& table, const Candidate& found) {
  side_.resize(table.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < table.size(); ++i)
    side_[i] = table.values[i] < 0 ? found.missing_child : found.children[known++];
}

void AdjustedScore::add_up_groups(const ColumnCounts& table, std::size_t n_groups) {
  const std::size_t k = table.n_classes;
  groups_.assign(n_groups * k, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    double* group = groups_.data() + static_cast<std::size_t>(side_[i]) * k;
    const double* entry = table.entry(i).data();
    for (std::size_t l = 0; l < k; ++l) group[l] += entry[l];
  }
}

// The gradient of the purity of side 0 less that of side 1.
void AdjustedScore::find_direction(std::size_t k) {
  direction_.assign(k, 0.0);
  for (const int side : {0, 1}) {
    const double* group = groups_.data() + static_cast<std::size_t>(side) * k;
    const double weight = sum_of({group, k});
    if (!(weight > 0.0)) continue;
    double squares = 0.0;
    for (std::size_t l = 0; l < k; ++l) squares += group[l] * group[l];
    squares /= weight * weight;
    for (std::size_t l = 0; l < k; ++l) {
      const double slope = 2.0 * group[l] / weight - squares;
      direction_[l] += side == 0 ? slope : -slope;
    }
  }
}

// Fills expected_.
void AdjustedScore::expect(const ColumnCounts& table, std::span<const double> distinct) {
  const std::size_t k = table.n_classes;
  const double left_of_all = sum_of({groups_.data(), k}) / table.known_total;
  expected_.assign(2 * k, 0.0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double* entry = table.entry(i).data();
    const double counted = count(table.rows[i], table.totals[i]);
    const double rows = distinct.empty() ? std::max(1.0, counted / copies_) : distinct[i];
    if ((distinct.empty() ? counted : rows) <= 1.0) {
      for (std::size_t l = 0; l < k; ++l) expected_[l] += entry[l] * left_of_all;
      continue;
    }
    const double unit = table.totals[i] / rows;  // weight of a row
    double vote = 0.0, squares = 0.0;
    for (std::size_t l = 0; l < k; ++l) {
      const double part = entry[l] * direction_[l];
      vote += part;
      squares += part * direction_[l];
    }
    squares *= unit;
    // Searches differ in where they draw the border; the side of a value is the one that its
    // rows are evidence for.
    vote = side_[i] == 0 ? std::abs(vote) : -std::abs(vote);
    for (std::size_t l = 0; l < k; ++l) {
      if (!(entry[l] > 0.0)) continue;
      const double own = std::min(unit, entry[l]) * direction_[l];
      const double mean = vote - own, variance = squares - own * own;
      const double left = variance > 1e-12 * squares ? normal_probability(mean * std::sqrt(kOdds / variance))
                          : mean == 0.0              ? left_of_all
                                                     : static_cast<double>(mean > 0.0);
      expected_[l] += entry[l] * left;
    }
  }
  for (std::size_t l = 0; l < k; ++l)
    expected_[k + l] = std::max(0.0, table.known[l] - expected_[l]);
}

// Gini gain of the expected table times the weight, below 0 where it goes against the direction.
double AdjustedScore::expected_gain(const ColumnCounts& table) const {
  const std::size_t k = table.n_classes;
  const std::span<const double> left(expected_.data(), k), right(expected_.data() + k, k);
  const double on_left = sum_of(left), on_right = sum_of(right);
  if (!(std::min(on_left, on_right) > 0.0)) return 0.0;
  double agreement = 0.0;
  for (std::size_t l = 0; l < k; ++l)
    agreement += (left[l] / on_left - right[l] / on_right) * direction_[l];
  const double gain = std::max(0.0, weighted_gini(table.known) - weighted_gini(left) - weighted_gini(right));
  return agreement < 0.0 ? -gain : gain;
}

}  // namespace mixedwood
