// Solved sets of rows, of which others may lack only few: a tree for the other is one for them.
#pragma once

#include <vector>

#include "rows.hpp"

namespace mixedwood::optimal {

class Archive {
 public:
  Archive(const BinaryTable& table, Cost error_cost, bool min_leaf)
      : table_(table), error_cost_(error_cost), min_leaf_(min_leaf) {}

  // T(new) >= T(old) - weight of what old has and new has not. With a minimum size of leaves, only
  // where new is a part of old: elsewhere a leaf may have become large enough.
  Cost lower_bound(const Rows& rows, const Budget& budget) const {
    Cost best = 0;
    for (const Item& old : items_) {
      if (!budget.within(old.budget) || old.bound - error_cost_ * (old.weight - rows.weight) <= best ||
          old.bound <= best)
        continue;
      if (min_leaf_ && table_.weight_out(rows.words, old.words) > 0) continue;
      best = std::max(best, old.bound - error_cost_ * table_.weight_out(old.words, rows.words));
    }
    return best;
  }

  void add(const Rows& rows, const Budget& budget, Cost bound) {
    if (items_.size() < kItems) {
      items_.push_back({rows.words, rows.weight, budget, bound});
      return;
    }
    // In place of the most alike, so that the archive stays spread.
    std::size_t at = 0;
    Cost least = kNoBound;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Cost apart = table_.weight_out(items_[i].words, rows.words) +
                         table_.weight_out(rows.words, items_[i].words);
      if (apart < least) {
        least = apart;
        at = i;
      }
    }
    items_[at] = {rows.words, rows.weight, budget, bound};
  }

 private:
  static constexpr std::size_t kItems = 16;
  struct Item {
    std::vector<Word> words;
    Cost weight;
    Budget budget;
    Cost bound;
  };
  const BinaryTable& table_;
  Cost error_cost_;
  bool min_leaf_;
  std::vector<Item> items_;
};

}  // namespace mixedwood::optimal
