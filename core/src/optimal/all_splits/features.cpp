#include "features.hpp"

#include <stdexcept>

#include "../frame/problem.hpp"

namespace mixedwood::optimal::all_splits {

FeatureTable::FeatureTable(const EncodedTable& table, const Samples& samples)
    : n_classes(samples.n_classes) {
  for (std::size_t row = 0; row < table.n_rows; ++row) {
    const std::int64_t w = samples.weights.empty() ? 1 : samples.weights[row];
    if (w == 0) continue;
    rows.push_back(static_cast<std::int32_t>(row));
    classes.push_back(samples.classes[row]);
    weights.push_back(w);
    total_weight += w;
  }
  if (rows.empty()) throw std::invalid_argument("there is no row with weight");
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    add_column(table.columns[i], static_cast<std::int32_t>(i));
  std::vector<std::span<const std::int32_t>> ranks;
  for (const Feature& feature : list) ranks.emplace_back(feature.rank);
  unavoidable = unavoidable_errors(ranks, {classes, weights, n_classes});
}

// Ranks are of the rows that are kept: values that no row has give no splits.
void FeatureTable::add_column(const EncodedColumn& column, std::int32_t index) {
  const auto n_values = to_size(column.n_values());
  bool missing = false;
  std::vector<std::uint8_t> seen(n_values, 0);
  std::size_t n_seen = 0;
  for (const std::int32_t row : rows) {
    const std::int32_t code = column.codes()[row];
    if (code < 0)
      missing = true;
    else if (!seen[to_size(code)])
      seen[to_size(code)] = 1, ++n_seen;
  }
  if (n_seen + (missing ? 1 : 0) < 2) return;  // constant
  const auto make = [&](Feature::Missing how) {
    Feature feature;
    feature.column = index;
    feature.nominal = !column.ordered();
    feature.missing = how;
    const std::int32_t first = how == Feature::Missing::kBelow ? 1 : 0;
    feature.n_ranks = static_cast<std::int32_t>(n_values) + (missing ? 1 : 0);
    const auto last = static_cast<std::int32_t>(n_values);
    feature.rank.reserve(rows.size());
    for (const std::int32_t row : rows) {
      const std::int32_t code = column.codes()[row];
      feature.rank.push_back(code >= 0 ? code + first : first == 1 ? 0 : last);
    }
    list.push_back(std::move(feature));
  };
  if (!column.ordered()) return make(missing ? Feature::Missing::kValue : Feature::Missing::kAbsent);
  if (!missing) return make(Feature::Missing::kAbsent);
  make(Feature::Missing::kBelow);
  if (n_seen > 1) make(Feature::Missing::kAbove);
}

}  // namespace mixedwood::optimal::all_splits
