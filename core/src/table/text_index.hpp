// Distinct texts in the order in which they are met; the texts are borrowed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace mixedwood {

class TextIndex {
 public:
  // Place of a text among the distinct ones; added if it is new.
  std::int32_t place(std::string_view text) {
    const Key key = key_of(text);
    std::size_t slot = key.hash() & (slots_.size() - 1);
    while (slots_[slot].place >= 0) {
      const Slot& found = slots_[slot];
      // Texts of up to 8 bytes are in the key as they are.
      if (found.key == key &&
          (key.size <= 8 || texts_[static_cast<std::size_t>(found.place)] == text))
        return found.place;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    const auto added = static_cast<std::int32_t>(texts_.size());
    slots_[slot] = {key, added};
    texts_.push_back(text);
    if (2 * texts_.size() > slots_.size()) grow();
    return added;
  }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  struct Key {
    std::uint64_t word;  // the text itself if it is short, else mixed from it
    std::uint64_t size;

    bool operator==(const Key&) const = default;
    std::uint64_t hash() const { return mix(word, size); }
  };
  struct Slot {
    Key key{0, 0};
    std::int32_t place = -1;
  };

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
  }
  template <typename Word>
  static std::uint64_t load(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof(Word));
    return word;
  }
  static Key key_of(std::string_view text) {
    const char* from = text.data();
    const std::size_t size = text.size();
    if (size >= 8) {
      std::uint64_t hash = load<std::uint64_t>(from);
      for (std::size_t i = 8; i + 8 <= size; i += 8)
        hash = mix(hash, load<std::uint64_t>(from + i));
      return {size == 8 ? hash : mix(hash, load<std::uint64_t>(from + size - 8)), size};
    }
    if (size >= 4)  // two words that overlap
      return {load<std::uint32_t>(from) | load<std::uint32_t>(from + size - 4) << 32, size};
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) word = word << 8 | static_cast<unsigned char>(from[i]);
    return {word, size};
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.place < 0) continue;
      std::size_t to = slot.key.hash() & (slots_.size() - 1);
      while (slots_[to].place >= 0) to = (to + 1) & (slots_.size() - 1);
      slots_[to] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::vector<std::string_view> texts_;
};

}  // namespace mixedwood
