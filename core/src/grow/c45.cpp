#include "c45.hpp"

#include <algorithm>
#include <cmath>

#include "../group_counts.hpp"
#include "../partitioners/value_groups.hpp"

namespace mixedwood {
namespace {

// WEKA compares with this tolerance everywhere; equal results need equal comparisons.
constexpr double kTolerance = 1e-6;
bool smaller(double a, double b) { return b - a > kTolerance; }
bool greater(double a, double b) { return a - b > kTolerance; }
bool equal(double a, double b) { return std::abs(a - b) < kTolerance; }

double x_log_x(double x) { return x < kTolerance ? 0.0 : x * std::log2(x); }

// Entropy in bits times weight.
double entropy_sum(std::span<const double> counts) {
  double total = 0.0, sum = 0.0;
  for (double c : counts) {
    total += c;
    sum += x_log_x(c);
  }
  return x_log_x(total) - sum;
}

double gain_of(double saved, const ColumnCounts& table) {
  const double total = table.known_total + table.missing_total;
  const double worth = saved * (table.known_total / total);
  return equal(worth, 0.0) ? 0.0 : worth / table.known_total;
}

// Rows without a value count as one more branch.
double ratio_of(double gain, double branches, const ColumnCounts& table) {
  const double total = table.known_total + table.missing_total;
  const double information = x_log_x(total) - branches - x_log_x(table.missing_total);
  return equal(information, 0.0) ? 0.0 : gain / (information / total);
}

// One branch per declared value; those without rows are empty.
void declare_branches(const ColumnCounts& table, const EncodedColumn& column, Candidate& found) {
  found.kind = kMultiway;
  found.n_children = column.n_values();
  found.values = table.values;
  found.children = table.values;
}

// Groups of values, as with C4.5's option -s. Values without rows are in none.
Candidate c45_grouped(const ColumnCounts& table, double min_leaf, Stop& stop) {
  Candidate found;
  bool complete = true;
  const std::vector<int> groups = partitioners::group_by_gain_ratio(
      {table.entries, table.n_classes, table.missing_total, table.totals, min_leaf - kTolerance},
      stop, complete);
  const int n_groups = 1 + *std::max_element(groups.begin(), groups.end());
  const CountTable counts(std::span<const double>(table.entries), static_cast<int>(table.size()),
                          static_cast<int>(table.n_classes));
  const GroupCounts added(counts, groups, n_groups);
  const auto large = std::count_if(added.weights.begin(), added.weights.end(),
                                   [&](double w) { return !smaller(w, min_leaf); });
  if (large < 2) return found;
  double children = 0.0, branches = 0.0;
  for (int g = 0; g < n_groups; ++g) {
    children += entropy_sum(added.view(counts.n_classes()).group(g));
    branches += x_log_x(added.weights[at(g)]);
  }
  found.gain = gain_of(entropy_sum(table.known) - children, table);
  found.score = ratio_of(found.gain, branches, table);
  for (std::size_t i = 0; i < table.size(); ++i) found.place(table.values[i], groups[i]);
  found.set_children(n_groups);
  return found;
}

Candidate c45_nominal(const ColumnCounts& table, const EncodedColumn& column, double min_leaf) {
  Candidate found;
  const auto large = std::count_if(table.totals.begin(), table.totals.end(),
                                   [&](double w) { return !smaller(w, min_leaf); });
  if (large < 2) return found;
  double children = 0.0, branches = 0.0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    children += entropy_sum(table.entry(i));
    branches += x_log_x(table.totals[i]);
  }
  declare_branches(table, column, found);
  found.gain = gain_of(entropy_sum(table.known) - children, table);
  found.score = ratio_of(found.gain, branches, table);
  return found;
}

Candidate c45_ordered(const ColumnCounts& table, const EncodedColumn& column, double min_leaf,
                      std::int32_t n_classes) {
  Candidate found;
  double least = 0.1 * table.known_total / n_classes;
  if (!greater(least, min_leaf))
    least = min_leaf;
  else if (greater(least, 25.0))
    least = 25.0;
  // Rows are counted here, not their weight: a share of a row is a row.
  if (smaller(table.known_rows, 2.0 * least)) return found;
  std::vector<double> right = table.known, left(right.size(), 0.0);
  const double before = entropy_sum(right);
  double weight_left = 0.0, best_gain = 0.0, best_branches = 0.0, tries = 0.0;
  std::size_t best = 0;
  std::size_t shown = 0;  // first value that is not yet on the left
  for (std::size_t i = 1; i < table.size(); ++i) {
    const double below = column.number(table.values[i - 1]), above = column.number(table.values[i]);
    if (!(below + 1e-5 < above)) continue;
    for (; shown < i; ++shown) {
      weight_left += table.totals[shown];
      for (std::size_t l = 0; l < left.size(); ++l) {
        left[l] += table.entry(shown)[l];
        right[l] -= table.entry(shown)[l];
      }
    }
    const double weight_right = table.known_total - weight_left;
    if (smaller(weight_left, least) || smaller(weight_right, least)) continue;
    tries += 1.0;
    const double gain = gain_of(before - entropy_sum(left) - entropy_sum(right), table);
    if (greater(gain, best_gain)) {
      best_gain = gain;
      best_branches = x_log_x(weight_left) + x_log_x(weight_right);
      best = i;
    }
  }
  if (tries == 0.0 || best == 0) return found;
  const double total = table.known_total + table.missing_total;
  found.gain = best_gain - std::log2(tries) / total;
  if (!greater(found.gain, 0.0)) {
    found.gain = 0.0;
    return found;
  }
  found.kind = kInterval;
  found.score = ratio_of(found.gain, best_branches, table);
  found.last_left = table.values[best - 1];
  // The threshold is a number of the training rows; WEKA finds it with its tolerance.
  const double middle = column.threshold(found.last_left, table.values[best]);
  found.high = column.below(middle + kTolerance);
  return found;
}

}  // namespace

Candidate c45_candidate(const ColumnCounts& table, const EncodedColumn& column, double min_leaf,
                        std::int32_t n_classes, bool group_values, Stop& stop) {
  Candidate found = column.ordered() ? c45_ordered(table, column, min_leaf, n_classes)
                    : group_values   ? c45_grouped(table, min_leaf, stop)
                                     : c45_nominal(table, column, min_leaf);
  found.missing_child = kFractional;
  return found;
}

std::int32_t c45_choice(const std::vector<Candidate>& candidates,
                        const std::vector<EncodedColumn>& columns, std::size_t n_training_rows) {
  const double many = 0.3 * static_cast<double>(n_training_rows);
  const auto has_many = [&](const EncodedColumn& column) {
    return !column.ordered() && !smaller(column.n_values(), many);
  };
  const bool all_many = std::all_of(columns.begin(), columns.end(), has_many);
  double sum = 0.0, counted = 0.0;
  for (const Candidate& c : candidates) {
    if (!c.found() || (!all_many && has_many(columns[at(c.column)])))
      continue;
    sum += c.gain;
    counted += 1.0;
  }
  if (counted == 0.0) return -1;
  const double average = sum / counted;
  double best_ratio = 0.0;
  std::int32_t best = -1;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (!c.found() || c.gain < average - 1e-3 || !greater(c.score, best_ratio)) continue;
    best_ratio = c.score;
    best = static_cast<std::int32_t>(i);
  }
  return best;
}

Candidate random_tree_candidate(const ColumnCounts& table, const EncodedColumn& column) {
  Candidate found;
  found.missing_child = kFractional;
  if (table.known_total <= 0.0) return found;
  const std::vector<double>& known = table.known;
  std::vector<double> all = known;
  for (std::size_t l = 0; l < all.size(); ++l) all[l] += table.missing[l];
  const double total = table.known_total + table.missing_total;
  const double before = entropy_sum(all) / total;
  std::vector<double> branch(all.size());
  // Entropy of a branch with its share of the rows without a value.
  const auto entropy_with_share = [&](std::span<const double> entry, double weight) {
    const double share = weight / table.known_total;
    for (std::size_t l = 0; l < branch.size(); ++l)
      branch[l] = std::max(0.0, entry[l]) + share * table.missing[l];
    return entropy_sum(branch);
  };
  if (!column.ordered()) {
    if (table.size() < 2) return found;
    double children = 0.0;
    for (std::size_t i = 0; i < table.size(); ++i)
      children += entropy_with_share(table.entry(i), table.totals[i]);
    declare_branches(table, column, found);
    found.score = before - children / total;
    return found;
  }
  std::vector<double> left(all.size(), 0.0), right = known;
  double weight_left = 0.0, best_children = 0.0;
  std::size_t best = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    weight_left += table.totals[i - 1];
    for (std::size_t l = 0; l < left.size(); ++l) {
      left[l] += table.entry(i - 1)[l];
      right[l] -= table.entry(i - 1)[l];
    }
    // Known rows alone pick the cut, as in WEKA; the share of the others comes after.
    const double children = entropy_sum(left) + entropy_sum(right);
    // The first of equals, whatever the rounding.
    if (best == 0 || children < best_children - 1e-12 * table.known_total) {
      best_children = children;
      best = i;
    }
  }
  if (best == 0) return found;
  std::fill(left.begin(), left.end(), 0.0);
  right = known;
  weight_left = 0.0;
  for (std::size_t i = 0; i < best; ++i) {
    weight_left += table.totals[i];
    for (std::size_t l = 0; l < left.size(); ++l) {
      left[l] += table.entry(i)[l];
      right[l] -= table.entry(i)[l];
    }
  }
  const double children = entropy_with_share(left, weight_left) +
                          entropy_with_share(right, table.known_total - weight_left);
  found.kind = kInterval;
  found.score = before - children / total;
  found.last_left = table.values[best - 1];
  // WEKA sends x < threshold to the left.
  const double middle = column.threshold(found.last_left, table.values[best]);
  const double below = column.number(found.last_left);
  found.high = middle > below ? std::nextafter(middle, below) : middle;
  return found;
}

}  // namespace mixedwood
