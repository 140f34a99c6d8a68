// Numbers the groups of a result by their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/statistics/key_range.h"

namespace steno::query {

// Gives each key a number: 0, 1, 2 and so on, as they come. Open addressing, 48 to 64 bytes a key. Const functions are
// thread-safe.
class GroupIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // `seed`: a log must not be able to choose keys that all fall into one place.
  explicit GroupIndex(std::uint64_t seed) : seed_(seed) {}

  // The key's number, or kNone.
  std::uint32_t find(const Key& key) const;
  // The key's number, size() as it was before the call if it is a new one.
  std::uint32_t find_or_add(const Key& key);
  // Takes a key out; the last one gets its number.
  void remove(std::uint32_t number);
  void clear();

  std::size_t size() const { return keys_.size(); }
  // The keys by their numbers.
  const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Slot {
    std::uint32_t number = kNone;  // kNone: free
    std::uint32_t hash = 0;        // the high bits
  };

  std::uint64_t hash_of(const Key& key) const;
  // The slot that has the key, or the free one where it belongs.
  std::size_t slot_of(const Key& key, std::uint64_t hash) const;
  void place_all(std::size_t slots);

  std::uint64_t seed_;
  std::vector<Key> keys_;
  std::vector<Slot> slots_;  // none, or a power of two
};

}  // namespace steno::query
