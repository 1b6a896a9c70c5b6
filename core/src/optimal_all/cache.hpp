// What is known about sets of rows. The key is the set itself: every path that leads to the same
// rows meets here. Entries may be dropped at any time; they only save work.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "rows.hpp"

namespace mixedwood::all_splits {

// A tree without its leaves' rows. `deferred`: the sides' single tests are found again when the
// tree is written down.
struct Plan {
  std::int64_t cost = 0;
  Test test;
  std::shared_ptr<const Plan> left, right;
  bool deferred = false, left_stump = false, right_stump = false;
  int depth = 0;
};
using PlanPtr = std::shared_ptr<const Plan>;

struct Known {
  int depth = 0;
  std::int64_t tests = 0;
  std::int64_t lower = 0;
  PlanPtr best;  // of cost `lower`, or none
};

class Cache {
 public:
  Cache(std::size_t n_rows, std::int64_t max_bytes)
      : n_words_((n_rows + 63) / 64), max_bytes_(max_bytes) {}

  struct Entry {
    std::vector<std::uint64_t> rows;
    std::vector<Known> known;
  };
  // Empty at first. Valid until the next call.
  Entry* find(const Rows& rows);
  // Adds what a search has found; makes room when there is none.
  void store(const Rows& rows, const Known& found);

  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  std::int64_t bytes() const { return size() * entry_bytes(); }

 private:
  std::int64_t entry_bytes() const { return static_cast<std::int64_t>(n_words_) * 8 + 250; }
  std::uint64_t read(const Rows& rows);

  std::size_t n_words_;
  std::int64_t max_bytes_;
  std::vector<std::uint64_t> key_;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
};

}  // namespace mixedwood::all_splits
