#include <algorithm>
#include <limits>
#include <stdexcept>

#include "mixedwood/gradient.hpp"

namespace mixedwood {
namespace {

// Sums of the same weights in another order are equal, to this.
constexpr double kEqual = 1e-10;

// Bins of neighbouring codes that weigh about the same each; a code is never divided.
std::vector<std::int32_t> divide(const EncodedColumn& column, std::size_t n_rows,
                                 std::span<const double> weights, std::int32_t max_bins) {
  const auto n_values = static_cast<std::size_t>(column.n_values());
  std::vector<std::int32_t> last_code;
  if (n_values <= static_cast<std::size_t>(max_bins)) {
    for (std::size_t v = 0; v < n_values; ++v) last_code.push_back(static_cast<std::int32_t>(v));
    return last_code;
  }
  std::vector<double> weight_of(n_values, 0.0);
  double left = 0.0;  // weight that is in no bin yet
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (column.codes()[row] < 0) continue;
    const double weight = weights.empty() ? 1.0 : weights[row];
    weight_of[at(column.codes()[row])] += weight;
    left += weight;
  }
  double in_bin = 0.0, bins_left = max_bins;
  for (std::size_t v = 0; v < n_values; ++v) {
    in_bin += weight_of[v];
    const bool last = v + 1 == n_values;
    if (!last && (bins_left == 1.0 || in_bin * bins_left < left * (1.0 - kEqual))) continue;
    last_code.push_back(static_cast<std::int32_t>(v));
    left -= in_bin;
    in_bin = 0.0;
    if (bins_left > 1.0) --bins_left;
  }
  return last_code;
}

template <typename Bin>
std::vector<Bin> fill(const EncodedTable& coded, const std::vector<BinnedTable::Column>& columns) {
  std::vector<Bin> bins(coded.n_rows * columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<Bin> bin_of(static_cast<std::size_t>(coded.columns[c].n_values()) + 1, 0);
    for (std::size_t code = 0, b = 0; code + 1 < bin_of.size(); ++code) {
      if (!columns[c].ordered) {
        bin_of[code + 1] = static_cast<Bin>(code + 1);
        continue;
      }
      if (static_cast<std::int32_t>(code) > columns[c].last_code[b]) ++b;
      bin_of[code + 1] = static_cast<Bin>(b + 1);
    }
    const std::int32_t* const codes = coded.columns[c].codes();
    for (std::size_t row = 0; row < coded.n_rows; ++row)
      bins[row * columns.size() + c] = bin_of[at(codes[row] + 1)];
  }
  return bins;
}

}  // namespace

void BinnedSchema::add(Column column) {
  column.first = n_bins_;
  n_bins_ += at(column.n_bins);
  columns_.push_back(std::move(column));
}

BinnedTable::BinnedTable(const EncodedTable& table, std::int32_t max_bins,
                         std::span<const double> weights)
    : coded_(table) {
  if (!weights.empty() && weights.size() != table.n_rows)
    throw std::invalid_argument("one weight is needed for each row");
  if (max_bins < 2) throw std::invalid_argument("at least two bins are needed");
  std::int32_t most = 0;
  for (const EncodedColumn& coded : coded_.columns) {
    Column column;
    column.ordered = coded.ordered();
    column.has_missing = coded.has_missing();
    if (column.ordered) column.last_code = divide(coded, coded_.n_rows, weights, max_bins);
    column.n_bins = 1 + (column.ordered ? static_cast<std::int32_t>(column.last_code.size())
                                        : coded.n_values());
    most = std::max(most, column.n_bins);
    add(std::move(column));
  }
  if (most <= std::numeric_limits<std::uint8_t>::max() + 1)
    bins_ = fill<std::uint8_t>(coded_, columns());
  else if (most <= std::numeric_limits<std::uint16_t>::max() + 1)
    bins_ = fill<std::uint16_t>(coded_, columns());
  else
    bins_ = fill<std::uint32_t>(coded_, columns());
}

}  // namespace mixedwood
