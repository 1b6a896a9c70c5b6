#include "bucketed_scan.hpp"

#include <algorithm>
#include <cmath>

#include "cut_bound.hpp"
#include "running_impurity.hpp"

namespace mixedwood {

Cut BucketedScan::best(const NodeRows& node, const EncodedColumn& column, const std::uint32_t* cells,
                    std::span<const double> counts, double to_beat, Stop& stop) {
  Cut best;
  n_classes_ = counts.size();
  n_rows_ = static_cast<double>(node.size());
  all_.assign(counts.begin(), counts.end());
  missing_.assign(cells, cells + n_classes_);
  double missing_rows = 0.0;
  for (double c : missing_) missing_rows += c;
  // Class counts left of each bucket, rows without a value not counted.
  const std::size_t n_buckets = column.n_buckets();
  before_.assign((n_buckets + 1) * n_classes_, 0.0);
  for (std::size_t i = 0; i < n_buckets * n_classes_; ++i)
    before_[i + n_classes_] = before_[i] + cells[i + n_classes_];
  const bool gini = criterion_.traits().impurity == ImpurityKind::kGini;
  for (const bool missing_left : {false, true}) {
    if (missing_left && missing_rows == 0.0) break;
    if (gini)
      run<RunningGini>(node, column, missing_left, to_beat, best, stop);
    else
      run<RunningEntropy>(node, column, missing_left, to_beat, best, stop);
  }
  if (!best.found()) return best;
  const std::vector<double> right = [&] {
    std::vector<double> r = all_;
    for (std::size_t l = 0; l < n_classes_; ++l) r[l] -= best_left_[l];
    return r;
  }();
  std::vector<double> groups = best_left_;
  groups.insert(groups.end(), right.begin(), right.end());
  std::array<double, 2> weights = {0.0, 0.0};
  for (std::size_t l = 0; l < n_classes_; ++l) {
    weights[0] += best_left_[l];
    weights[1] += right[l];
  }
  best.score = criterion_.score({groups, weights, static_cast<int>(n_classes_)},
                                criterion_.before(all_));
  // The next larger number at the node, for the threshold.
  std::int32_t next = column.n_values();
  for (const std::int32_t row : node.rows) {
    const std::int32_t code = column.codes()[row];
    if (code > best.last_left) next = std::min(next, code);
  }
  best.first_right = next == column.n_values() ? -1 : next;
  return best;
}

template <typename Running>
void BucketedScan::run(const NodeRows& node, const EncodedColumn& column, bool missing_left,
                    double to_beat, Cut& best, Stop& stop) {
  const std::vector<double> nothing(n_classes_, 0.0);
  if (missing_left)  // they are on the left of every cut of this pass
    for (std::size_t i = 0; i < before_.size(); ++i) before_[i] += missing_[i % n_classes_];
  // A score is the rise of the purity over that of the undivided node, per row.
  const double undivided = Running::of(nothing, all_);
  const double least = std::max(undivided + to_beat * n_rows_, best.purity);
  find_promising<Running>(least - 1e-9 * std::max(1.0, std::abs(least)));
  if (promising_.empty()) return;
  count_promising(node, column);
  for (const std::size_t bucket : promising_) {
    look_into<Running>(column, bucket, missing_left, best);
    if (stop.requested(static_cast<std::int64_t>(n_classes_) << column.bucket_bits())) return;
  }
}

template <typename Running>
void BucketedScan::find_promising(double least) {
  const std::size_t n_buckets = before_.size() / n_classes_ - 1;
  const auto counts_before = [&](std::size_t bucket) {
    return std::span<const double>(before_).subspan(bucket * n_classes_, n_classes_);
  };
  promising_.clear();
  slot_.assign(n_buckets, -1);
  double at_start = Running::of(counts_before(0), all_);
  for (std::size_t bucket = 0; bucket < n_buckets; ++bucket) {
    const auto start = counts_before(bucket), end = counts_before(bucket + 1);
    if (std::equal(start.begin(), start.end(), end.begin())) continue;
    const double at_end = Running::of(end, all_);
    const std::size_t most_corners = n_classes_ == 2 ? 2 : 0;
    const double bound =
        bound_between<Running>(start, end, at_start, at_end, all_, most_corners, corner_);
    if (bound >= least) {
      slot_[bucket] = static_cast<std::int32_t>(promising_.size());
      promising_.push_back(bucket);
    }
    at_start = at_end;
  }
}

void BucketedScan::count_promising(const NodeRows& node, const EncodedColumn& column) {
  const int bits = column.bucket_bits();
  fine_.assign((promising_.size() << bits) * n_classes_, 0);
  const std::int32_t mask = (1 << bits) - 1;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::int32_t code = column.codes()[node.rows[i]];
    if (code < 0) continue;
    const std::int32_t slot = slot_[at(code >> bits)];
    if (slot < 0) continue;
    const auto value =
        (static_cast<std::size_t>(slot) << bits) + static_cast<std::size_t>(code & mask);
    ++fine_[value * n_classes_ + static_cast<std::size_t>(node.classes[i])];
  }
}

template <typename Running>
void BucketedScan::look_into(const EncodedColumn& column, std::size_t bucket, bool missing_left,
                          Cut& best) {
  const int bits = column.bucket_bits();
  const auto first = before_.begin() + static_cast<std::ptrdiff_t>(bucket * n_classes_);
  left_.assign(first, first + static_cast<std::ptrdiff_t>(n_classes_));
  right_ = all_;
  double rows_left = 0.0;
  for (std::size_t l = 0; l < n_classes_; ++l) {
    right_[l] -= left_[l];
    rows_left += left_[l];
  }
  Running running;
  running.start(left_, right_);
  entry_.resize(n_classes_);
  const std::uint32_t* cell =
      fine_.data() + (static_cast<std::size_t>(slot_[bucket]) << bits) * n_classes_;
  for (std::size_t v = 0; v < std::size_t{1} << bits; ++v, cell += n_classes_) {
    double total = 0.0;
    for (std::size_t l = 0; l < n_classes_; ++l) total += entry_[l] = cell[l];
    if (total == 0.0) continue;
    running.move(entry_.data(), total);
    rows_left += total;
    if (rows_left < min_leaf_) continue;
    if (rows_left >= n_rows_ || n_rows_ - rows_left < min_leaf_) break;
    const double value = running.value();
    if (value > best.purity + kEqual * n_rows_) {
      best.purity = value;
      best.last_left = static_cast<std::int32_t>((bucket << bits) + v);
      best.missing_left = missing_left;
      best_left_ = left_;
    }
  }
}

}  // namespace mixedwood
