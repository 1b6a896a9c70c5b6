#include "mixedwood/count_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace mixedwood {

CountTable::CountTable(std::vector<double> entries, int n_values, int n_classes)
    : owned_(std::move(entries)), entries_(owned_), n_values_(n_values), n_classes_(n_classes) {
  add_up();
}

CountTable::CountTable(std::span<const double> entries, int n_values, int n_classes)
    : entries_(entries), n_values_(n_values), n_classes_(n_classes) {
  add_up();
}

void CountTable::add_up() {
  row_totals_.assign(static_cast<std::size_t>(n_values_), 0.0);
  class_totals_.assign(static_cast<std::size_t>(n_classes_), 0.0);
  for (int i = 0; i < n_values_; ++i) {
    const auto entries = row(i);
    double sum = 0.0;
    for (std::size_t l = 0; l < entries.size(); ++l) {
      sum += entries[l];
      class_totals_[l] += entries[l];
    }
    row_totals_[at(i)] = sum;
  }
  total_ = std::accumulate(row_totals_.begin(), row_totals_.end(), 0.0);
}

namespace {

// Weights whose largest entry has an exponent within this range need no rescaling: their squares
// and the sums of many of them stay far from overflow and underflow.
constexpr int kSafeExponent = 300;

std::string where(std::size_t row, std::size_t column) {
  return "counts[" + std::to_string(row) + ", " + std::to_string(column) + "]";
}

struct Occupied {
  std::vector<int> rows, columns;
  double largest = 0.0;
};

// One pass over the table: rejects bad entries, finds what is not empty.
Occupied check_and_find(std::span<const double> counts, std::size_t n_rows,
                        std::size_t n_columns) {
  Occupied found;
  std::vector<char> column_used(n_columns, 0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    bool row_used = false;
    for (std::size_t l = 0; l < n_columns; ++l) {
      const double c = counts[i * n_columns + l];
      if (!(c >= 0.0)) {
        throw std::invalid_argument(
            where(i, l) + (std::isnan(c) ? " is NaN" : " is negative") +
            "; counts and weights must be finite and zero or more. "
            "Leave out the rows of the data that caused it, or give them weight 0.");
      }
      if (c > std::numeric_limits<double>::max()) {
        throw std::invalid_argument(where(i, l) + " is infinite; counts and weights must be "
                                                  "finite and zero or more.");
      }
      if (c > 0.0) {
        row_used = true;
        column_used[l] = 1;
        found.largest = std::max(found.largest, c);
      }
    }
    if (row_used) found.rows.push_back(static_cast<int>(i));
  }
  for (std::size_t l = 0; l < n_columns; ++l)
    if (column_used[l]) found.columns.push_back(static_cast<int>(l));
  return found;
}

}  // namespace

DenseCountTable keep_present(std::span<const double> counts, std::size_t n_rows,
                          std::size_t n_columns, bool may_rescale) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (n_rows > kMost || n_columns > kMost)
    throw std::invalid_argument("a table of counts may have at most 2147483647 rows and columns");
  Occupied found = check_and_find(counts, n_rows, n_columns);
  const int exponent = found.largest > 0.0 ? std::ilogb(found.largest) : 0;
  const bool rescale = may_rescale && std::abs(exponent) > kSafeExponent;
  if (!rescale && found.rows.size() == n_rows && found.columns.size() == n_columns) {
    return {CountTable(counts, static_cast<int>(n_rows), static_cast<int>(n_columns)),
            std::move(found.rows), std::move(found.columns), {}, 0};
  }
  const auto entry = [&](int i, int l) {
    const double c = counts[at(i) * n_columns + static_cast<std::size_t>(l)];
    return rescale ? std::ldexp(c, -exponent) : c;
  };
  // Rescaling may make rows and columns vanish beside the rest; a column's proportions would be 0/0.
  std::vector<int> classes, values, weightless;
  for (int l : found.columns) {
    const bool felt = std::any_of(found.rows.begin(), found.rows.end(),
                                  [&](int i) { return entry(i, l) > 0.0; });
    if (felt) classes.push_back(l);
  }
  std::vector<double> entries;
  entries.reserve(found.rows.size() * classes.size());
  for (int i : found.rows) {
    const bool felt = std::any_of(classes.begin(), classes.end(),
                                  [&](int l) { return entry(i, l) > 0.0; });
    (felt ? values : weightless).push_back(i);
    if (!felt) continue;
    for (int l : classes) entries.push_back(entry(i, l));
  }
  const auto n_values = static_cast<int>(values.size());
  const auto n_classes = static_cast<int>(classes.size());
  return {CountTable(std::move(entries), n_values, n_classes), std::move(values),
          std::move(classes), std::move(weightless), rescale ? exponent : 0};
}

}  // namespace mixedwood
