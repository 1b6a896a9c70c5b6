#include "distance_cut.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mixedwood {
namespace {

constexpr std::size_t kMostCuts = 1024;  // that are looked at; groups of rows beyond

}  // namespace

Cut DistanceCut::find(std::span<const double> distances, std::span<const std::int32_t> positions,
                      const NodeRows& node, const PresentClasses& present, Intercept intercept,
                      ThresholdScan& scan, double& where) {
  const bool best = intercept == Intercept::kBest;
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (!std::isnan(distances[i])) order.push_back(static_cast<std::int32_t>(i));
  const auto distance = [&](std::size_t i) { return distances[at(order[i])]; };
  std::size_t per_group = order.size();
  if (best) {
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const double x = distances[at(a)];
      const double y = distances[at(b)];
      return x != y ? x < y : a < b;
    });
    per_group = (order.size() + kMostCuts - 1) / kMostCuts;
  } else {
    std::stable_partition(order.begin(), order.end(), [&](std::int32_t i) {
      return !(distances[at(i)] > 0.0);
    });
  }
  // Groups of rows: next to each other in the order, or on one side.
  table_.start(present.classes.size(), std::min(order.size(), kMostCuts) + 2);
  table_.unit_rows = node.weights.empty();
  std::vector<std::size_t> ends;  // of the groups, as places in the order
  std::size_t group = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t in_group = i - (ends.empty() ? 0 : ends.back());
    const bool fresh = i == 0 || (best ? in_group >= per_group && distance(i) > distance(i - 1)
                                       : (distance(i) > 0.0) != (distance(i - 1) > 0.0));
    if (fresh) {
      if (i > 0) ends.push_back(i);
      group = table_.add(static_cast<std::int32_t>(ends.size()));
    }
    const auto position = static_cast<std::size_t>(
        positions[at(order[i])]);
    const auto cls = static_cast<std::size_t>(
        present.position[at(node.classes[position])]);
    const double w = node.weight(position);
    table_.entry_at(group)[cls] += w;
    table_.totals[group] += w;
    table_.rows[group] += node.fractional ? w : 1.0;
  }
  table_.finish();
  if (table_.size() < 2) return {};
  const Cut found = scan.best(table_, {}, false, stop_);
  if (!found.found()) return found;
  where = 0.0;
  if (best) {
    const std::size_t end = ends[at(found.last_left)];
    where = distance(end - 1) + (distance(end) - distance(end - 1)) / 2.0;
    if (!(where < distance(end))) where = distance(end - 1);  // halfway between neighbours is no number
  }
  return found;
}

}  // namespace mixedwood
