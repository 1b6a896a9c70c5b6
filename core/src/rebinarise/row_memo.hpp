// What is known of sets of rows: for each budget the best tree, or a cost below which there is
// none. Sets are found by hash and compared in full.
//
// A tree of a smaller budget is one of a larger, and the tests of a node depend on its rows alone.
// So a bound for a budget holds for every smaller one, and the best tree of a budget is the best
// of every budget between its own size and that one.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "node_tests.hpp"

namespace mixedwood::rebinarise {

struct Budget {
  int depth;
  std::int64_t nodes;
};

struct BestTree {
  std::int64_t cost = 0;
  int depth = 0;
  std::int64_t nodes = 0;
  NodeTest test;
  std::shared_ptr<const BestTree> yes, no;  // both, or none: a leaf
};
using TreePtr = std::shared_ptr<const BestTree>;

// Rows ascending, and what is asked of them often.
struct RowSet {
  std::vector<std::int32_t> rows;
  std::vector<std::int64_t> weights;  // by class
  std::int64_t excess = 0;
  std::uint64_t hash = 0;
};

class RowMemo {
 public:
  RowMemo(std::size_t n_rows, double limit) : n_rows_(n_rows), limit_(limit) {}

  struct Known {
    TreePtr best;
    std::int64_t lower_bound = 0;
  };
  Known find(const RowSet& set, Budget budget) const {
    Known known;
    const Entry* entry = entry_of(set);
    if (entry == nullptr) return known;
    for (const Fact& fact : entry->facts) {
      if (budget.depth > fact.budget.depth || budget.nodes > fact.budget.nodes) continue;
      if (fact.lower_bound > known.lower_bound) known.lower_bound = fact.lower_bound;
      if (fact.best && fact.best->depth <= budget.depth && fact.best->nodes <= budget.nodes)
        known.best = fact.best;
    }
    return known;
  }

  // Full: what is not written down is found again when it is needed.
  void add(const RowSet& set, Budget budget, TreePtr best, std::int64_t lower_bound) {
    Entry* entry = entry_of(set);
    if (entry == nullptr) {
      if (bytes_ > limit_) return;
      Entry made = entry_for(set);
      bytes_ += static_cast<double>(sizeof(Entry) + 64 + 4 * made.list.size() +
                                    8 * made.bits.size());
      entry = &entries_.emplace(set.hash, std::move(made))->second;
    }
    for (Fact& fact : entry->facts) {
      if (fact.budget.depth != budget.depth || fact.budget.nodes != budget.nodes) continue;
      if (best) fact.best = std::move(best);
      if (lower_bound > fact.lower_bound) fact.lower_bound = lower_bound;
      return;
    }
    if (bytes_ > limit_) return;
    // A tree with its two leaves, or the two trees below it that no other entry keeps.
    bytes_ += static_cast<double>(2 * sizeof(Fact) + 3 * (sizeof(BestTree) + 32));
    entry->facts.push_back({budget, lower_bound, std::move(best)});
  }

  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }

 private:
  struct Fact {
    Budget budget;
    std::int64_t lower_bound;
    TreePtr best;
  };
  struct Entry {
    std::size_t n = 0;
    std::vector<std::int32_t> list;   // of few rows
    std::vector<std::uint64_t> bits;  // of many
    std::vector<Fact> facts;
  };

  Entry entry_for(const RowSet& set) const {
    Entry entry;
    entry.n = set.rows.size();
    if (entry.n * 32 < n_rows_) {
      entry.list = set.rows;
    } else {
      entry.bits.assign(n_rows_ / 64 + 1, 0);
      for (const std::int32_t row : set.rows)
        entry.bits[static_cast<std::size_t>(row) / 64] |= std::uint64_t{1} << (row % 64);
    }
    return entry;
  }

  static bool same(const Entry& entry, const RowSet& set) {
    if (entry.n != set.rows.size()) return false;
    if (entry.bits.empty()) return entry.list == set.rows;
    for (const std::int32_t row : set.rows)
      if ((entry.bits[static_cast<std::size_t>(row) / 64] >> (row % 64) & 1) == 0) return false;
    return true;
  }

  const Entry* entry_of(const RowSet& set) const {
    const auto [begin, end] = entries_.equal_range(set.hash);
    for (auto it = begin; it != end; ++it)
      if (same(it->second, set)) return &it->second;
    return nullptr;
  }
  Entry* entry_of(const RowSet& set) {
    return const_cast<Entry*>(static_cast<const RowMemo*>(this)->entry_of(set));
  }

  std::size_t n_rows_;
  double limit_;
  double bytes_ = 0.0;
  std::unordered_multimap<std::uint64_t, Entry> entries_;
};

}  // namespace mixedwood::rebinarise
