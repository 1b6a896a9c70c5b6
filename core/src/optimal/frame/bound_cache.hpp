// What is known about sets of rows: for each budget a lower bound, and the best plan once it is found.
//
// Sets are compared in full; a hash only says where to look. Anything may be evicted at any time: the
// search only becomes slower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "budget.hpp"

namespace mixedwood::optimal {

// `Extra` is one more thing to remember about a set, independent of the budget.
template <typename Plan, typename Extra = std::monostate>
class BoundCache {
 public:
  using Word = std::uint64_t;
  struct Key {
    std::span<const Word> rows;
    std::uint64_t hash;
  };
  struct Entry {
    Budget budget;
    Cost lower_bound = 0;  // the cost of the plan if there is one
    bool solved = false;
    std::int32_t next = -1;
    Plan plan{};
  };

  // `plan_bytes`: memory of a plan outside of the entry.
  explicit BoundCache(std::size_t plan_bytes = 0) : table_(kMinTable, -1), plan_bytes_(plan_bytes) {}

  // Entries of a set, the newest first: for (e = first(key); e != nullptr; e = next(*e)).
  const Entry* first(const Key& key) const {
    const std::int32_t set = find(key);
    return set < 0 ? nullptr : entry(sets_[to_size(set)].first_entry);
  }
  const Entry* next(const Entry& e) const { return entry(e.next); }

  // A bound for a budget holds for every smaller one; 0 if nothing is known.
  Cost lower_bound(const Key& key, const Budget& budget) const {
    Cost bound = 0;
    for (const Entry* e = first(key); e != nullptr; e = next(*e))
      if (budget.within(e->budget)) bound = std::max(bound, e->lower_bound);
    return bound;
  }
  void raise(const Key& key, const Budget& budget, Cost bound) {
    Entry& e = find_or_add(key, budget);
    e.lower_bound = std::max(e.lower_bound, bound);
  }
  void store(const Key& key, const Budget& budget, Plan plan, Cost cost) {
    Entry& e = find_or_add(key, budget);
    e.lower_bound = cost;
    e.solved = true;
    e.plan = std::move(plan);
  }

  const Extra* extra(const Key& key) const {
    const std::int32_t set = find(key);
    return set < 0 || !sets_[to_size(set)].has_extra ? nullptr : &sets_[to_size(set)].extra;
  }
  void store_extra(const Key& key, const Extra& extra) {
    Set& set = sets_[find_or_add(key)];
    set.extra = extra;
    set.has_extra = true;
  }

  std::int64_t size() const { return static_cast<std::int64_t>(sets_.size()); }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(block_words_ * sizeof(Word) + sets_.size() * sizeof(Set) +
                                     entries_.size() * (sizeof(Entry) + plan_bytes_) +
                                     table_.size() * sizeof(std::int32_t));
  }

  // Drops sets without an entry; if that is less than half of them, all.
  void evict() {
    const auto n_kept = std::ranges::count_if(sets_, [](const Set& s) { return s.first_entry >= 0; });
    const bool all = 2 * to_size(n_kept) > sets_.size();
    std::size_t kept = 0;
    block_ = used_ = 0;
    for (Set& set : sets_) {
      if (all || set.first_entry < 0) continue;
      // Never behind its old place, so that memory does not grow.
      Word* to = allocate(set.n_words);
      std::memmove(to, set.words, set.n_words * sizeof(Word));
      set.words = to;
      sets_[kept++] = set;
    }
    if (all) entries_ = {};
    sets_.resize(kept);
    sets_.shrink_to_fit();
    blocks_.resize(kept > 0 ? block_ + 1 : 0);
    block_words_ = 0;
    for (const auto& block : blocks_) block_words_ += block.size();
    std::size_t size = kMinTable;
    while (size < 2 * kept + 2) size *= 2;
    rebuild_table(size);
  }

 private:
  struct Set {
    const Word* words;
    std::size_t n_words;
    std::uint64_t hash;
    Extra extra{};
    bool has_extra = false;
    std::int32_t first_entry = -1;
  };

  const Entry* entry(std::int32_t i) const { return i < 0 ? nullptr : &entries_[to_size(i)]; }

  std::int32_t find(const Key& key) const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = key.hash & mask; table_[i] >= 0; i = (i + 1) & mask) {
      const Set& set = sets_[to_size(table_[i])];
      if (set.hash == key.hash && set.n_words == key.rows.size() &&
          std::equal(key.rows.begin(), key.rows.end(), set.words))
        return table_[i];
    }
    return -1;
  }
  std::size_t find_or_add(const Key& key) {
    if (const std::int32_t found = find(key); found >= 0) return to_size(found);
    if (sets_.size() * 2 >= table_.size()) rebuild_table(table_.size() * 4);
    Word* words = allocate(key.rows.size());
    std::ranges::copy(key.rows, words);
    sets_.push_back({words, key.rows.size(), key.hash});
    enter(sets_.size() - 1);
    return sets_.size() - 1;
  }
  Entry& find_or_add(const Key& key, const Budget& budget) {
    Set& set = sets_[find_or_add(key)];
    for (std::int32_t i = set.first_entry; i >= 0; i = entries_[to_size(i)].next)
      if (entries_[to_size(i)].budget == budget) return entries_[to_size(i)];
    Entry& made = entries_.emplace_back();
    made.budget = budget;
    made.next = set.first_entry;
    set.first_entry = static_cast<std::int32_t>(entries_.size() - 1);
    return made;
  }

  void enter(std::size_t set) {
    const std::size_t mask = table_.size() - 1;
    std::size_t i = sets_[set].hash & mask;
    while (table_[i] >= 0) i = (i + 1) & mask;
    table_[i] = static_cast<std::int32_t>(set);
  }
  void rebuild_table(std::size_t size) {
    table_ = std::vector<std::int32_t>(size, -1);
    for (std::size_t i = 0; i < sets_.size(); ++i) enter(i);
  }

  // Room for words, in a new block if no later one has it. Words never move to a larger place.
  Word* allocate(std::size_t n) {
    while (block_ < blocks_.size() && used_ + n > blocks_[block_].size()) ++block_, used_ = 0;
    if (block_ == blocks_.size()) {
      blocks_.emplace_back(std::max(n, std::clamp(block_words_, kMinBlock, kMaxBlock)));
      block_words_ += blocks_.back().size();
    }
    Word* to = blocks_[block_].data() + used_;
    used_ += n;
    return to;
  }

  static constexpr std::size_t kMinTable = 1024, kMinBlock = 256, kMaxBlock = 1 << 15;
  std::vector<std::vector<Word>> blocks_;
  std::size_t block_ = 0, used_ = 0, block_words_ = 0;
  std::deque<Set> sets_;
  std::deque<Entry> entries_;
  std::vector<std::int32_t> table_;  // a power of two
  std::size_t plan_bytes_;
};

}  // namespace mixedwood::optimal
