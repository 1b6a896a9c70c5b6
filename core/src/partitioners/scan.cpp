#include "scan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "../criteria/impurity.hpp"

namespace mixedwood::partitioners {

namespace {

constexpr std::size_t kFewToSort = 40;

}  // namespace

Order order_by(std::span<const double> keys) {
  Order order;
  order_by(keys, order);
  return order;
}

void order_by(std::span<const double> keys, Order& order) {
  order.resize(keys.size());
  if (keys.size() <= kFewToSort) {
    // By insertion: most tables are small, and searches order them thousands of times.
    double sorted[kFewToSort];
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::size_t place = i;
      for (; place > 0 && sorted[place - 1] > keys[i]; --place) {
        sorted[place] = sorted[place - 1];
        order[place] = order[place - 1];
      }
      sorted[place] = keys[i];
      order[place] = static_cast<int>(i);
    }
    return;
  }
  std::vector<std::pair<double, int>> keyed(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keyed[i] = {keys[i], static_cast<int>(i)};
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < keyed.size(); ++i) order[i] = keyed[i].second;
}

std::vector<double> superclass_weights(const CountTable& table, std::span<const int> superclass) {
  std::vector<double> weights(static_cast<std::size_t>(table.n_values()), 0.0);
  for (int i = 0; i < table.n_values(); ++i) {
    const auto row = table.row(i);
    for (int l : superclass) weights[at(i)] += row[at(l)];
  }
  return weights;
}

std::vector<double> proportions(const CountTable& table, std::span<const double> weights) {
  std::vector<double> result(weights.begin(), weights.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] /= table.row_totals()[i];
  return result;
}

void superclass_proportions(const CountTable& table, std::span<const int> superclass,
                       std::vector<double>& result) {
  result.assign(static_cast<std::size_t>(table.n_values()), 0.0);
  for (int i = 0; i < table.n_values(); ++i) {
    const auto row = table.row(i);
    double weight = 0.0;
    for (int l : superclass) weight += row[at(l)];
    result[at(i)] = weight / table.row_total(i);
  }
}

Sides sides_of_prefix(const Order& order, std::size_t length) {
  Sides sides(order.size(), 1);
  for (std::size_t t = 0; t < length; ++t) sides[at(order[t])] = 0;
  return sides;
}

bool scan_prefixes(const Order& order, Scorer& scorer, Stop& stop, Grouping& best) {
  scorer.assign_all(1);
  double best_score = best.score;
  std::size_t best_length = 0;
  for (std::size_t t = 0; t + 1 < order.size(); ++t) {
    scorer.move(order[t]);
    const double score = scorer.score_above(best_score);
    if (score > best_score) {
      best_score = score;
      best_length = t + 1;
    }
    if (stop.requested(10)) {
      best.complete = false;
      break;
    }
  }
  if (best_length == 0) return false;
  best.score = best_score;
  best.sides = sides_of_prefix(order, best_length);
  return true;
}

bool scan_blocks(const std::vector<std::vector<int>>& blocks, Scorer& scorer, Stop& stop,
                 bool exchange, Grouping& best) {
  scorer.assign_all(1);
  const auto move_block = [&](std::size_t b) {
    for (int value : blocks[b]) scorer.move(value);
  };
  double best_score = best.score;
  std::size_t best_cut = 0;
  bool best_exchanged = false;
  const auto consider = [&](std::size_t cut, bool exchanged) {
    const double score = scorer.score_above(best_score);
    if (score > best_score) {
      best_score = score;
      best_cut = cut;
      best_exchanged = exchanged;
    }
  };
  // Invariant: blocks 0..t are on the left.
  move_block(0);
  for (std::size_t t = 0; t + 1 < blocks.size(); ++t) {
    consider(t + 1, false);
    if (exchange) {
      move_block(t);
      move_block(t + 1);
      consider(t + 1, true);
      move_block(t);
    } else {
      move_block(t + 1);
    }
    if (stop.requested(10)) {
      best.complete = false;
      break;
    }
  }
  if (best_cut == 0) return false;
  best.score = best_score;
  best.sides.assign(static_cast<std::size_t>(scorer.n_values()), 1);
  for (std::size_t t = 0; t < best_cut; ++t) {
    const std::size_t b = best_exchanged && t + 1 == best_cut ? best_cut : t;
    for (int value : blocks[b]) best.sides[at(value)] = 0;
  }
  return true;
}

std::pair<double, int> scan_two_classes(const Order& order, std::span<const double> in_class,
                                        std::span<const double> total, ImpurityKind kind) {
  const double all = std::accumulate(total.begin(), total.end(), 0.0);
  const double all_in = std::accumulate(in_class.begin(), in_class.end(), 0.0);
  double left = 0.0, left_in = 0.0;
  std::pair<double, int> best{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t t = 0; t + 1 < order.size(); ++t) {
    const auto item = static_cast<std::size_t>(order[t]);
    left += total[item];
    left_in += in_class[item];
    const double right = std::max(0.0, all - left), right_in = std::max(0.0, all_in - left_in);
    const double l[2] = {left_in, std::max(0.0, left - left_in)};
    const double r[2] = {right_in, std::max(0.0, right - right_in)};
    const double children =
        (left * impurity(kind, l, left) + right * impurity(kind, r, right)) / all;
    if (children < best.first) best = {children, static_cast<int>(t) + 1};
  }
  return best;
}

void offer_prefix(const Order& order, int length, Scorer& scorer, Grouping& best) {
  const Sides sides = sides_of_prefix(order, static_cast<std::size_t>(length));
  scorer.assign(sides);
  best.offer(scorer.score(), sides);
}

}  // namespace mixedwood::partitioners
