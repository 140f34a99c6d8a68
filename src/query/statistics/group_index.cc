#include "query/statistics/group_index.h"

namespace steno::query {

std::uint64_t GroupIndex::hash_of(const Key& key) const {
  Key seeded = key;
  seeded[0] ^= seed_;
  // The last part of a key has reached few of the low bits by then, which choose the slot.
  std::uint64_t hash = KeyHash()(seeded);
  hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

std::size_t GroupIndex::slot_of(const Key& key, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == kNone || (slot.hash == hash >> 32 && keys_[slot.number] == key)) return at;
  }
}

std::uint32_t GroupIndex::find(const Key& key) const {
  return slots_.empty() ? kNone : slots_[slot_of(key, hash_of(key))].number;
}

std::uint32_t GroupIndex::find_or_add(const Key& key) {
  constexpr std::size_t kFirst = 16;
  if (keys_.size() * 2 >= slots_.size()) place_all(slots_.empty() ? kFirst : slots_.size() * 2);
  const std::uint64_t hash = hash_of(key);
  Slot& slot = slots_[slot_of(key, hash)];
  if (slot.number == kNone) {
    slot = {static_cast<std::uint32_t>(keys_.size()), static_cast<std::uint32_t>(hash >> 32)};
    keys_.push_back(key);
  }
  return slot.number;
}

void GroupIndex::place_all(std::size_t slots) {
  slots_.assign(slots, {});
  for (std::uint32_t number = 0; number < keys_.size(); ++number) {
    const std::uint64_t hash = hash_of(keys_[number]);
    slots_[slot_of(keys_[number], hash)] = {number, static_cast<std::uint32_t>(hash >> 32)};
  }
}

void GroupIndex::remove(std::uint32_t number) {
  keys_[number] = keys_.back();
  keys_.pop_back();
  place_all(slots_.size());
}

void GroupIndex::clear() {
  keys_.clear();
  slots_.clear();
}

}  // namespace steno::query
