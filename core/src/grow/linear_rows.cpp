#include "linear_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mixedwood/column_scale.hpp"

namespace mixedwood {
namespace {

// A column that varies by less than this, relative to its size, is constant but for rounding.
constexpr double kConstant = 1e-12;

}  // namespace

void LinearRows::read(const std::vector<EncodedColumn>& columns,
                      std::span<const std::int32_t> which, const NodeRows& node, bool nominal,
                      std::size_t max_weights) {
  numbers_read_.clear();
  nominal_read_.clear();
  scaled_.clear();
  std::vector<std::int32_t> order(which.begin(), which.end());
  std::sort(order.begin(), order.end());
  std::vector<Nominal> found;
  for (const std::int32_t c : order) {
    const EncodedColumn& column = columns[at(c)];
    if (column.ordered()) {
      read_number(column, c, node);
    } else if (nominal) {
      Nominal read;
      if (read_nominal(column, c, node, read)) found.push_back(std::move(read));
    }
  }
  n_weights_ = numbers_read_.size() + 1;
  std::stable_sort(found.begin(), found.end(), [](const Nominal& a, const Nominal& b) {
    return a.codes.size() < b.codes.size();
  });
  for (Nominal& read : found) {
    if (n_weights_ + read.codes.size() > max_weights) break;
    read.first = n_weights_;
    n_weights_ += read.codes.size();
    nominal_read_.push_back(std::move(read));
  }

  const std::size_t n = node.size(), m = numbers_read_.size(), q = nominal_read_.size();
  numbers_.resize(n * (m + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) numbers_[i * (m + 1) + j] = scaled_[j][i];
    numbers_[i * (m + 1) + m] = 1.0;
  }
  places_.resize(n * q);
  std::vector<std::int32_t> place_of;
  for (std::size_t k = 0; k < q; ++k) {
    const Nominal& read = nominal_read_[k];
    const EncodedColumn& column = columns[at(read.column)];
    place_of.assign(static_cast<std::size_t>(column.n_values()) + 1, 0);
    for (std::size_t v = 0; v < read.codes.size(); ++v)
      place_of[at(read.codes[v] + 1)] =
          static_cast<std::int32_t>(read.first + v);
    for (std::size_t i = 0; i < n; ++i)
      places_[i * q + k] = place_of[at(column.codes()[node.rows[i]] + 1)];
  }
}

bool LinearRows::read_number(const EncodedColumn& column, std::int32_t c, const NodeRows& node) {
  std::vector<double>& x = scaled_.emplace_back(node.size());
  bool finite = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int32_t code = column.codes()[node.rows[i]];
    x[i] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : column.number(code);
    finite &= !std::isinf(x[i]);
  }
  const ColumnScale scale = finite ? measure_column(x, node.weights) : ColumnScale{};
  const double deviation = scale.spread * scale.size;
  // A weight of the hyperplane is divided by the deviation, and multiplied by numbers of this size.
  const bool usable = finite && std::isfinite(deviation) && scale.spread > kConstant &&
                      std::isfinite(1e6 / deviation);
  if (!usable) {
    scaled_.pop_back();
    return false;
  }
  scale_column(x, scale, x.data(), 1);
  numbers_read_.push_back({c, scale.mean * scale.size, deviation, scale});
  return true;
}

bool LinearRows::read_nominal(const EncodedColumn& column, std::int32_t c, const NodeRows& node,
                              Nominal& found) const {
  std::vector<double> weights(static_cast<std::size_t>(column.n_values()) + 1, 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < node.size(); ++i) {
    weights[at(column.codes()[node.rows[i]] + 1)] += node.weight(i);
    total += node.weight(i);
  }
  found.column = c;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    if (!(weights[v] > 0.0)) continue;
    found.codes.push_back(static_cast<std::int32_t>(v) - 1);
    found.fractions.push_back(weights[v] / total);
  }
  return found.codes.size() > 1;
}

MixedRows LinearRows::some(std::span<const std::int32_t> positions) {
  const std::size_t m = numbers_read_.size() + 1, q = nominal_read_.size();
  some_numbers_.resize(positions.size() * m);
  some_places_.resize(positions.size() * q);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto from = static_cast<std::size_t>(positions[i]);
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(from * m), m,
                some_numbers_.begin() + static_cast<std::ptrdiff_t>(i * m));
    std::copy_n(places_.begin() + static_cast<std::ptrdiff_t>(from * q), q,
                some_places_.begin() + static_cast<std::ptrdiff_t>(i * q));
  }
  return view(some_numbers_, some_places_);
}

NodeColumns LinearRows::node_columns(const NodeRows& node) const {
  NodeColumns found;
  found.rows = node.rows;
  const auto add = [&](std::int32_t column, std::int32_t value, const ColumnScale& scale,
                       double fill) {
    found.column.push_back(column);
    found.value.push_back(value);
    found.size.push_back(scale.size);
    found.mean.push_back(scale.mean);
    found.spread.push_back(scale.spread);
    found.fill.push_back(fill);
  };
  for (const Number& read : numbers_read_) add(read.column, NodeColumns::kNumber, read.scale, 0.0);
  for (const Nominal& read : nominal_read_) {
    const bool has_missing = read.codes[0] < 0;
    for (std::size_t v = 0; v < read.codes.size(); ++v)
      add(read.column, read.codes[v], {1.0, 0.0, 1.0},
          has_missing ? (v == 0 ? 1.0 : 0.0) : read.fractions[v]);
  }
  return found;
}

void LinearRows::terms_of(std::span<const double> hyperplane, std::vector<LinearTerm>& terms,
                          double& intercept) const {
  struct Sized {
    LinearTerm term;
    double size;  // what the term typically contributes
  };
  std::vector<Sized> sized;
  intercept = hyperplane[numbers_read_.size()];
  for (std::size_t j = 0; j < numbers_read_.size(); ++j) {
    const Number& read = numbers_read_[j];
    const double weight = hyperplane[j] / read.deviation;
    if (weight == 0.0) continue;
    sized.push_back({{read.column, -1, weight, read.mean}, std::abs(hyperplane[j])});
    intercept -= weight * read.mean;
  }
  for (const Nominal& read : nominal_read_) {
    // A value that no row of the node had adds nothing, and neither does a missing one. What rows
    // without a value were given here, or else the average, therefore goes to the constant; but
    // weights that are 0 because the model wants few stay 0.
    const auto weights = hyperplane.subspan(read.first, read.codes.size());
    const bool has_missing = read.codes[0] < 0;
    const bool sparse = std::find(weights.begin(), weights.end(), 0.0) != weights.end();
    double nothing = has_missing ? weights[0] : 0.0;
    if (!has_missing && !sparse)
      for (std::size_t v = 0; v < weights.size(); ++v) nothing += read.fractions[v] * weights[v];
    intercept += nothing;
    for (std::size_t v = has_missing; v < read.codes.size(); ++v) {
      const double weight = weights[v] - nothing;
      const double fraction = read.fractions[v];
      if (weight != 0.0)
        sized.push_back({{read.column, read.codes[v], weight, std::numeric_limits<double>::quiet_NaN()},
                         std::abs(weight) * std::sqrt(fraction * (1.0 - fraction))});
    }
  }
  std::stable_sort(sized.begin(), sized.end(),
                   [](const Sized& a, const Sized& b) { return a.size > b.size; });
  terms.clear();
  for (const Sized& s : sized) terms.push_back(s.term);
}

}  // namespace mixedwood
