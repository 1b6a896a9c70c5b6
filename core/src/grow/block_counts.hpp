// Class counts of any stretch of a list of rows, at the cost of one block of it. For stretches whose
// rows have come to rest: every node below is a stretch of them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mixedwood/index.hpp"

namespace mixedwood {

class BlockCounts {
 public:
  static constexpr std::size_t kBlock = 64;

  // Whether the counts are small beside the list itself.
  static bool worth_it(std::size_t n_classes) { return n_classes <= kBlock; }

  // The classes of the list from `begin` on, whose length is `n_rows`, are settled.
  void lay(std::size_t begin, std::span<const std::int32_t> classes, std::size_t n_rows,
           std::size_t n_classes) {
    n_classes_ = n_classes;
    if (before_.empty()) before_.resize((n_rows / kBlock + 1) * n_classes);
    std::vector<std::uint32_t> so_far(n_classes, 0);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if ((begin + i) % kBlock == 0) {
        const std::size_t place = (begin + i) / kBlock * n_classes;
        for (std::size_t l = 0; l < n_classes; ++l) before_[place + l] = so_far[l];
      }
      ++so_far[at(classes[i])];
    }
  }

  // Rows of each class before a block, from the beginning of its stretch.
  std::span<const std::uint32_t> before(std::size_t block) const {
    return std::span(before_).subspan(block * n_classes_, n_classes_);
  }

 private:
  std::size_t n_classes_ = 0;
  std::vector<std::uint32_t> before_;  // block x class; a block belongs to the stretch it starts in
};

// A node's stretch, walked block by block: whole blocks, and what is left at both ends.
class BlockWalk {
 public:
  // `classes`: of the node's rows, which begin at place `begin` of the list.
  BlockWalk(const BlockCounts& blocks, std::size_t begin, std::span<const std::int32_t> classes,
            std::size_t n_classes)
      : blocks_(blocks), begin_(begin), classes_(classes), counts_(n_classes, 0.0),
        offset_(n_classes, 0.0) {}

  std::size_t place() const { return place_; }           // rows of the node passed so far
  std::span<const double> counts() const { return counts_; }  // and their classes
  bool at_end() const { return place_ == classes_.size(); }

  void next() {
    const std::size_t from = begin_ + place_, end = begin_ + classes_.size();
    const std::size_t block = from / BlockCounts::kBlock + 1, to = block * BlockCounts::kBlock;
    if (to >= end || !in_blocks_) {
      const std::size_t last = to < end ? to : end;
      for (std::size_t i = from; i < last; ++i)
        counts_[at(classes_[i - begin_])] += 1.0;
      place_ = last - begin_;
      if (to < end) {  // from here on, by differences
        const auto before = blocks_.before(block);
        for (std::size_t l = 0; l < counts_.size(); ++l) offset_[l] = counts_[l] - before[l];
        in_blocks_ = true;
      }
      return;
    }
    const auto before = blocks_.before(block);
    for (std::size_t l = 0; l < counts_.size(); ++l) counts_[l] = before[l] + offset_[l];
    place_ = to - begin_;
  }
  // To the end of the node at once.
  void finish() {
    if (!in_blocks_ && !at_end()) next();
    if (at_end()) return;
    const std::size_t last = (begin_ + classes_.size() - 1) / BlockCounts::kBlock;
    const auto before = blocks_.before(last);
    for (std::size_t l = 0; l < counts_.size(); ++l) counts_[l] = before[l] + offset_[l];
    place_ = last * BlockCounts::kBlock - begin_;
    next();
  }

 private:
  const BlockCounts& blocks_;
  std::size_t begin_;
  std::span<const std::int32_t> classes_;
  std::vector<double> counts_, offset_;
  std::size_t place_ = 0;
  bool in_blocks_ = false;
};

}  // namespace mixedwood
