#include "search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mixedwood/count_table.hpp"

namespace mixedwood {
namespace {

// Tables with more values and cells than these are searched by_approximate_search, where the criterion allows:
// a thorough search would cost more than all the rest of growth.
constexpr std::size_t kFewValues = 16;
constexpr std::size_t kFewCells = 256;
// Columns with more values than this are compared by the approximate search; only the winner is searched
// thoroughly.
constexpr std::size_t kFewToCompare = 8;

// Scores that are zero but for rounding.
constexpr double kNoGain = 1e-12;

// Classes without weight left out, as searches want it.
// `all_classes`: also those without rows, to which costs refer.
CountTable contingency_of(const ColumnCounts& table, bool all_classes = false) {
  const std::size_t n = table.size(), k = table.n_classes;
  const std::vector<double>& totals = table.known;
  const auto absent = static_cast<std::size_t>(std::count(totals.begin(), totals.end(), 0.0));
  if (absent == 0 || all_classes)
    return CountTable(std::span<const double>(table.entries), static_cast<int>(n),
                       static_cast<int>(k));
  std::vector<double> entries;
  entries.reserve(n * (k - absent));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t l = 0; l < k; ++l)
      if (totals[l] > 0.0) entries.push_back(table.entry(i)[l]);
  return CountTable(std::move(entries), static_cast<int>(n), static_cast<int>(k - absent));
}

// The class of a value all of whose rows are of one class; else -1.
std::int32_t only_class(const ColumnCounts& table, std::size_t i) {
  const auto entry = table.entry(i);
  for (std::size_t l = 0; l < entry.size(); ++l)
    if (entry[l] != 0.0) return entry[l] == table.totals[i] ? static_cast<std::int32_t>(l) : -1;
  return -1;
}

bool is_large(const ColumnCounts& table) {
  return table.size() > kFewValues && table.size() * table.n_classes > kFewCells;
}

// Sides of the table's values; that of missing ones is kept apart in the candidate.
Sides sides_of(const ColumnCounts& table, const Candidate& found) {
  Sides sides(table.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < sides.size(); ++i)
    sides[i] = static_cast<std::uint8_t>(table.values[i] < 0 ? found.missing_child
                                                             : found.children[known++]);
  return sides;
}

// Fraction of known rows: the worth of a split that places only them.
double known_share(const ColumnCounts& table) {
  return table.known_total / (table.known_total + table.missing_total);
}

}  // namespace

Candidate Search::best(ColumnCounts& table, const EncodedColumn& column, std::uint64_t seed,
                       bool thorough) {
  Candidate found;
  if (column.ordered()) {
    found = ordered(table, column);
  } else {
    if (table.missing_rows > 0.0 && !settings_.fractional()) table.count_missing_as_value();
    if (table.size() < 2) return found;
    for (const auto& screener : settings_.screeners)
      if (!screener->accepts(contingency_of(table))) return found;
    try {
      found = nominal(table, seed, thorough);
    } catch (const Stopped&) {
      return {};  // before there was any partition: the node stays a leaf
    }
    if (found.kind == kSubset && found.score <= kNoGain) found = in_halves(table, found.score);
  }
  if (found.found() && settings_.fractional()) {
    found.score *= known_share(table);
    found.missing_child = kFractional;
  }
  return found;
}

Candidate Search::ordered(const ColumnCounts& table, const EncodedColumn& column) {
  Candidate found;
  if (table.size() < 2 && (table.missing_rows == 0.0 || settings_.fractional())) return found;
  const Cut cut = scan_.best(table, {}, !settings_.fractional(), stop_);
  if (!cut.found()) return found;
  return interval(cut, table.values[at(cut.last_left)],
                  cut.first_right < 0 ? -1 : table.values[at(cut.first_right)],
                  table.missing_rows > 0.0, column);
}

Candidate Search::ordered(const std::uint32_t* cells, std::span<const double> counts,
                          const EncodedColumn& column, bool& varies) {
  int n_seen = 0;
  const Cut cut = scan_.best(cells, column.n_values(), counts, stop_, n_seen);
  double missing = 0.0;
  for (std::size_t l = 0; l < counts.size(); ++l) missing += cells[l];
  varies = n_seen > 1 || (n_seen == 1 && missing > 0.0);
  if (!cut.found()) return {};
  return interval(cut, cut.last_left, cut.first_right, missing > 0.0, column);
}

Candidate Search::wide(const NodeRows& node, const std::uint32_t* buckets,
                       std::span<const double> counts, const EncodedColumn& column, double to_beat) {
  const Cut cut = buckets_.best(node, column, buckets, counts, to_beat, stop_);
  if (!cut.found()) return {};
  double missing = 0.0;
  for (std::size_t l = 0; l < counts.size(); ++l) missing += buckets[l];
  return interval(cut, cut.last_left, cut.first_right, missing > 0.0, column);
}

Candidate Search::in_order(const NodeRows& node, std::span<const double> counts,
                           const EncodedColumn& column, bool& varies) {
  varies = column.codes()[node.rows.front()] != column.codes()[node.rows.back()];
  Cut cut = blocks_.best(node, column, counts, settings_.criterion->traits().impurity, stop_);
  if (!cut.found()) return {};
  cut.score = scan_.score(blocks_.left(), counts);
  return interval(cut, cut.last_left, cut.first_right, false, column);
}

Candidate Search::interval(const Cut& cut, std::int32_t last_left, std::int32_t first_right,
                           bool missing, const EncodedColumn& column) const {
  Candidate found;
  found.kind = kInterval;
  found.score = cut.score;
  found.gini_share = cut.gini_share;
  found.last_left = last_left;
  found.high = first_right < 0 ? std::numeric_limits<double>::infinity()  // known against missing
                               : column.threshold(last_left, first_right);
  if (missing) found.missing_child = cut.missing_left ? 0 : 1;
  return found;
}

Candidate Search::nominal(const ColumnCounts& table, std::uint64_t seed, bool thorough) {
  // Two classes and a convex score: the order by the share of one class holds a best partition
  // (Breiman et al. 1984, theorem 4.5).
  if (settings_.partitioner->traits.exact && table.n_classes == 2 && settings_.criterion->traits().convex) {
    std::vector<double> keys(table.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = table.entry(i)[1] / table.totals[i];
    return in_order_of(table, keys);
  }
  const bool approximate = settings_.partitioner->traits.allow_approximate &&
                     settings_.criterion->traits().impurity_gain;
  if (approximate && (thorough ? is_large(table) : table.size() > kFewToCompare))
    return by_approximate_search(table, thorough);
  return by_partitioner(table, seed);
}

Candidate Search::in_order_of(const ColumnCounts& table, const std::vector<double>& keys) {
  std::vector<std::int32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return keys[at(a)] < keys[at(b)];
  });
  const Cut cut = scan_.best(table, order, false, stop_);
  if (!cut.found()) return {};
  Sides sides(table.size(), 1);
  for (std::size_t t = 0; t <= static_cast<std::size_t>(cut.last_left); ++t)
    sides[at(order[t])] = 0;
  return from_sides(table, sides, cut.score);
}

Candidate Search::by_partitioner(const ColumnCounts& table, std::uint64_t seed) {
  const CountTable contingency = contingency_of(table, !settings_.split_costs.empty());
  const SplitProblem problem{contingency, *settings_.criterion, settings_.split_costs, seed, stop_};
  const Grouping grouping = settings_.partitioner->search(problem);
  if (!grouping.found()) return {};
  if (grouping.sides.empty()) return multiway(table);
  if (large_enough(table, grouping.sides))
    return from_sides(table, grouping.sides, grouping.score);
  Candidate found = with_larger_sides(table, grouping.sides);
  if (found.found() && settings_.criterion->traits().pairwise) {
    const auto scorer = problem.scorer();
    scorer->assign(sides_of(table, found));
    found.score = scorer->score();
  }
  return found;
}

Candidate Search::by_approximate_search(const ColumnCounts& table, bool thorough) {
  const bool merged = merge_pure_values(table, thorough);
  const ColumnCounts& searched = merged ? merged_ : table;
  Sides sides;
  double score = 0.0;
  if (thorough && !is_large(searched)) {
    const CountTable contingency = contingency_of(searched, !settings_.split_costs.empty());
    const SplitProblem problem{contingency, *settings_.criterion, settings_.split_costs, 0, stop_};
    const Grouping grouping = settings_.partitioner->search(problem);
    if (!grouping.found()) return {};
    sides = grouping.sides;
    score = grouping.score;
  } else {
    sides = approximate_.best(searched, thorough, stop_);
    score = scan_.score(approximate_.left(), table.known);
  }
  if (merged) {
    Sides spread(table.size());
    for (std::size_t i = 0; i < spread.size(); ++i)
      spread[i] = sides[at(merged_place_[i])];
    sides.swap(spread);
  }
  Candidate found = large_enough(table, sides) ? from_sides(table, sides, score)
                                               : with_larger_sides(table, sides);
  found.screened = !thorough;
  return found;
}

// Values with rows of one class only are put together by class: to an impurity they are one value,
// and moving them one by one from side to side leads nowhere. Columns of names or numbers of rows
// have hardly any others. False where that makes little difference.
bool Search::merge_pure_values(const ColumnCounts& table, bool thorough) {
  merged_place_.resize(table.size());
  std::size_t mixed = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    merged_place_[i] = only_class(table, i);
    mixed += merged_place_[i] < 0;
  }
  const std::size_t most = mixed + table.n_classes;
  if ((thorough ? 1 : 2) * most >= table.size()) return false;
  merged_.start(table.n_classes, most);
  std::vector<std::int32_t> place_of(table.n_classes, -1);
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::int32_t fresh = -1;
    std::int32_t& place =
        merged_place_[i] < 0 ? fresh : place_of[at(merged_place_[i])];
    if (place < 0) place = static_cast<std::int32_t>(merged_.add(static_cast<std::int32_t>(i)));
    const auto p = static_cast<std::size_t>(place);
    for (std::size_t l = 0; l < table.n_classes; ++l) merged_.entry_at(p)[l] += table.entry(i)[l];
    merged_.totals[p] += table.totals[i];
    merged_.rows[p] += table.rows[i];
    merged_place_[i] = place;
  }
  merged_.finish();
  return merged_.size() > 1;
}

// No grouping is informative, and the first of equals would take one value off after the other, to
// a depth of as many nodes as there are values. Halves of the rows make it a logarithm of that.
Candidate Search::in_halves(const ColumnCounts& table, double score) const {
  double rows_left = 0.0, best = -1.0;
  std::size_t length = 0;
  for (std::size_t t = 1; t < table.size(); ++t) {
    rows_left += table.rows[t - 1];
    const double smaller = std::min(rows_left, table.known_rows - rows_left);
    if (smaller <= best) continue;
    best = smaller;
    length = t;
  }
  if (best < min_leaf_) return {};
  Sides sides(table.size(), 1);
  std::fill(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(length), 0);
  return from_sides(table, sides, score);
}

// A side has too few rows: order the values by the classes that prefer the left, and cut where both
// sides are large enough.
Candidate Search::with_larger_sides(const ColumnCounts& table, const Sides& sides) {
  std::vector<double> of_side[2] = {std::vector<double>(table.n_classes, 0.0),
                                    std::vector<double>(table.n_classes, 0.0)};
  double total[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < table.size(); ++i) {
    total[sides[i]] += table.totals[i];
    for (std::size_t l = 0; l < table.n_classes; ++l) of_side[sides[i]][l] += table.entry(i)[l];
  }
  std::vector<double> keys(table.size(), 0.0);
  for (std::size_t i = 0; i < keys.size(); ++i)
    for (std::size_t l = 0; l < table.n_classes; ++l)
      if (of_side[0][l] * total[1] > of_side[1][l] * total[0])
        keys[i] -= table.entry(i)[l] / table.totals[i];
  return in_order_of(table, keys);
}

Candidate Search::multiway(const ColumnCounts& table) const {
  Candidate found;
  const auto large = std::count_if(table.rows.begin(), table.rows.end(), [&](double rows) {
    return rows >= min_leaf_;
  });
  if (large < 2) return found;
  found.kind = kMultiway;
  found.score = settings_.criterion->score(
      {table.entries, table.totals, static_cast<int>(table.n_classes)},
      settings_.criterion->before(table.known));
  found.n_children = static_cast<std::int32_t>(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto child = static_cast<std::int32_t>(i);
    if (table.values[i] < 0) {
      found.missing_child = child;
    } else {
      found.values.push_back(table.values[i]);
      found.children.push_back(child);
    }
  }
  return found;
}

bool Search::large_enough(const ColumnCounts& table, const Sides& sides) const {
  if (min_leaf_ <= 1.0 && !settings_.fractional()) return true;  // every value has a row
  double rows[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < table.size(); ++i) rows[sides[i]] += table.rows[i];
  return std::min(rows[0], rows[1]) >= min_leaf_;
}

Candidate Search::from_sides(const ColumnCounts& table, const Sides& sides, double score) const {
  Candidate found;
  found.kind = kSubset;
  found.score = score;
  // The side of the first value is the left one, whatever search found it.
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::int32_t child = sides[i] != sides[0];
    if (table.values[i] < 0) {
      found.missing_child = child;
    } else {
      found.values.push_back(table.values[i]);
      found.children.push_back(child);
    }
  }
  return found;
}

}  // namespace mixedwood
