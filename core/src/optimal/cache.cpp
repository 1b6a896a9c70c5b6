#include "cache.hpp"

#include <algorithm>

namespace mixedwood::optimal {

std::int32_t Cache::find(const Key& key) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = key.hash & mask; table_[at] >= 0; at = (at + 1) & mask) {
    const auto i = static_cast<std::size_t>(table_[at]);
    if (sets_[i].hash == key.hash &&
        std::equal(key.rows.begin(), key.rows.end(), words(i)))
      return table_[at];
  }
  return -1;
}

void Cache::index(std::int32_t set) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = sets_[static_cast<std::size_t>(set)].hash & mask;
  while (table_[at] >= 0) at = (at + 1) & mask;
  table_[at] = set;
}

std::int32_t Cache::find_or_add(const Key& key) {
  if (const auto found = find(key); found >= 0) return found;
  if (sets_.size() * 2 >= table_.size()) {
    table_.assign(table_.size() * 4, -1);
    for (std::size_t i = 0; i < sets_.size(); ++i) index(static_cast<std::int32_t>(i));
  }
  if (sets_.size() == blocks_.size() * kBlock) blocks_.emplace_back(kBlock * n_words_);
  std::ranges::copy(key.rows, words(sets_.size()));
  sets_.push_back({key.hash, {}, -1, false});
  const auto added = static_cast<std::int32_t>(sets_.size() - 1);
  index(added);
  return added;
}

const FewestErrors* Cache::fewest(const Key& key) const {
  const auto i = find(key);
  if (i < 0 || !sets_[static_cast<std::size_t>(i)].has_fewest) return nullptr;
  return &sets_[static_cast<std::size_t>(i)].fewest;
}

void Cache::store(const Key& key, const FewestErrors& errors) {
  Set& set = sets_[static_cast<std::size_t>(find_or_add(key))];
  set.fewest = errors;
  set.has_fewest = true;
}

Cost Cache::lower_bound(const Key& key, const Budget& budget) const {
  const auto i = find(key);
  if (i < 0) return 0;
  Cost bound = 0;
  for (auto n = sets_[static_cast<std::size_t>(i)].notes; n >= 0;) {
    const Note& note = notes_[static_cast<std::size_t>(n)];
    if (budget.within(note.budget)) bound = std::max(bound, note.bound);
    n = note.next;
  }
  return bound;
}

Cache::Note& Cache::note(const Key& key, const Budget& budget) {
  const auto i = static_cast<std::size_t>(find_or_add(key));
  for (auto n = sets_[i].notes; n >= 0; n = notes_[static_cast<std::size_t>(n)].next)
    if (notes_[static_cast<std::size_t>(n)].budget == budget)
      return notes_[static_cast<std::size_t>(n)];
  Note fresh;
  fresh.budget = budget;
  fresh.next = sets_[i].notes;
  notes_.push_back(fresh);
  sets_[i].notes = static_cast<std::int32_t>(notes_.size() - 1);
  return notes_.back();
}

void Cache::raise(const Key& key, const Budget& budget, Cost bound) {
  Note& n = note(key, budget);
  n.bound = std::max(n.bound, bound);
}

void Cache::store(const Key& key, const Budget& budget, const Solution& solution) {
  Note& n = note(key, budget);
  n.solved = true;
  n.solution = solution;
  n.bound = solution.cost;
}

std::optional<Solution> Cache::optimum(const Key& key, const Budget& budget) const {
  const auto i = find(key);
  if (i < 0) return {};
  Cost bound = 0;
  const Solution* best = nullptr;
  for (auto n = sets_[static_cast<std::size_t>(i)].notes; n >= 0;) {
    const Note& note = notes_[static_cast<std::size_t>(n)];
    if (note.solved && note.budget == budget) return note.solution;
    if (budget.within(note.budget)) bound = std::max(bound, note.bound);
    if (note.solved && note.budget.within(budget) && (!best || note.solution.cost < best->cost))
      best = &note.solution;
    n = note.next;
  }
  if (best && best->cost <= bound) return *best;
  return {};
}

std::optional<Solution> Cache::of_cost(const Key& key, const Budget& budget, Cost cost) const {
  const auto i = find(key);
  if (i < 0) return {};
  for (auto n = sets_[static_cast<std::size_t>(i)].notes; n >= 0;) {
    const Note& note = notes_[static_cast<std::size_t>(n)];
    if (note.solved && note.budget.within(budget) && note.solution.cost <= cost)
      return note.solution;
    n = note.next;
  }
  return {};
}

void Cache::shrink() {
  const std::size_t before = sets_.size();
  std::size_t kept = 0;
  const auto n_noted =
      static_cast<std::size_t>(std::ranges::count_if(sets_, [](const Set& s) { return s.notes >= 0; }));
  if (n_noted * 2 <= before) {
    for (std::size_t i = 0; i < before; ++i) {
      if (sets_[i].notes < 0) continue;
      std::copy_n(words(i), n_words_, words(kept));
      sets_[kept++] = sets_[i];
    }
  } else {
    notes_.clear();
    notes_.shrink_to_fit();
  }
  sets_.resize(kept);
  blocks_.resize((kept + kBlock - 1) / kBlock);
  sets_.shrink_to_fit();
  std::size_t size = 1024;
  while (size < 2 * kept + 2) size *= 2;
  table_ = std::vector<std::int32_t>(size, -1);
  for (std::size_t i = 0; i < kept; ++i) index(static_cast<std::int32_t>(i));
}

}  // namespace mixedwood::optimal
