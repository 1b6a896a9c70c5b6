// The most that a purity can be between two cuts of an ordered column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace mixedwood {

// Class counts left of the two cuts, the purities there, and the node's counts. Every row weighs 1.
// Corners of the box of counts between the cuts are looked at where at most `most_moving` classes
// have rows there; `buffer` is a buffer.
template <typename Running>
double bound_between(std::span<const double> start, std::span<const double> end, double at_start,
                     double at_end, std::span<const double> all, std::size_t most_moving,
                     std::vector<double>& buffer) {
  const std::size_t k = all.size();
  std::size_t moving = 0;
  double inside = 0.0, left = 0.0, rows = 0.0;
  for (std::size_t l = 0; l < k; ++l) {
    moving += end[l] > start[l];
    inside += end[l] - start[l];
    left += end[l];
    rows += all[l];
  }
  double bound = std::max(at_start, at_end);
  if (moving < 2) return bound;  // convex along the edge
  if (moving <= most_moving) {
    // Convex: no cut inside beats the corners of the box.
    for (std::size_t corner = 1; corner + 1 < std::size_t{1} << moving; ++corner) {
      buffer.assign(start.begin(), start.end());
      for (std::size_t l = 0, bit = 0; l < k; ++l)
        if (end[l] > start[l] && (corner >> bit++ & 1) != 0) buffer[l] = end[l];
      bound = std::max(bound, Running::of(buffer, all));
    }
    return bound;
  }
  // Every row that changes sides raises the purity by no more than a step, from either end.
  const double forward = Running::step(rows - (left - inside));
  const double backward = Running::step(left);
  const double meet =
      std::clamp((at_end - at_start + backward * inside) / (forward + backward), 0.0, inside);
  return at_start + forward * meet;
}

}  // namespace mixedwood
