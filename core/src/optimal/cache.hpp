// What is known of sets of rows: costs and bounds per budget of depth and tests.
//
// Sets are compared in full; a hash only says where to look. Anything may be forgotten at any time,
// the search only becomes slower.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "binary_table.hpp"
#include "depth_two.hpp"

namespace mixedwood::optimal {

struct Budget {
  std::int32_t depth = 0;
  std::int64_t tests = 0;

  // No more depth than tests, no more tests than the depth has room for.
  Budget fit() const {
    Budget b = *this;
    if (b.depth < 0) b.depth = 0;
    if (b.depth < 62) b.tests = std::min(b.tests, (std::int64_t{1} << b.depth) - 1);
    if (b.tests < b.depth) b.depth = static_cast<std::int32_t>(b.tests);
    return b;
  }
  bool within(const Budget& other) const { return depth <= other.depth && tests <= other.tests; }
  bool operator==(const Budget&) const = default;
};

// A tree by its first test; what lies below is found among the solutions of the children.
inline constexpr std::int32_t kLeafOnly = -1, kSmallTree = -2;  // the latter: depth two at most
struct Solution {
  Cost cost = 0;
  std::int32_t column = kLeafOnly;
  std::int64_t tests_with = 0, tests_without = 0;  // of a small tree: the first is all
  Cost cost_with = 0, cost_without = 0;
};

class Cache {
 public:
  explicit Cache(std::size_t n_words) : n_words_(n_words), table_(1024, -1) {}

  struct Key {
    std::span<const Word> rows;
    std::uint64_t hash;
  };

  // Trees of depth two, all at once.
  const FewestErrors* fewest(const Key& key) const;
  void store(const Key& key, const FewestErrors& errors);

  // The largest bound that any budget at least as large gives; 0 if nothing is known.
  Cost lower_bound(const Key& key, const Budget& budget) const;
  void raise(const Key& key, const Budget& budget, Cost bound);

  // A solution of exactly this budget, or of a smaller one that meets the bound of a larger.
  std::optional<Solution> optimum(const Key& key, const Budget& budget) const;
  void store(const Key& key, const Budget& budget, const Solution& solution);
  // Any tree of this cost.
  std::optional<Solution> of_cost(const Key& key, const Budget& budget, Cost cost) const;

  std::size_t n_sets() const { return sets_.size(); }
  std::size_t bytes() const {
    return blocks_.size() * kBlock * n_words_ * sizeof(Word) + sets_.size() * sizeof(Set) +
           notes_.size() * sizeof(Note) + table_.size() * sizeof(std::int32_t);
  }
  // Forgets sets of which only trees of depth two are known; if that is not half, all.
  void shrink();

 private:
  struct Set {
    std::uint64_t hash;
    FewestErrors fewest;
    std::int32_t notes = -1;
    bool has_fewest = false;
  };
  struct Note {
    Budget budget;
    Cost bound = 0;
    Solution solution;
    bool solved = false;
    std::int32_t next = -1;
  };

  std::int32_t find(const Key& key) const;
  std::int32_t find_or_add(const Key& key);
  Note& note(const Key& key, const Budget& budget);
  void index(std::int32_t set);
  Word* words(std::size_t set) {
    return blocks_[set / kBlock].data() + set % kBlock * n_words_;
  }
  const Word* words(std::size_t set) const {
    return blocks_[set / kBlock].data() + set % kBlock * n_words_;
  }

  std::size_t n_words_;
  // In blocks, so that nothing is ever copied to a larger place: memory never doubles.
  static constexpr std::size_t kBlock = 256;
  std::vector<std::vector<Word>> blocks_;  // n_words_ of each set
  std::deque<Set> sets_;
  std::deque<Note> notes_;
  std::vector<std::int32_t> table_;  // a power of two
};

}  // namespace mixedwood::optimal
