// Solved sets of rows that give bounds for similar sets: a tree for one is a tree for the other.
#pragma once

#include <vector>

#include "rows.hpp"

namespace mixedwood::optimal::binary {

class Archive {
 public:
  Archive(const BinaryTable& table, Cost error_penalty, bool min_samples_leaf)
      : table_(table), error_penalty_(error_penalty), min_samples_leaf_(min_samples_leaf) {}

  // T(new) >= T(old) - weight of what old has and new has not. With a minimum size of leaves, only
  // where new is a part of old: elsewhere a leaf may have become large enough.
  Cost lower_bound(const Rows& rows, const Budget& budget) const {
    Cost best = 0;
    for (const Item& old : items_) {
      if (!budget.within(old.budget) || old.bound - error_penalty_ * (old.weight - rows.weight) <= best ||
          old.bound <= best)
        continue;
      if (min_samples_leaf_ && table_.weight_out(rows.words, old.words) > 0) continue;
      best = std::max(best, old.bound - error_penalty_ * table_.weight_out(old.words, rows.words));
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
    Cost least = kInfinity;
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
  Cost error_penalty_;
  bool min_samples_leaf_;
  std::vector<Item> items_;
};

}  // namespace mixedwood::optimal::binary
