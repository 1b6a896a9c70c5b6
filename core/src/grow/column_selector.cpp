#include "column_selector.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "c45.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/significance.hpp"
#include "../criteria/impurity.hpp"

namespace mixedwood {
namespace {

// Scores closer than this, relative to the larger, are equal: the lower column wins.
constexpr double kEqual = 1e-10;
// A gain that is zero but for rounding.
constexpr double kRounding = 1e-12;
// WEKA's RandomTree wants more than this.
constexpr double kPositiveGain = 1e-6;
// How much more than the approximate search the thorough one may be expected to find, at best.
constexpr double kThorough = 1.25;
// Rows per value up to which a column must be beyond chance to enter a hyperplane.
constexpr std::size_t kFewRows = 20;
// Rows per value from which on copies of rows need not be distinguished from others.
constexpr std::size_t kManyRows = 32;

double margin(double a, double b) { return kEqual * std::max(std::abs(a), std::abs(b)); }

}  // namespace

void ColumnSelector::select(AtNode& node, const NodeRows& rows) {
  present_.classes.clear();
  present_.position.assign(node.counts.size(), -1);
  for (std::size_t l = 0; l < node.counts.size(); ++l) {
    // Costs refer to all classes.
    if (!(node.counts[l] > 0.0) && settings_.split_costs.empty()) continue;
    present_.position[l] = static_cast<std::int32_t>(present_.classes.size());
    present_.classes.push_back(static_cast<std::int32_t>(l));
  }
  if (settings_.rules == Rules::kC45)
    select_by_c45(node, rows);
  else if (settings_.selection == Selection::kSignificance)
    select_by_significance(node, rows);
  else if (settings_.selection == Selection::kAverageGain)
    select_by_average_gain(node, rows);
  else
    select_by_score(node, rows);
}

// The columns to look at, in order: all, or some drawn at random. Valid until the next call.
const std::vector<std::int32_t>& ColumnSelector::columns_to_try(const AtNode& node) {
  drawn_ = node.columns;
  if (!settings_.max_features) return drawn_;
  drawn_.resize(columns_.size());
  std::iota(drawn_.begin(), drawn_.end(), 0);
  Random(mix(node.seed, 0)).shuffle(drawn_);
  return drawn_;
}

void ColumnSelector::select_by_score(AtNode& node, const NodeRows& rows) {
  screened_.clear();
  const bool random_tree = settings_.rules == Rules::kRandomTree;
  // Hyperplanes weigh every value of a column, so they fit noise whose values have few rows. On average
  // such a column ranks about 0; hyperplanes want one that ranks higher than noise seldom does.
  std::vector<std::int32_t> varying, telling;
  const auto try_hyperplanes = [&] {
    for (Candidate& candidate : linear_candidates(node, rows, telling))
      take_if_better(node, std::move(candidate));
  };
  std::int32_t tried = 0;
  bool enough = false;
  for (std::int32_t c : columns_to_try(node)) {
    // Hyperplanes go through the columns that were drawn; others count only where these have no split.
    // Without a limit `tried` is -1 once a column of noise was met: then they are tried here, too.
    if (tried == settings_.max_features.value_or(-1)) try_hyperplanes();
    enough = settings_.max_features && tried++ >= settings_.max_features && node.split.found();
    if (enough) break;
    bool varies = true;
    Candidate candidate = random_tree ? candidate_of_random_tree(node, rows, c)
                                      : candidate_of_parts(node, rows, c, varies);
    if (varies) varying.push_back(c);
    const bool noise = is_noise(candidate, c);
    if (varies && !is_doubtful(candidate, c, node, rows)) telling.push_back(c);
    // Another one is drawn in its place.
    if (noise) --tried;
    if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
    candidate.column = c;
    if (random_tree) candidate.rank = candidate.score;
    if (random_tree && !(candidate.score > kPositiveGain)) continue;
    if (settings_.selection == Selection::kAdjusted && candidate.screened && candidate.rank > 0.0)
      screened_.push_back({c, candidate.score, candidate.rank});
    take_if_better(node, std::move(candidate));
  }
  if (!enough) try_hyperplanes();
  if (stop_.requested()) return;
  if (!settings_.max_features) node.columns = std::move(varying);
  if (node.split.screened) search_thoroughly(node, rows);
  if (!screened_.empty()) search_promising(node, rows);
}

// The approximate search may miss much of what a column of many values offers, and a column that loses by
// it may win by the thorough one. Looked at are those that would win by a score that much better.
void ColumnSelector::search_promising(AtNode& node, const NodeRows& rows) {
  // Two groups have at most one bit of information about the class.
  const double most = std::min(1.0, settings_.criterion->before(node.counts));
  const std::int32_t first_choice = node.split.column;
  for (const Screened& its : screened_) {
    const double possible = std::min(kThorough, most / its.score) * its.rank;
    if (its.column == first_choice || possible <= node.split.rank) continue;
    Candidate candidate = thorough_candidate(node, rows, its.column);
    if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
    take_if_better(node, std::move(candidate));
  }
}

Candidate ColumnSelector::thorough_candidate(const AtNode& node, const NodeRows& rows, std::int32_t c) {
  const auto column = static_cast<std::size_t>(c);
  counter_.tabulate(rows, column, present_, node.histogram, table_);
  Candidate candidate = search_.best(table_, columns_[column], mix(node.seed, column + 1), true);
  candidate.column = c;
  candidate.rank = candidate.score;
  if (settings_.selection == Selection::kAdjusted && candidate.found())
    candidate.rank = std::min(
        candidate.score, adjusted_.nominal(table_, candidate, distinct_rows(rows, column)));
  return candidate;
}

void ColumnSelector::take_if_better(AtNode& node, Candidate candidate) const {
  if (candidate.found() && candidate.score >= settings_.min_split_gain - kRounding &&
      better(candidate, node.split))
    node.split = std::move(candidate);
}

// Splits of several columns; as columns they count behind all others.
std::vector<Candidate> ColumnSelector::linear_candidates(const AtNode& node, const NodeRows& rows,
                                                  std::span<const std::int32_t> columns) {
  if (settings_.linear == nullptr) return {};
  auto found = linear_.candidates(rows, present_, columns, mix(node.seed, columns_.size() + 1));
  std::int32_t place = static_cast<std::int32_t>(columns_.size());
  for (Candidate& candidate : found) {
    // A hyperplane that leaves the rows together is no split, whatever its score.
    candidate.column = place++;
    candidate.rank = candidate.score;
    if (!(candidate.score > kRounding)) candidate.kind = kLeaf;
  }
  return found;
}

// C4.5's guard against ratios of tiny gains: only splits of at least average gain compete.
void ColumnSelector::select_by_average_gain(AtNode& node, const NodeRows& rows) {
  std::vector<Candidate> candidates;
  std::vector<std::int32_t> varying;
  const auto try_hyperplanes = [&] {
    for (Candidate& candidate : linear_candidates(node, rows, varying))
      if (candidate.found()) candidates.push_back(std::move(candidate));
  };
  std::int32_t tried = 0;
  bool enough = false;
  for (std::int32_t c : columns_to_try(node)) {
    if (tried == settings_.max_features) try_hyperplanes();
    enough = settings_.max_features && tried++ >= settings_.max_features && !candidates.empty();
    if (enough) break;
    bool varies = true;
    Candidate candidate = candidate_of_parts(node, rows, c, varies);
    if (varies) varying.push_back(c);
    if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
    candidate.column = c;
    if (candidate.found()) candidates.push_back(std::move(candidate));
  }
  if (!enough) try_hyperplanes();
  if (stop_.requested()) return;
  if (!settings_.max_features) node.columns = std::move(varying);
  double average = 0.0;
  for (Candidate& candidate : candidates) {
    candidate.gain = gain_of(candidate, rows);
    average += candidate.gain / static_cast<double>(candidates.size());
  }
  for (Candidate& candidate : candidates)
    if (candidate.gain >= average - kRounding) take_if_better(node, std::move(candidate));
  if (node.split.screened) search_thoroughly(node, rows);
}

// Information gain of a split; rows that it cannot place gain nothing.
double ColumnSelector::gain_of(const Candidate& split, const NodeRows& rows) {
  const std::size_t k = present_.classes.size();
  const auto n_children = static_cast<std::size_t>(split.n_children);
  std::vector<double> counts((n_children + 1) * k, 0.0);  // children, then all of them
  if (split.kind != kLinear)
    split.children_by_code(columns_[at(split.column)].n_values(), child_of_);
  double total = 0.0;  // of all rows
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double weight = rows.weight(i);
    total += weight;
    const std::int32_t child =
        split.kind == kLinear
            ? split.children[i]
            : child_of_[at(
                  columns_[at(split.column)].codes()[rows.rows[i]] + 1)];
    if (child < 0) continue;
    const auto cls = static_cast<std::size_t>(
        present_.position[at(rows.classes[i])]);
    counts[at(child) * k + cls] += weight;
    counts[n_children * k + cls] += weight;
  }
  const auto uncertainty = [&](std::size_t group) {
    return weighted_impurity<EntropyPurity>(std::span<const double>(counts).subspan(group * k, k));
  };
  double gain = uncertainty(n_children);
  for (std::size_t c = 0; c < n_children; ++c) gain -= uncertainty(c);
  return gain / total;
}

Candidate ColumnSelector::candidate_of_parts(const AtNode& node, const NodeRows& rows, std::int32_t c,
                                      bool& varies) {
  const auto column = static_cast<std::size_t>(c);
  if (columns_[column].ordered() && !settings_.axis_aligned) return {};
  if (columns_[column].ordered() && settings_.criterion->traits().impurity_gain) {
    Candidate found;
    const std::uint32_t* cells = nullptr;
    const auto counts = node.counts;
    if (rows.blocks != nullptr) {
      found = search_.in_order(rows, counts, columns_[column], varies);
    } else if (const auto* buckets = counter_.buckets(rows, column, node.histogram)) {
      const double to_beat = node.split.found() ? node.split.rank : settings_.min_split_gain;
      found = search_.wide(rows, buckets, counts, columns_[column], to_beat);
    } else if ((cells = counter_.cells(rows, column, node.histogram)) != nullptr) {
      found = search_.ordered(cells, counts, columns_[column], varies);
    } else {
      return candidate_of_table(node, rows, column, varies);
    }
    if (settings_.fractional()) found.missing_child = kFractional;  // if any comes later
    rank(found, node, [&] {
      const std::size_t n_values =
          cells == nullptr ? most_values(rows, column) : count_values(cells, column, counts.size());
      return adjusted_.threshold(found, n_values, static_cast<double>(rows.size()), counts);
    });
    return found;
  }
  return candidate_of_table(node, rows, column, varies);
}

Candidate ColumnSelector::candidate_of_table(const AtNode& node, const NodeRows& rows, std::size_t column,
                                      bool& varies) {
  counter_.tabulate(rows, column, present_, node.histogram, table_);
  varies = table_.size() > 1 || (table_.size() == 1 && table_.missing_rows > 0.0);
  if (!varies) return {};
  Candidate found = search_.best(table_, columns_[column], mix(node.seed, column + 1), false);
  rank(found, node, [&] {
    if (columns_[column].ordered())
      return adjusted_.threshold(
          found, columns_[column].bucket_bits() > 0 ? most_values(rows, column) : table_.size(),
          table_.known_rows + table_.missing_rows, node.counts);
    return adjusted_.nominal(table_, found, distinct_rows(rows, column));
  });
  return found;
}

// Where a column has very many different numbers, those at a node are not counted.
std::size_t ColumnSelector::most_values(const NodeRows& rows, std::size_t column) const {
  return std::min(rows.size(), static_cast<std::size_t>(columns_[column].n_values()));
}

std::size_t ColumnSelector::count_values(const std::uint32_t* cells, std::size_t column,
                                  std::size_t n_classes) const {
  std::size_t n_values = 0;
  for (std::int32_t value = 0; value < columns_[column].n_values(); ++value) {
    cells += n_classes;  // the first cells are those of missing values
    n_values += std::any_of(cells, cells + n_classes, [](std::uint32_t c) { return c > 0; });
  }
  return n_values;
}

// What the candidate is compared by. No split is expected to do better than it did here.
template <typename Adjust>
void ColumnSelector::rank(Candidate& found, const AtNode& node, Adjust adjust) const {
  found.rank = found.score;
  if (settings_.selection != Selection::kAdjusted || !found.found()) return;
  // One that loses as it is need not be adjusted, unless hyperplanes need to know whether it is noise.
  const double best = node.split.rank;
  if (settings_.linear == nullptr && node.split.found() &&
      found.score < best - margin(found.score, best))
    return;
  found.rank = std::min(found.score, adjust());
}

bool ColumnSelector::is_noise(const Candidate& found, std::int32_t column) const {
  return settings_.selection == Selection::kAdjusted && found.rank <= 0.0 && found.found() &&
         found.values.size() > 2 && !columns_[at(column)].ordered();
}

// For hyperplanes: a nominal column of few rows per value that may be noise.
bool ColumnSelector::is_doubtful(const Candidate& found, std::int32_t column, const AtNode& node,
                          const NodeRows& rows) const {
  return settings_.linear != nullptr && settings_.selection == Selection::kAdjusted &&
         found.values.size() > 2 && found.values.size() * kFewRows > rows.size() &&
         !columns_[at(column)].ordered() &&
         !adjusted_.beyond_chance(found, static_cast<double>(rows.size()), node.counts);
}

// Rows of each value of the table, copies of a row not counted. Nothing where rows come once, or
// values have so many that it makes no difference.
std::span<const double> ColumnSelector::distinct_rows(const NodeRows& rows, std::size_t column) {
  if (!repeated_ || rows.size() > kManyRows * table_.size()) return {};
  const std::int32_t* codes = columns_[column].codes();
  distinct_by_code_.resize(std::max(distinct_by_code_.size(),
                                    static_cast<std::size_t>(columns_[column].n_values()) + 1));
  for (const std::int32_t value : table_.values)
    distinct_by_code_[at(value + 1)] = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows.rows[i] != rows.rows[i - 1])
      distinct_by_code_[at(codes[rows.rows[i]] + 1)] += 1.0;
  distinct_.resize(table_.size());
  for (std::size_t i = 0; i < distinct_.size(); ++i)
    distinct_[i] = distinct_by_code_[at(table_.values[i] + 1)];
  return distinct_;
}

Candidate ColumnSelector::candidate_of_random_tree(const AtNode& node, const NodeRows& rows,
                                            std::int32_t c) {
  const auto column = static_cast<std::size_t>(c);
  counter_.tabulate(rows, column, present_, node.histogram, table_);
  return random_tree_candidate(table_, columns_[column]);
}

bool ColumnSelector::better(const Candidate& candidate, const Candidate& best) const {
  if (!best.found()) return true;
  const double equal = margin(candidate.rank, best.rank);
  if (candidate.rank > best.rank + equal) return true;
  return candidate.rank >= best.rank - equal && candidate.column < best.column;
}

void ColumnSelector::search_thoroughly(AtNode& node, const NodeRows& rows) {
  Candidate candidate = thorough_candidate(node, rows, node.split.column);
  if (candidate.found() && candidate.score > node.split.score) node.split = std::move(candidate);
}

void ColumnSelector::select_by_c45(AtNode& node, const NodeRows& rows) {
  const bool group_values = settings_.partitioner->traits.fitted == Fitted::kGroups;
  std::vector<Candidate> candidates;
  for (std::int32_t c : node.columns) {
    const auto column = static_cast<std::size_t>(c);
    counter_.tabulate(rows, column, present_, node.histogram, table_);
    if (table_.size() < 2) continue;
    candidates.push_back(c45_candidate(table_, columns_[column], settings_.min_samples_leaf,
                                       static_cast<std::int32_t>(node.counts.size()), group_values,
                                       stop_));
    candidates.back().column = c;
    if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
  }
  const std::int32_t best = c45_choice(candidates, columns_, n_rows_);
  if (best < 0) return;
  node.split = std::move(candidates[at(best)]);
  node.split.rank = node.split.score;
}

// The column that depends most significantly on the classes; the next one where that column
// cannot be split.
void ColumnSelector::select_by_significance(AtNode& node, const NodeRows& rows) {
  std::vector<std::pair<double, std::int32_t>> tested;
  std::vector<std::int32_t> varying;
  std::int32_t tried = 0;
  for (std::int32_t c : columns_to_try(node)) {
    if (settings_.max_features && tried++ >= settings_.max_features && !tested.empty()) break;
    const auto column = static_cast<std::size_t>(c);
    counter_.tabulate(rows, column, present_, node.histogram, table_);
    if (table_.size() < 2) continue;
    varying.push_back(c);
    tested.emplace_back(log_p(columns_[column]), c);
    if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
  }
  if (!settings_.max_features) node.columns = varying;
  std::sort(tested.begin(), tested.end());
  const auto n_tests = static_cast<double>(tested.size());
  for (const auto& [significance, c] : tested) {
    const double p = std::exp(significance);
    const double adjusted = settings_.bonferroni ? -std::expm1(n_tests * std::log1p(-p)) : p;
    if (p < 1.0 ? adjusted > settings_.alpha : settings_.alpha < 1.0) return;
    const auto column = static_cast<std::size_t>(c);
    counter_.tabulate(rows, column, present_, node.histogram, table_);
    Candidate candidate = search_.best(table_, columns_[column],
                                       mix(node.seed, static_cast<std::uint64_t>(c) + 1), true);
    if (stop_.requested(static_cast<std::int64_t>(rows.size()))) return;
    if (!candidate.found() || candidate.score < settings_.min_split_gain - kRounding) continue;
    candidate.column = c;
    candidate.rank = candidate.score;
    node.split = std::move(candidate);
    return;
  }
}

// Of conditional inference between the column tabulated and the classes.
double ColumnSelector::log_p(const EncodedColumn& column) const {
  if (column.ordered()) {
    std::vector<double> numbers, weights;
    std::vector<int> classes;
    for (std::size_t i = 0; i < table_.size(); ++i)
      for (std::size_t l = 0; l < table_.n_classes; ++l) {
        if (!(table_.entry(i)[l] > 0.0)) continue;
        numbers.push_back(column.number(table_.values[i]));
        classes.push_back(static_cast<int>(l));
        weights.push_back(table_.entry(i)[l]);
      }
    return conditional_test_numeric(numbers, classes, weights,
                                    static_cast<int>(table_.n_classes)).log_p;
  }
  return conditional_test(table_.entries, table_.size(), table_.n_classes).log_p;
}

}  // namespace mixedwood
