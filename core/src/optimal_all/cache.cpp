#include "cache.hpp"

#include "../hash.hpp"

namespace mixedwood::all_splits {

std::uint64_t Cache::read(const Rows& rows) {
  key_.assign(n_words_, 0);
  for (const std::int32_t id : rows.ids) {
    const auto row = static_cast<std::size_t>(id);
    key_[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  return hash_of(key_);
}

Cache::Entry* Cache::find(const Rows& rows) {
  const auto [begin, end] = entries_.equal_range(read(rows));
  for (auto at = begin; at != end; ++at)
    if (at->second.rows == key_) return &at->second;
  return nullptr;
}

void Cache::store(const Rows& rows, const Known& found) {
  Entry* entry = find(rows);
  if (entry == nullptr) {
    if (entry_bytes() > max_bytes_) return;
    // Everything goes: entries of large budgets are found again from below.
    if (bytes() + entry_bytes() > max_bytes_) entries_.clear();
    const std::uint64_t hash = read(rows);
    entry = &entries_.emplace(hash, Entry{key_, {}})->second;
  }
  for (Known& known : entry->known)
    if (known.depth == found.depth && known.tests == found.tests) {
      if (found.lower >= known.lower && (found.best != nullptr || known.best == nullptr))
        known = found;
      return;
    }
  entry->known.push_back(found);
}

}  // namespace mixedwood::all_splits
