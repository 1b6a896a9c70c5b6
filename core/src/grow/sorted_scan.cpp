#include "sorted_scan.hpp"

#include <algorithm>

#include "block_counts.hpp"
#include "cut_bound.hpp"
#include "running_impurity.hpp"

namespace mixedwood {
namespace {

// Rows of a step inside a block.
constexpr std::size_t kStep = 16;
// Classes of a block up to which all corners are looked at: 16 purities are no more than a step has.
constexpr std::size_t kMostMoving = 4;

}  // namespace

Cut SortedScan::best(const NodeRows& node, const EncodedColumn& column,
                     std::span<const double> counts, ImpurityKind impurity, Stop& stop) {
  Cut best;
  all_.assign(counts.begin(), counts.end());
  if (impurity == ImpurityKind::kGini)
    run<RunningGini>(node, column, best, stop);
  else
    run<RunningEntropy>(node, column, best, stop);
  return best;
}

template <typename Running>
void SortedScan::run(const NodeRows& node, const EncodedColumn& column, Cut& best, Stop& stop) {
  const std::int32_t* codes = column.codes();
  margin_ = kEqual * static_cast<double>(node.size());
  const std::int64_t before = work_;
  // A cut at the end of some block is found soon, and what it reaches spares most of the blocks.
  double reached = best.purity;
  at_end_.clear();
  const auto walk = [&] { return BlockWalk(*node.blocks, node.begin, node.classes, all_.size()); };
  for (BlockWalk block = walk(); !block.at_end();) {
    block.next();
    at_end_.push_back(Running::of(block.counts(), all_));
    if (may_cut(node, codes, block.place())) reached = std::max(reached, at_end_.back());
  }
  const double least = reached - 2.0 * margin_;
  start_.assign(all_.size(), 0.0);
  double at_start = Running::of(start_, all_);
  std::size_t number = 0;
  for (BlockWalk block = walk(); !block.at_end();) {
    const std::size_t from = block.place();
    block.next();
    const double at_end = at_end_[number++];
    if (may_hold_best<Running>(start_, block.counts(), at_start, at_end, least, best))
      look_into<Running>(node, codes, from, block.place(), at_start, least, best);
    start_.assign(block.counts().begin(), block.counts().end());
    at_start = at_end;
  }
  stop.requested((work_ - before) * static_cast<std::int64_t>(all_.size()));
}

// Of cuts within a margin of each other the first one wins, so that one before `best` counts more.
template <typename Running>
bool SortedScan::may_hold_best(std::span<const double> start, std::span<const double> end,
                               double at_start, double at_end, double least, const Cut& best) {
  ++work_;
  const double bound =
      bound_between<Running>(start, end, at_start, at_end, all_, kMostMoving, corner_);
  return bound > best.purity + margin_ && bound > least;
}

// Cuts behind the rows from one place up to another, where `start_` is counted: in small steps
// first, whose bounds are tighter than that of the block.
template <typename Running>
void SortedScan::look_into(const NodeRows& node, const std::int32_t* codes, std::size_t from,
                           std::size_t to, double at_start, double least, Cut& best) {
  step_start_ = step_end_ = start_;
  for (std::size_t step = from; step < to; step += kStep) {
    const std::size_t step_to = std::min(step + kStep, to);
    for (std::size_t place = step; place < step_to; ++place)
      step_end_[at(node.classes[place])] += 1.0;
    const double at_end = Running::of(step_end_, all_);
    if (may_hold_best<Running>(step_start_, step_end_, at_start, at_end, least, best)) {
      for (std::size_t place = step + 1; place <= step_to; ++place) {
        step_start_[at(node.classes[place - 1])] += 1.0;
        if (may_cut(node, codes, place)) offer<Running>(node, codes, place, best);
      }
    }
    step_start_ = step_end_;
    at_start = at_end;
  }
}

// The cut at a place, left of which `step_start_` is counted.
template <typename Running>
void SortedScan::offer(const NodeRows& node, const std::int32_t* codes, std::size_t place,
                       Cut& best) {
  ++work_;
  const double value = Running::of(step_start_, all_);
  if (!(value > best.purity + margin_)) return;
  best.purity = value;
  best.last_left = codes[node.rows[place - 1]];
  best.first_right = codes[node.rows[place]];
  best_left_ = step_start_;
}

// Both sides are large enough, and no value is on both.
bool SortedScan::may_cut(const NodeRows& node, const std::int32_t* codes,
                         std::size_t place) const {
  if (place == 0 || place >= node.size()) return false;
  const auto rows_left = static_cast<double>(place);
  return rows_left >= min_leaf_ && static_cast<double>(node.size()) - rows_left >= min_leaf_ &&
         codes[node.rows[place - 1]] != codes[node.rows[place]];
}

}  // namespace mixedwood
