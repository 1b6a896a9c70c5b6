#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "../chance.hpp"
#include "../keys.hpp"
#include "mixedwood/random.hpp"
#include "mixedwood/significance.hpp"

namespace mixedwood::regression {
namespace {

// Gains closer than this, relative to the larger, are equal: the first wins.
constexpr double kEqual = 1e-12;
// Likewise of two columns: the lower wins.
constexpr double kEqualColumns = 1e-10;
// A gain that is zero but for rounding, as a fraction of the node's loss.
constexpr double kRounding = 1e-12;
// A column with at most this many values per row of the node is counted value by value; otherwise rows
// are sorted.
constexpr std::size_t kValuesPerRow = 2;
// Of the other rows of a value, as in ten-fold cross-validation (grow/adjusted_score.hpp).
constexpr double kOdds = 0.9 / 0.1;

// A threshold and what it explains: the sum over both sides of weight * mean^2.
struct PlainCut {
  double explained = 0.0;
  std::int32_t last_left = -1, first_right = -1;  // none right: known values against missing ones
  bool missing_left = true;
};

// Cuts between values, in their order. `with_missing`: on which side missing values are, if there are any.
struct PlainScan {
  PlainScan(const Moments& total, double least_rows, PlainCut& best)
      : total_(total), least_(least_rows), base_(explained(RegressionLoss::kSquaredError, total)), best_(best) {}

  void start(const Moments& left, bool missing_left) {
    left_ = left;
    missing_left_ = missing_left;
    last_ = -1;
  }
  // Before a value is added: the cut below it.
  void cut(std::int32_t code) {
    if (last_ < 0 || left_.rows < least_ || total_.rows - left_.rows < least_) return;
    const double right_weight = total_.weight - left_.weight, right_sum = total_.sum - left_.sum;
    if (!(right_weight > 0.0)) return;
    const double value = left_.sum * (left_.sum / left_.weight) + right_sum * (right_sum / right_weight);
    // What is gained must be more than rounding alone makes of equal gains.
    const double gain = value - base_, most = best_.explained - base_;
    if (best_.last_left < 0 || gain > most + kEqual * std::abs(most))
      best_ = {value, last_, code, missing_left_};
  }
  void add(std::int32_t code, const Moments& moments) {
    cut(code);
    left_ += moments;
    last_ = code;
  }
  double gain() const { return (best_.explained - base_) / total_.weight; }

 private:
  const Moments& total_;
  double least_, base_;
  PlainCut& best_;
  Moments left_;
  bool missing_left_ = true;
  std::int32_t last_ = -1;
};

}  // namespace

Candidate Search::best(const NodeRows& node, const EncodedColumn& column, std::int8_t sign,
                       std::uint64_t seed, bool& varies, double to_beat) {
  Candidate found;
  std::size_t n_values = 0;
  if (column.ordered() && is_plain(node, sign)) {
    found = plain(node, column, varies, n_values);
  } else {
    collect(node, column, !column.ordered());
    n_values = groups_.size();
    varies = n_values + (missing_.moments.rows > 0.0 && column.ordered()) > 1;
    if (!varies) return {};
    found = column.ordered() ? ordered(node, column, sign) : nominal(node, seed);
  }
  if (!found.found()) return found;
  found.rank = found.score;
  if (settings_.selection == Selection::kAdjusted && found.score >= to_beat)
    found.rank = std::min(found.score, rank(node, found, !column.ordered(), n_values));
  return found;
}

Candidate Search::plain(const NodeRows& node, const EncodedColumn& column, bool& varies,
                        std::size_t& n_values) {
  const std::int32_t* codes = column.codes();
  const std::size_t n = node.rows.size();
  const auto n_codes = static_cast<std::size_t>(column.n_values());
  PlainCut best;
  PlainScan scan(node.total, settings_.min_samples_leaf, best);
  Moments missing;
  // Calls `visit` with each value present and its moments, in order.
  const auto scan_all = [&](auto&& visit_all) {
    for (const bool missing_left : {true, false}) {
      if (missing_left && !(missing.rows > 0.0)) continue;
      scan.start(missing_left ? missing : Moments{}, missing_left);
      visit_all();
      if (missing.rows > 0.0 && !missing_left) scan.cut(-1);
    }
  };
  if (n_codes <= kValuesPerRow * n) {
    by_code_.assign(n_codes + 1, {});
    for (std::size_t i = 0; i < n; ++i)
      by_code_[static_cast<std::size_t>(codes[node.rows[i]] + 1)].add(
          node.entries[i].weight, node.entries[i].target, node.entries[i].rows);
    missing = by_code_[0];
    for (std::size_t v = 1; v <= n_codes; ++v) n_values += by_code_[v].rows > 0.0;
    varies = n_values + (missing.rows > 0.0) > 1;
    if (!varies) return {};
    scan_all([&] {
      for (std::size_t v = 0; v < n_codes; ++v)
        if (by_code_[v + 1].rows > 0.0) scan.add(static_cast<std::int32_t>(v), by_code_[v + 1]);
    });
  } else {
    keys_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      keys_[i] = static_cast<std::uint64_t>(codes[node.rows[i]] + 1) << 32 | i;
    sort_keys(keys_, other_keys_, static_cast<std::uint64_t>(n_codes) + 1);
    std::size_t begin = 0;
    for (; begin < n && keys_[begin] >> 32 == 0; ++begin) {
      const Entry& entry = node.entries[static_cast<std::size_t>(keys_[begin] & 0xffffffffULL)];
      missing.add(entry.weight, entry.target, entry.rows);
    }
    for (std::size_t i = begin; i < n; ++i)
      n_values += i == begin || keys_[i] >> 32 != keys_[i - 1] >> 32;
    varies = n_values + (missing.rows > 0.0) > 1;
    if (!varies) return {};
    scan_all([&] {
      for (std::size_t i = begin; i < n;) {
        const std::uint64_t key = keys_[i] >> 32;
        Moments moments;
        for (; i < n && keys_[i] >> 32 == key; ++i) {
          const Entry& entry = node.entries[static_cast<std::size_t>(keys_[i] & 0xffffffffULL)];
          moments.add(entry.weight, entry.target, entry.rows);
        }
        scan.add(static_cast<std::int32_t>(key) - 1, moments);
      }
    });
  }
  stop_.requested(static_cast<std::int64_t>(n_values));
  Candidate found;
  if (best.last_left < 0) return found;
  found.kind = kInterval;
  found.score = scan.gain();
  found.last_left = best.last_left;
  found.high = best.first_right < 0 ? std::numeric_limits<double>::infinity()
                                    : column.threshold(best.last_left, best.first_right);
  if (missing.rows > 0.0) found.missing_child = best.missing_left ? 0 : 1;
  return found;
}

// Fills groups_ and missing_; order_ only where single rows of a value are asked for.
void Search::collect(const NodeRows& node, const EncodedColumn& column, bool missing_is_value) {
  const std::int32_t* codes = column.codes();
  const std::size_t n = node.rows.size();
  const auto n_values = static_cast<std::size_t>(column.n_values());
  const bool needs_rows = settings_.criterion == RegressionLoss::kAbsoluteError ||
                          (settings_.selection == Selection::kAdjusted && !column.ordered());
  groups_.clear();
  missing_ = {};
  if (!node.cells.empty()) {
    missing_.moments = node.cells[0].moments;
    missing_.squares = node.cells[0].squares;
    for (std::size_t v = 0; v < n_values; ++v)
      if (node.cells[v + 1].moments.rows > 0.0)
        groups_.push_back({static_cast<std::int32_t>(v), node.cells[v + 1].moments, 0, 0,
                           node.cells[v + 1].squares});
  } else if (n_values <= kValuesPerRow * n) {
    by_code_.assign(n_values + 1, {});
    for (std::size_t i = 0; i < n; ++i)
      by_code_[static_cast<std::size_t>(codes[node.rows[i]] + 1)].add(
          node.entries[i].weight, node.entries[i].target, node.entries[i].rows);
    missing_.moments = by_code_[0];
    for (std::size_t v = 0; v < n_values; ++v)
      if (by_code_[v + 1].rows > 0.0)
        groups_.push_back({static_cast<std::int32_t>(v), by_code_[v + 1], 0, 0, 0.0});
    if (needs_rows) {
      starts_.assign(n_values + 1, 0);  // entries of each value: a row and its copies are one
      for (std::size_t i = 0; i < n; ++i) ++starts_[static_cast<std::size_t>(codes[node.rows[i]] + 1)];
      std::size_t begin = missing_.end = starts_[0];
      for (Group& group : groups_) {
        group.begin = begin;
        group.end = begin += starts_[static_cast<std::size_t>(group.code) + 1];
      }
      starts_.assign(n_values + 1, 0);
      for (const Group& group : groups_)
        starts_[static_cast<std::size_t>(group.code) + 1] = static_cast<std::uint32_t>(group.begin);
      order_.resize(n);
      for (std::size_t i = 0; i < n; ++i)
        order_[starts_[static_cast<std::size_t>(codes[node.rows[i]] + 1)]++] =
            static_cast<std::int32_t>(i);
    }
  } else {
    keys_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      keys_[i] = static_cast<std::uint64_t>(codes[node.rows[i]] + 1) << 32 | i;
    sort_keys(keys_, other_keys_, static_cast<std::uint64_t>(n_values) + 1);
    order_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(keys_[i] & 0xffffffffULL);
      const auto code = static_cast<std::int32_t>(keys_[i] >> 32) - 1;
      order_[i] = static_cast<std::int32_t>(at);
      Group* group = &missing_;
      if (code >= 0) {
        if (groups_.empty() || groups_.back().code != code) groups_.push_back({code, {}, i, i, 0.0});
        group = &groups_.back();
      }
      group->moments.add(node.entries[at].weight, node.entries[at].target, node.entries[at].rows);
      group->end = i + 1;
    }
  }
  if (missing_is_value && missing_.moments.rows > 0.0) groups_.insert(groups_.begin(), missing_);
  if (settings_.criterion == RegressionLoss::kAbsoluteError) find_orders(node);
}

// Ranks of the targets of the node's rows; the same for all columns of a node.
void Search::find_orders(const NodeRows& node) {
  if (ranked_for_.data() == node.entries.data() && ranked_for_.size() == node.entries.size()) return;
  ranked_for_ = node.entries;
  const std::size_t n = node.entries.size();
  std::vector<std::int32_t> by_target(n);
  std::iota(by_target.begin(), by_target.end(), 0);
  std::stable_sort(by_target.begin(), by_target.end(), [&](std::int32_t a, std::int32_t b) {
    return node.entries[static_cast<std::size_t>(a)].target <
           node.entries[static_cast<std::size_t>(b)].target;
  });
  sorted_.resize(n);
  target_rank_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(by_target[i]);
    sorted_[i] = node.entries[at].target;
    target_rank_[at] = i;
  }
}

// Gain per weight of the node.
double Search::gain(const NodeRows& node, const Moments& left, const Moments& right) const {
  const RegressionLoss loss = settings_.criterion;
  if (node.constrained) {
    const auto part = [&](const Moments& group) {
      return group.weight > 0.0 ? explained_by(loss, group, node.bounds.clip(group.mean())) : 0.0;
    };
    return (part(left) + part(right) - part(node.total)) / node.total.weight;
  }
  return (explained(loss, left) + explained(loss, right) - explained(loss, node.total)) /
         node.total.weight;
}

// Whether the children of a threshold would be in the wrong order.
bool Search::breaks_order(const NodeRows& node, const Moments& left, const Moments& right,
                          std::int8_t sign) const {
  if (!(left.weight > 0.0) || !(right.weight > 0.0)) return true;
  const double rise = node.bounds.clip(right.mean()) - node.bounds.clip(left.mean());
  return sign > 0 ? rise < 0.0 : rise > 0.0;
}

Candidate Search::ordered(const NodeRows& node, const EncodedColumn& column, std::int8_t sign) {
  order_of_groups_.resize(groups_.size());
  std::iota(order_of_groups_.begin(), order_of_groups_.end(), 0U);
  const Prefix prefix = best_prefix(node, missing_.moments.rows > 0.0, sign);
  Candidate found;
  if (prefix.length == 0) return found;
  found.kind = kInterval;
  found.score = prefix.gain;
  found.last_left = groups_[prefix.length - 1].code;
  found.high = prefix.length == groups_.size()
                   ? std::numeric_limits<double>::infinity()  // known against missing
                   : column.threshold(found.last_left, groups_[prefix.length].code);
  if (missing_.moments.rows > 0.0) found.missing_child = prefix.missing_left ? 0 : 1;
  return found;
}

Search::Prefix Search::best_prefix(const NodeRows& node, bool with_missing, std::int8_t sign) {
  if (settings_.criterion == RegressionLoss::kAbsoluteError)
    return best_prefix_absolute(node, with_missing);
  Prefix best;
  for (const bool missing_left : {true, false}) {
    if (missing_left && !with_missing) continue;
    Moments left;
    if (missing_left) left = missing_.moments;
    // All known values may go left if missing ones stay on the right.
    const std::size_t most = groups_.size() - !(with_missing && !missing_left);
    for (std::size_t t = 0; t < most; ++t) {
      left += groups_[order_of_groups_[t]].moments;
      const Moments right = node.total - left;
      if (!large_enough(left.rows, right.rows)) continue;
      // Known values against missing ones are in no order.
      if (sign != 0 && t + 1 < groups_.size() && breaks_order(node, left, right, sign)) continue;
      const double value = gain(node, left, right);
      if (value > best.gain + kEqual * std::abs(best.gain)) best = {t + 1, value, missing_left};
    }
    if (stop_.requested(static_cast<std::int64_t>(most))) break;
  }
  return best;
}

// Absolute errors of all prefixes, then of all suffixes.
Search::Prefix Search::best_prefix_absolute(const NodeRows& node, bool with_missing) {
  Prefix best;
  RunningMedian running(sorted_);
  const std::size_t n = groups_.size();
  const auto add = [&](const Group& group) {
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const auto at = static_cast<std::size_t>(order_[i]);
      running.add(target_rank_[at], node.entries[at].weight);
    }
  };
  for (const bool missing_left : {true, false}) {
    if (missing_left && !with_missing) continue;
    const bool missing_right = with_missing && !missing_left;
    before_.assign(n + 1, 0.0);
    running.clear();
    if (missing_left) add(missing_);
    for (std::size_t t = 0; t < n; ++t) {
      add(groups_[order_of_groups_[t]]);
      before_[t + 1] = running.absolute_error();
    }
    running.clear();
    if (missing_right) add(missing_);
    double rows_right = missing_right ? missing_.moments.rows : 0.0;
    Prefix found;
    for (std::size_t length = n; length > 0; --length) {
      if (length < n || missing_right) {
        const double value = (node.loss - before_[length] - running.absolute_error()) / node.total.weight;
        // From the right: the shortest of equally good prefixes is met last.
        if (large_enough(node.total.rows - rows_right, rows_right) &&
            value >= found.gain - kEqual * std::abs(found.gain))
          found = {length, std::max(value, found.gain), missing_left};
      }
      add(groups_[order_of_groups_[length - 1]]);
      rows_right += groups_[order_of_groups_[length - 1]].moments.rows;
    }
    if (found.gain > best.gain + kEqual * std::abs(best.gain)) best = found;
    if (stop_.requested(static_cast<std::int64_t>(node.rows.size()))) break;
  }
  return best;
}

Candidate Search::nominal(const NodeRows& node, std::uint64_t seed) {
  const std::size_t n = groups_.size();
  sides_.assign(n, 1);
  Random random(seed);
  if (settings_.partitioner == RegressionPartitioner::kRandomSubset) {
    // Any partition but the empty one, the first value on the left.
    do {
      for (std::size_t i = 0; i < n; ++i) sides_[i] = i > 0 && random.coin();
    } while (std::count(sides_.begin(), sides_.end(), 1) == 0);
    return from_sides(sides_, gain_of_sides(node, sides_), node);
  }
  if (settings_.partitioner == RegressionPartitioner::kExact && n <= kMostExact)
    return all_partitions(node);
  if (settings_.partitioner == RegressionPartitioner::kOneVsRest) {
    double best = -1.0;
    std::size_t chosen = n;
    for (std::size_t i = 0; i < n; ++i) {
      sides_.assign(n, 1);
      sides_[i] = 0;
      if (!large_enough(groups_[i].moments.rows, node.total.rows - groups_[i].moments.rows)) continue;
      const double value = gain_of_sides(node, sides_);
      if (value > best + kEqual * std::abs(best)) {
        best = value;
        chosen = i;
      }
      if (n == 2) break;
    }
    if (chosen == n) return {};
    sides_.assign(n, 1);
    sides_[chosen] = 0;
    return from_sides(sides_, best, node);
  }
  order_of_groups_.resize(n);
  std::iota(order_of_groups_.begin(), order_of_groups_.end(), 0U);
  if (settings_.partitioner == RegressionPartitioner::kRandomOrder) {
    random.shuffle(order_of_groups_);
  } else {
    std::vector<double> center(n);
    for (std::size_t g = 0; g < n; ++g) {
      center[g] = groups_[g].moments.mean();
      if (settings_.criterion != RegressionLoss::kAbsoluteError) continue;
      std::vector<std::pair<std::size_t, double>> ranks;
      double half = groups_[g].moments.weight / 2.0;
      for (std::size_t i = groups_[g].begin; i < groups_[g].end; ++i) {
        const auto at = static_cast<std::size_t>(order_[i]);
        ranks.emplace_back(target_rank_[at], node.entries[at].weight);
      }
      std::sort(ranks.begin(), ranks.end());
      for (const auto& [place, weight] : ranks) {
        center[g] = sorted_[place];
        if ((half -= weight) <= 0.0) break;
      }
    }
    std::stable_sort(order_of_groups_.begin(), order_of_groups_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return center[a] < center[b]; });
  }
  const Prefix prefix = best_prefix(node, false);
  if (prefix.length == 0) return {};
  for (std::size_t t = 0; t < prefix.length; ++t) sides_[order_of_groups_[t]] = 0;
  return from_sides(sides_, prefix.gain, node);
}

// The first value is always on the left.
Candidate Search::all_partitions(const NodeRows& node) {
  const std::size_t n = groups_.size();
  double best = -1.0;
  std::uint32_t chosen = 0;
  for (std::uint32_t right = 1; right < 1U << (n - 1); ++right) {
    double rows = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      sides_[i] = i > 0 && (right >> (i - 1) & 1U) != 0;
      if (sides_[i] == 0) rows += groups_[i].moments.rows;
    }
    if (!large_enough(rows, node.total.rows - rows)) continue;
    const double value = gain_of_sides(node, sides_);
    if (value > best + kEqual * std::abs(best)) {
      best = value;
      chosen = right;
    }
    if (stop_.requested(static_cast<std::int64_t>(n))) break;
  }
  if (chosen == 0) return {};
  for (std::size_t i = 0; i < n; ++i) sides_[i] = i > 0 && (chosen >> (i - 1) & 1U) != 0;
  return from_sides(sides_, best, node);
}

double Search::gain_of_sides(const NodeRows& node, std::span<const std::uint8_t> sides) {
  if (settings_.criterion != RegressionLoss::kAbsoluteError) {
    Moments left;
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (sides[i] == 0) left += groups_[i].moments;
    return gain(node, left, node.total - left);
  }
  double error = 0.0;
  RunningMedian running(sorted_);
  for (const int side : {0, 1}) {
    running.clear();
    for (std::size_t g = 0; g < sides.size(); ++g) {
      if (sides[g] != side) continue;
      for (std::size_t i = groups_[g].begin; i < groups_[g].end; ++i) {
        const auto at = static_cast<std::size_t>(order_[i]);
        running.add(target_rank_[at], node.entries[at].weight);
      }
    }
    error += running.absolute_error();
  }
  return (node.loss - error) / node.total.weight;
}

Candidate Search::from_sides(std::span<const std::uint8_t> sides, double gain,
                             const NodeRows& node) const {
  Candidate found;
  double left = 0.0;
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (sides[i] == 0) left += groups_[i].moments.rows;
  if (!large_enough(left, node.total.rows - left)) return found;
  found.kind = kSubset;
  found.score = gain;
  // The side of the first value is the left one.
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::int32_t child = sides[i] != sides[0];
    if (groups_[i].code < 0) {
      found.missing_child = child;
    } else {
      found.values.push_back(groups_[i].code);
      found.children.push_back(child);
    }
  }
  return found;
}

// What the split can be expected to gain on new rows: as for classes (grow/adjusted_score.hpp), sides that
// were fitted to the target are cross-fitted, and what the best of many cuts gains by chance is taken off.
// A fraction of the variance times the rows is a chi-square statistic with one degree of freedom.
double Search::rank(const NodeRows& node, const Candidate& found, bool is_nominal, std::size_t n_values) {
  const double n_rows = (frequencies_ ? node.total.weight : node.total.rows) / copies_;
  double score = found.score, excess = 0.0;
  const RegressionPartitioner way = settings_.partitioner;
  if (!is_nominal || way == RegressionPartitioner::kRandomOrder) {
    excess = excess_of_cuts(static_cast<double>(n_values));
  } else if (way == RegressionPartitioner::kOneVsRest) {
    excess = 2.0 * std::log(static_cast<double>(n_values));
  } else if (way != RegressionPartitioner::kRandomSubset) {
    score *= expected_fraction(node, found);
    excess = excess_of_cuts(static_cast<double>(n_values));
  }
  const double variance = node.squares / node.total.weight;
  // In units of the criterion: what a fraction of the variance is worth.
  const double scale = settings_.criterion == RegressionLoss::kSquaredError
                           ? variance
                           : node.loss / node.total.weight;
  return score - excess / std::max(1.0, n_rows) * scale;
}

// Where the rows of a value go if they are placed by the others.
struct Search::Sides {
  double border, left_of_all;
  double lower;  // -1 where the left side has the lower mean
  Moments& left;

  // `vote` and `squares` are sums of all rows of the value, `own` is a row's part.
  double of_row(double n_rows, double vote, double squares, double own) const {
    if (!(n_rows > 1.0)) return left_of_all;
    const double mean = vote - own, variance = squares - own * own;
    if (variance > 1e-12 * squares) return normal_probability(lower * mean * std::sqrt(kOdds / variance));
    if (mean != 0.0) return lower * mean > 0.0 ? 1.0 : 0.0;
    return left_of_all;
  }
  void add(double side, double weight, double target) {
    left.weight += side * weight;
    left.sum += side * weight * target;
  }
};

void Search::place_rows(const NodeRows& node, const Group& group, Sides& sides) const {
  // Copies of a row in a sample are one piece of evidence: by two of them an identifier would vouch for
  // itself.
  const auto part_of = [&](const Entry& entry) {
    return (frequencies_ ? entry.rows : entry.weight) * (entry.target - sides.border);
  };
  double vote = 0.0, squares = 0.0, n_rows = 0.0;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const Entry& entry = node.entries[static_cast<std::size_t>(order_[i])];
    const double part = part_of(entry), times = frequencies_ ? entry.weight / entry.rows : 1.0;
    vote += times * part;
    squares += times * part * part;
    n_rows += times;
  }
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const Entry& entry = node.entries[static_cast<std::size_t>(order_[i])];
    sides.add(sides.of_row(n_rows, vote, squares, part_of(entry)), entry.weight, entry.target);
  }
}

// Single rows are not known: half of them are taken to be a standard deviation above the mean of
// their value, and half below.
void Search::place_counted(const Group& group, Sides& sides) const {
  const Moments& all = group.moments;
  if (!(all.weight > 0.0)) return;
  const double n_rows = frequencies_ ? all.weight : all.rows, unit = all.weight / n_rows;
  const double mean = all.mean();
  const double variance = std::max(0.0, group.squares / all.weight - mean * mean);
  const double offset = mean - sides.border, spread = std::sqrt(variance);
  const double vote = all.weight * offset;
  const double squares = n_rows * unit * unit * (offset * offset + variance);
  for (const double part : {-spread, spread})
    sides.add(sides.of_row(n_rows, vote, squares, unit * (offset + part)), all.weight / 2.0,
              mean + part);
}

// The part of the gain in squared error that is left if each row is placed by the other rows of its value.
double Search::expected_fraction(const NodeRows& node, const Candidate& found) {
  Moments side[2], expected[2];
  std::size_t known = 0;
  sides_.resize(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    sides_[g] = static_cast<std::uint8_t>(groups_[g].code < 0 ? found.missing_child
                                                              : found.children[known++]);
    side[sides_[g]] += groups_[g].moments;
  }
  const double border = (side[0].mean() + side[1].mean()) / 2.0;
  const double left_of_all = side[0].weight / node.total.weight;
  const double center = node.total.mean();
  const auto squared = [&](const Moments* parts) {
    double sum = 0.0;
    for (const int s : {0, 1})
      if (parts[s].weight > 0.0) {
        const double offset = parts[s].sum / parts[s].weight - center;
        sum += parts[s].weight * offset * offset;
      }
    return sum;
  };
  Sides sides{border, left_of_all, side[0].mean() < side[1].mean() ? -1.0 : 1.0, expected[0]};
  for (const Group& group : groups_) {
    if (node.cells.empty())
      place_rows(node, group, sides);
    else
      place_counted(group, sides);
  }
  expected[1].weight = std::max(0.0, node.total.weight - expected[0].weight);
  expected[1].sum = node.total.sum - expected[0].sum;
  const double counted = squared(side);
  if (!(counted > 0.0) || !(std::min(expected[0].weight, expected[1].weight) > 0.0)) return 0.0;
  const bool agrees = (expected[0].mean() < expected[1].mean()) == (side[0].mean() < side[1].mean());
  return (agrees ? 1.0 : -1.0) * squared(expected) / counted;
}

// Conditional inference: the quadratic statistic of the linear association with a number, or of the means of
// the values of a nominal column. Rows without a value do not count.
double Search::log_p(const NodeRows& node, const EncodedColumn& column) {
  collect(node, column, false);
  if (groups_.size() < 2) return 0.0;
  Moments all;
  for (const Group& group : groups_) all += group.moments;
  const double mean = all.mean();
  double squares = 0.0;
  const std::int32_t* codes = column.codes();
  for (const Group& g : groups_)
    if (!node.cells.empty())
      squares += std::max(0.0, g.squares - mean * (2.0 * g.moments.sum - mean * g.moments.weight));
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    if (codes[node.rows[i]] < 0) continue;
    const double offset = node.entries[i].target - mean;
    squares += node.entries[i].weight * offset * offset;
  }
  if (!(squares > 0.0)) return 0.0;
  double between = 0.0;
  if (column.ordered()) {
    double center = 0.0;
    for (const Group& g : groups_) center += g.moments.weight * column.number(g.code) / all.weight;
    double covariance = 0.0, variance = 0.0;
    for (const Group& g : groups_) {
      const double x = column.number(g.code) - center;
      covariance += x * (g.moments.sum - g.moments.weight * mean);
      variance += g.moments.weight * x * x;
    }
    if (variance > 0.0) between = covariance * covariance / variance;
  } else {
    for (const Group& g : groups_) {
      const double offset = g.moments.mean() - mean;
      between += g.moments.weight * offset * offset;
    }
  }
  const double degrees = column.ordered() ? 1.0 : static_cast<double>(groups_.size() - 1);
  return log_chi2_tail((all.weight - 1.0) * between / squares, degrees);
}

void ColumnChoice::choose(ChoiceAtNode& node, const NodeRows& rows) {
  if (settings_.selection == Selection::kSignificance)
    by_significance(node, rows);
  else
    by_score(node, rows);
}

std::vector<std::int32_t> ColumnChoice::columns_to_try(const ChoiceAtNode& node) const {
  std::vector<std::int32_t> columns = node.columns;
  if (!settings_.max_features) return columns;
  columns.resize(columns_.size());
  std::iota(columns.begin(), columns.end(), 0);
  Random(mix(node.seed, 0)).shuffle(columns);
  return columns;
}

NodeRows ColumnChoice::at_column(const NodeRows& rows, std::int32_t column) const {
  NodeRows here = rows;
  if (rows.counted != nullptr) here.cells = (*rows.counted)[static_cast<std::size_t>(column)];
  return here;
}

Candidate ColumnChoice::best(const NodeRows& rows, std::int32_t c, std::uint64_t seed, bool& varies,
                             double to_beat) {
  const auto column = static_cast<std::size_t>(c);
  const std::int8_t sign =
      settings_.monotonic_cst.empty() ? std::int8_t{0} : settings_.monotonic_cst[column];
  return search_.best(at_column(rows, c), columns_[column], sign,
                      mix(seed, static_cast<std::uint64_t>(c) + 1), varies, to_beat);
}

// A column whose score is lower loses, whatever is taken off for chance.
static double to_beat(const Candidate& best) {
  return best.found() ? best.rank - 2.0 * kEqualColumns * std::abs(best.rank) : kNothing;
}

// Rounding alone makes gains this large.
double ColumnChoice::least_gain(const NodeRows& rows) const {
  return std::max(settings_.min_split_gain, 0.0) + kRounding * rows.loss / rows.total.weight;
}

static bool better(const Candidate& candidate, const Candidate& best) {
  if (!best.found()) return true;
  const double equal = kEqualColumns * std::max(std::abs(candidate.rank), std::abs(best.rank));
  if (candidate.rank > best.rank + equal) return true;
  return candidate.rank >= best.rank - equal && candidate.column < best.column;
}

void ColumnChoice::by_score(ChoiceAtNode& node, const NodeRows& rows) {
  std::vector<std::int32_t> varying;
  std::int32_t tried = 0;
  for (const std::int32_t c : columns_to_try(node)) {
    if (settings_.max_features && tried++ >= *settings_.max_features && node.split.found()) break;
    bool varies = false;
    // Whether a nominal column is mostly noise is asked of those that lose as well.
    const bool always = settings_.max_features && !columns_[static_cast<std::size_t>(c)].ordered();
    Candidate found = best(rows, c, node.seed, varies, always ? kNothing : to_beat(node.split));
    if (varies) varying.push_back(c);
    if (stop_.requested(static_cast<std::int64_t>(rows.rows.size()))) return;
    found.column = c;
    // Another column is drawn in place of one whose values are mostly noise.
    if (settings_.selection == Selection::kAdjusted && found.found() && found.rank <= 0.0 &&
        found.values.size() > 2)
      --tried;
    if (found.found() && found.score >= least_gain(rows) && better(found, node.split))
      node.split = std::move(found);
  }
  if (!settings_.max_features) node.columns = std::move(varying);
}

// The column that depends most significantly on the target; the next one where it cannot be split.
void ColumnChoice::by_significance(ChoiceAtNode& node, const NodeRows& rows) {
  std::vector<std::pair<double, std::int32_t>> tested;
  std::int32_t tried = 0;
  for (const std::int32_t c : columns_to_try(node)) {
    if (settings_.max_features && tried++ >= *settings_.max_features && !tested.empty()) break;
    tested.emplace_back(
        search_.log_p(at_column(rows, c), columns_[static_cast<std::size_t>(c)]), c);
    if (stop_.requested(static_cast<std::int64_t>(rows.rows.size()))) return;
  }
  std::sort(tested.begin(), tested.end());
  const auto n_tests = static_cast<double>(tested.size());
  for (const auto& [log_p, c] : tested) {
    const double p = std::exp(log_p);
    const double adjusted = settings_.bonferroni ? -std::expm1(n_tests * std::log1p(-p)) : p;
    if (p < 1.0 ? adjusted > settings_.alpha : settings_.alpha < 1.0) return;
    bool varies = false;
    Candidate found = best(rows, c, node.seed, varies, kNothing);
    if (stop_.requested(static_cast<std::int64_t>(rows.rows.size()))) return;
    if (!found.found() || found.score < least_gain(rows)) continue;
    found.column = c;
    node.split = std::move(found);
    return;
  }
}

}  // namespace mixedwood::regression
