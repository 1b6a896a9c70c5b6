// What is added up of rows with numbers, and what a leaf costs.
//
// Weights, and weights times numbers, are whole and add up to less than 2^53, so that doubles add
// them without error, in any order. The cost of a leaf, its weighted sum of squared deviations, is
// the sum of its rows' squares less (sum of w y)^2 / (sum of w), its gain. Squares are rounded up and
// gains down to whole ticks. How far costs of trees are then from the true ones is bounded: see
// `rounding`.
#pragma once

#include <cstdint>
#include <span>

#include "../frame/budget.hpp"

namespace mixedwood::optimal::squared_error {

inline double gain_of(double weight, double sum) {
  return sum * sum / (weight > 1.0 ? weight : 1.0);  // no rows: 0
}

struct Sums {
  double weight = 0, sum = 0, rows = 0;
  Cost squares = 0, within = 0;  // in ticks; the second: what no tree can avoid

  double gain() const { return gain_of(weight, sum); }
  void add(const Sums& other) {
    weight += other.weight;
    sum += other.sum;
    rows += other.rows;
    squares += other.squares;
    within += other.within;
  }
  bool operator==(const Sums&) const = default;
};

inline Cost to_ticks(double gain, double ticks) { return static_cast<Cost>(gain * ticks); }

// Bad input: std::invalid_argument.
void check(const NumberSamples& samples, std::size_t n_rows, const Objective& objective);

// Of each row; rows of weight 0 have none.
std::vector<Sums> sums_of_rows(const NumberSamples& samples);

// A tree costs no less with more rows, but for this. A gain is rounded three times, so that gains of
// all leaves are off by less than 2^56 * 3 / 2^53 = 24 ticks and one for each leaf, and the squares by
// less than 64 and one for each row.
inline Cost rounding(std::size_t n_rows) { return 2 * static_cast<Cost>(n_rows) + 128; }

// Least cost of dividing rows into at most so many leaves by their means alone, whatever the columns:
// the best division of the line (Fisher 1958). `rows` are ascending by mean.
Cost division_bound(std::span<const Sums> rows, std::int64_t max_leaves, Cost leaf_penalty,
                    double ticks, std::size_t n_rounded);

}  // namespace mixedwood::optimal::squared_error
