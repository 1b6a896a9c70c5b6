#include "threshold_scan.hpp"

#include <algorithm>
#include <array>

#include "running_impurity.hpp"

namespace mixedwood {
namespace {

// No single class.
constexpr std::size_t kMixed = static_cast<std::size_t>(-1);

// Values to scan over, one after the other: `place` is -1 behind the last one, and `only_class` is
// the class of a value all of whose rows are of one class.

class ValuesOfTable {
 public:
  ValuesOfTable(const ColumnCounts& table, std::span<const std::int32_t> order)
      : table_(table), order_(order) {
    next();
  }
  void next() {
    ++place;
    if (static_cast<std::size_t>(place) == table_.size()) {
      place = -1;
      return;
    }
    const auto t = static_cast<std::size_t>(place);
    const std::size_t i = order_.empty() ? t : static_cast<std::size_t>(order_[t]);
    entry = table_.entry(i).data();
    total = table_.totals[i];
    rows = table_.rows[i];
    only_class = kMixed;
    for (std::size_t l = 0; l < table_.n_classes; ++l) {
      if (entry[l] == 0.0) continue;
      if (entry[l] == total) only_class = l;
      break;
    }
  }
  std::int32_t place = -1;
  const double* entry = nullptr;
  double total = 0.0, rows = 0.0;
  std::size_t only_class = kMixed;

 private:
  const ColumnCounts& table_;
  std::span<const std::int32_t> order_;
};

class ValuesOfHistogram {
 public:
  ValuesOfHistogram(const std::uint32_t* cells, std::int32_t n_values, std::vector<double>& room)
      : cells_(cells), n_values_(n_values), n_classes_(room.size()), entry_(&room) {
    next();
  }
  void next() {
    for (;;) {
      cells_ += n_classes_;  // the first cells are those of missing values
      if (++place == n_values_) {
        place = -1;
        return;
      }
      std::uint32_t sum = 0;
      for (std::size_t l = 0; l < n_classes_; ++l) sum += cells_[l];
      if (sum == 0) continue;
      total = rows = sum;
      only_class = kMixed;
      for (std::size_t l = 0; l < n_classes_; ++l) {
        if (cells_[l] == 0) continue;
        if (cells_[l] == sum) only_class = l;
        break;
      }
      if (only_class == kMixed)
        for (std::size_t l = 0; l < n_classes_; ++l) (*entry_)[l] = cells_[l];
      entry = entry_->data();
      return;
    }
  }
  std::int32_t place = -1;
  const double* entry = nullptr;  // not filled where there is one class only
  double total = 0.0, rows = 0.0;
  std::size_t only_class = kMixed;

 private:
  const std::uint32_t* cells_;
  std::int32_t n_values_;
  std::size_t n_classes_;
  std::vector<double>* entry_;
};

}  // namespace

template <typename Running, typename Values>
void ThresholdScan::run(Values values, std::span<const double> missing, double missing_rows,
                bool missing_left, double rows, Running& running, Cut& best, Stop& stop) {
  left_.assign(all_.size(), 0.0);
  right_ = all_;
  if (missing_left)
    for (std::size_t l = 0; l < all_.size(); ++l) {
      left_[l] = missing[l];
      right_[l] -= missing[l];
    }
  running.start(left_, right_);
  double rows_left = missing_left ? missing_rows : 0.0;
  double weight = 0.0;
  for (double c : all_) weight += c;
  const double margin = kEqual * weight;
  // All known values may go left when that leaves the missing ones on the right.
  const bool may_end = missing_rows > 0.0 && !missing_left;
  // A cut between two values of one and the same class is never the best one for a convex score
  // (Fayyad and Irani 1992), so long runs of such values move as one. Only where no cut is
  // forbidden: else a cut inside a run may be the best of those allowed.
  const bool skip_runs = whole_rows_ && min_leaf_ <= 1.0 && criterion_.traits().convex;
  double run = 0.0;
  while (values.place >= 0) {
    const std::int32_t here = values.place;
    const std::size_t only_class = values.only_class;
    rows_left += values.rows;
    if (only_class != kMixed)
      run += values.total;
    else
      running.move(values.entry, values.total);
    values.next();
    if (only_class != kMixed) {
      if (skip_runs && values.place >= 0 && values.only_class == only_class) continue;
      running.move_rows(only_class, run);
      run = 0.0;
    }
    if (values.place < 0 && !may_end) break;
    if (rows_left < min_leaf_) continue;
    if (rows - rows_left < min_leaf_) break;
    if constexpr (Running::kNeedsRight)
      if (!rest_.empty())
        running.replace_right(rest_.data() + static_cast<std::size_t>(here) * all_.size());
    const double value = running.value();
    if (value > best.purity + margin) {
      best.purity = value;
      best.last_left = here;
      best.first_right = values.place;
      best.missing_left = missing_left;
      best_left_ = left_;
      if (!rest_.empty()) best_right_ = right_;
    }
    if (stop.requested(static_cast<std::int64_t>(all_.size()))) return;
  }
}

// What stays on the right behind each value, with `last` behind the last one.
void ThresholdScan::add_up_rest(const ColumnCounts& table, std::span<const std::int32_t> order,
                        std::span<const double> last) {
  const std::size_t k = table.n_classes;
  rest_.resize(table.size() * k);
  right_.assign(k, 0.0);
  if (!last.empty()) right_.assign(last.begin(), last.end());
  for (std::size_t t = table.size(); t-- > 0;) {
    std::copy(right_.begin(), right_.end(), rest_.begin() + static_cast<std::ptrdiff_t>(t * k));
    const auto entry = table.entry(order.empty() ? t : static_cast<std::size_t>(order[t]));
    for (std::size_t l = 0; l < k; ++l) right_[l] += entry[l];
  }
}

Cut ThresholdScan::best(const ColumnCounts& table, std::span<const std::int32_t> order, bool with_missing,
                Stop& stop) {
  Cut best;
  if (table.size() == 0) return best;
  const double missing_rows = with_missing ? table.missing_rows : 0.0;
  all_ = table.known;
  if (missing_rows > 0.0)
    for (std::size_t l = 0; l < table.n_classes; ++l) all_[l] += table.missing[l];
  const double rows = table.known_rows + missing_rows;
  const CriterionTraits traits = criterion_.traits();
  // A convex score of a group is at most in proportion to its weight.
  const bool exact_rest = !table.unit_rows && !traits.impurity_gain && !traits.convex;
  rest_.clear();
  const auto both_ways = [&](auto running) {
    if (exact_rest)
      add_up_rest(table, order, missing_rows > 0.0 ? std::span(table.missing) : std::span<double>());
    run(ValuesOfTable(table, order), {}, missing_rows, false, rows, running, best, stop);
    if (missing_rows > 0.0 && exact_rest) add_up_rest(table, order, {});
    if (missing_rows > 0.0)
      run(ValuesOfTable(table, order), table.missing, missing_rows, true, rows, running, best,
          stop);
  };
  if (!traits.impurity_gain)
    both_ways(RunningScore(criterion_, groups_));
  else if (traits.impurity == ImpurityKind::kGini)
    both_ways(RunningGini(table.unit_rows));
  else
    both_ways(RunningEntropy());
  if (!best.found()) return best;
  best.score = rest_.empty() ? score(best_left_, all_) : score_of(best_left_, best_right_, all_);
  if (!traits.impurity_gain) {
    double weight = 0.0, squares = 0.0;
    for (const double c : all_) {
      weight += c;
      squares += c * c;
    }
    const double before = squares / weight;
    if (weight > before)
      best.gini_share = (RunningGini::of(best_left_, all_) - before) / (weight - before);
  }
  return best;
}

Cut ThresholdScan::best(const std::uint32_t* cells, std::int32_t n_values, std::span<const double> counts,
                Stop& stop, int& n_seen) {
  Cut best;
  rest_.clear();
  all_.assign(counts.begin(), counts.end());
  groups_.assign(counts.size(), 0.0);
  missing_.assign(cells, cells + counts.size());
  double missing_rows = 0.0, rows = 0.0;
  for (std::size_t l = 0; l < counts.size(); ++l) {
    missing_rows += missing_[l];
    rows += counts[l];
  }
  const ValuesOfHistogram values(cells, n_values, groups_);
  n_seen = 0;
  for (ValuesOfHistogram seen = values; seen.place >= 0 && n_seen < 2; seen.next()) ++n_seen;
  if (n_seen == 0 || (n_seen == 1 && missing_rows == 0.0)) return best;
  const auto both_ways = [&](auto running) {
    // The entry buffer is shared, so each scan starts anew.
    run(ValuesOfHistogram(cells, n_values, groups_), {}, missing_rows, false, rows, running, best,
        stop);
    if (missing_rows > 0.0)
      run(ValuesOfHistogram(cells, n_values, groups_), missing_, missing_rows, true, rows, running,
          best, stop);
  };
  if (criterion_.traits().impurity == ImpurityKind::kGini)
    both_ways(RunningGini());
  else
    both_ways(RunningEntropy());
  if (best.found()) best.score = score(best_left_, all_);
  return best;
}

double ThresholdScan::score(std::span<const double> left, std::span<const double> all) const {
  std::vector<double> right(all.size());
  for (std::size_t l = 0; l < all.size(); ++l) right[l] = std::max(0.0, all[l] - left[l]);
  return score_of(left, right, all);
}

double ThresholdScan::score_of(std::span<const double> left, std::span<const double> right,
                       std::span<const double> all) const {
  std::vector<double> groups(left.begin(), left.end());
  groups.insert(groups.end(), right.begin(), right.end());
  std::array<double, 2> weights = {0.0, 0.0};
  for (std::size_t l = 0; l < all.size(); ++l) {
    weights[0] += left[l];
    weights[1] += right[l];
  }
  return criterion_.score({groups, weights, static_cast<int>(all.size())}, criterion_.before(all));
}

}  // namespace mixedwood
