#include "node_split.hpp"

#include <algorithm>
#include <numeric>

#include "mixedwood/random.hpp"

namespace mixedwood {

NodeSplit make_node_split(const BinnedSchema::Column& column, GradientSplit& found,
                          std::int64_t left_rows, std::int64_t right_rows, HandleUnknown unknown) {
  NodeSplit split;
  auto& places = split.place_of_bin;
  places.assign(at(column.n_bins), kUnmet);
  if (column.ordered) {
    // Between the bins that have rows.
    split.last = found.last_left + (found.first_right - found.last_left - 1) / 2;
    const auto end = places.begin() + split.last + 1;
    std::fill(places.begin() + 1, end, std::uint8_t{0});
    std::fill(end, places.end(), std::uint8_t{1});
    if (found.missing_known) places[0] = static_cast<std::uint8_t>(!found.missing_left);
  } else {
    for (std::size_t b = 0; b < found.bins.size(); ++b)
      places[at(found.bins[b])] = b >= found.n_left;
    std::sort(found.bins.begin(), found.bins.end());
    for (const std::int32_t bin : found.bins) {
      if (bin == 0) continue;
      split.values.push_back(bin - 1);
      split.value_children.push_back(places[at(bin)]);
    }
  }
  const std::uint8_t heavier = right_rows > left_rows;
  if (places[0] == kUnmet) places[0] = heavier;
  split.missing = places[0];
  switch (unknown) {
    case HandleUnknown::kStopAtNode: split.unknown = kStop; break;
    case HandleUnknown::kWithMissing: split.unknown = split.missing; break;
    case HandleUnknown::kMajority: split.unknown = heavier; break;
  }
  return split;
}

std::pair<StepBounds, StepBounds> child_bounds(const StepBounds& node, std::int8_t sign, double left,
                                               double right) {
  std::pair<StepBounds, StepBounds> bounds{node, node};
  if (sign == 0) return bounds;
  const double middle = std::midpoint(left, right);
  (sign > 0 ? bounds.first : bounds.second).upper = middle;
  (sign > 0 ? bounds.second : bounds.first).lower = middle;
  return bounds;
}

void search_columns(const BinnedSchema& table, const GradientSettings& settings,
                    const SumLayout& layout, std::vector<std::int32_t> columns,
                    const SplitSearch::Node& node, std::uint64_t seed, SplitSearch& search,
                    GradientSplit& best, const std::function<bool(std::int32_t)>& stops) {
  std::optional<std::int32_t> most = settings.max_features;
  if (settings.half_of_others) {
    const auto others = std::stable_partition(
        columns.begin(), columns.end(),
        [&](std::int32_t c) { return layout.in_parts(static_cast<std::size_t>(c)); });
    std::vector<std::int32_t> drawn(others, columns.end());
    Random(mix(seed, 0)).shuffle(drawn);
    std::copy(drawn.begin(), drawn.end(), others);
    const std::size_t n = drawn.size();
    most = static_cast<std::int32_t>(columns.size() - n + std::min(n, std::max<std::size_t>(1, n / 2)));
  } else if (most) {
    Random(mix(seed, 0)).shuffle(columns);
  }
  std::int32_t tried = 0;
  for (const std::int32_t column : columns) {
    // More are looked at when none of those drawn can be split.
    if (most && tried++ >= *most && best.found()) break;
    search.improve(column, node, mix(seed, 1), best);
    if (stops(table.columns()[at(column)].n_bins)) break;
  }
}

void lay_out(GrownTree& tree, std::span<const NodeLists> lists, std::size_t n_classes) {
  const std::size_t n = tree.split_kind.size(), k = n_classes;
  for (std::size_t node = n; node-- > 0;)
    for (const std::int32_t child : lists[node].children)
      for (std::size_t l = 0; l < k; ++l)
        tree.statistics[node * k + l] += tree.statistics[at(child) * k + l];
  for (std::size_t node = 0; node < n; ++node) {
    const double* const counts = tree.statistics.data() + node * k;
    tree.weighted_n_node_samples.push_back(std::accumulate(counts, counts + k, 0.0));
    tree.label.push_back(static_cast<std::int32_t>(std::max_element(counts, counts + k) - counts));
    tree.end_lists(lists[node].children, lists[node].values, lists[node].value_children);
  }
}

}  // namespace mixedwood
