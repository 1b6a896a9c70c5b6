// One column at one node: class weights of each value present, and of the rows without a value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mixedwood {

struct ColumnCounts {
  std::size_t n_classes = 0;          // classes present at the node; others have no entry
  std::vector<std::int32_t> values;   // codes, ascending
  std::vector<double> entries;        // value x class
  std::vector<double> totals;         // weight of each value
  std::vector<double> rows;           // number of rows of each value; the weight, when fractional
  std::vector<double> known;          // class weights of rows with a value
  std::vector<double> missing;        // class weights of rows without a value
  double missing_total = 0.0, missing_rows = 0.0;
  double known_total = 0.0, known_rows = 0.0;
  bool unit_rows = true;              // every row weighs 1, so that differences of sums are exact

  std::size_t size() const { return values.size(); }
  std::span<const double> entry(std::size_t i) const {
    return {entries.data() + i * n_classes, n_classes};
  }

  // Makes space for this number of values; `finish` drops what was not filled. All numbers are zero.
  void start(std::size_t classes, std::size_t most_values) {
    n_classes = classes;
    filled_ = 0;
    unit_rows = true;
    values.resize(most_values);
    entries.assign(most_values * classes, 0.0);
    totals.assign(most_values, 0.0);
    rows.assign(most_values, 0.0);
    known.assign(classes, 0.0);
    missing.assign(classes, 0.0);
    missing_total = missing_rows = known_total = known_rows = 0.0;
  }
  // The next value; returns its place.
  std::size_t add(std::int32_t value) {
    values[filled_] = value;
    return filled_++;
  }
  double* entry_at(std::size_t i) { return entries.data() + i * n_classes; }
  void finish() {
    values.resize(filled_);
    entries.resize(filled_ * n_classes);
    totals.resize(filled_);
    rows.resize(filled_);
    for (std::size_t i = 0; i < filled_; ++i) {
      known_total += totals[i];
      known_rows += rows[i];
    }
    for (std::size_t i = 0; i < filled_; ++i)
      for (std::size_t l = 0; l < n_classes; ++l) known[l] += entries[i * n_classes + l];
  }
  // Rows without a value become one more value, with the code -1.
  void count_missing_as_value() {
    values.push_back(-1);
    entries.insert(entries.end(), missing.begin(), missing.end());
    totals.push_back(missing_total);
    rows.push_back(missing_rows);
    known_total += missing_total;
    known_rows += missing_rows;
    for (std::size_t l = 0; l < n_classes; ++l) known[l] += missing[l];
    missing.assign(n_classes, 0.0);
    missing_total = missing_rows = 0.0;
  }

 private:
  std::size_t filled_ = 0;
};

}  // namespace mixedwood
