#include "store.h"

#include <steno/log.h>
#include <steno/session.h>

#include <functional>

namespace kv {

namespace {

// A name of its own in the log, and a threshold of its own.
steno::Logger store_log() {
  static const steno::Logger logger = steno::logger("store");
  return logger;
}

}  // namespace

Store::Store(unsigned shards, std::size_t capacity_bytes) : shard_capacity_(capacity_bytes / shards) {
  for (unsigned i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>());
}

unsigned Store::shard_of(std::string_view key) const {
  return static_cast<unsigned>(std::hash<std::string_view>()(key) % shards_.size());
}

std::unique_lock<std::mutex> Store::lock(unsigned shard) {
  std::unique_lock<std::mutex> lock(shards_[shard]->mutex, std::try_to_lock);
  const bool contended = !lock.owns_lock();
  if (contended) lock.lock();
  STENO_LOG_TO(store_log(), TRACE, "locked shard {shard} of {keys} keys, contended: {contended}", shard,
               shards_[shard]->entries.size(), contended);
  return lock;
}

bool Store::get(std::string_view key, std::string* value) {
  const unsigned shard = shard_of(key);
  const auto guard = lock(shard);
  const auto& entries = shards_[shard]->entries;
  const auto found = entries.find(key);
  if (found == entries.end()) {
    STENO_LOG_TO(store_log(), DEBUG, "get {key}: miss", key);
    return false;
  }
  *value = found->second;
  STENO_LOG_TO(store_log(), DEBUG, "get {key}: hit, {bytes} bytes", key, value->size());
  return true;
}

bool Store::put(std::string_view key, std::string_view value) {
  const unsigned shard_index = shard_of(key);
  const auto guard = lock(shard_index);
  if (value.size() > kMaxValueBytes) {
    STENO_LOGF_TO(store_log(), ERROR, "put %.*s: %zu bytes exceed the limit of %zu", static_cast<int>(key.size()),
                  key.data(), value.size(), kMaxValueBytes);
    return false;
  }
  Shard& shard = *shards_[shard_index];
  auto [entry, inserted] = shard.entries.try_emplace(std::string(key));
  shard.used += inserted ? key.size() + value.size() : value.size() - entry->second.size();
  entry->second = value;
  STENO_LOGF_TO(store_log(), DEBUG, "put %.*s: %zu bytes, %s", static_cast<int>(key.size()), key.data(), value.size(),
                inserted ? "new" : "replaced");
  evict_to_fit(shard_index);
  return true;
}

bool Store::erase(std::string_view key) {
  const unsigned shard_index = shard_of(key);
  const auto guard = lock(shard_index);
  Shard& shard = *shards_[shard_index];
  const auto found = shard.entries.find(key);
  const bool existed = found != shard.entries.end();
  if (existed) {
    shard.used -= key.size() + found->second.size();
    shard.entries.erase(found);
  }
  STENO_LOG_TO(store_log(), DEBUG, "delete {key}: {existed}", key, existed);
  return existed;
}

Store::ScanResult Store::scan(std::string_view first, std::size_t limit) {
  const unsigned shard = shard_of(first);
  const auto guard = lock(shard);
  const auto& entries = shards_[shard]->entries;
  ScanResult result;
  for (auto entry = entries.lower_bound(first); entry != entries.end() && result.keys < limit; ++entry) {
    ++result.keys;
    result.bytes += entry->second.size();
  }
  STENO_LOG_TO(store_log(), DEBUG, "scan from {key}: {found} of {limit} keys", first, result.keys, limit);
  return result;
}

// A clock without the second chance: evicts in key order, round and round.
void Store::evict_to_fit(unsigned shard_index) {
  Shard& shard = *shards_[shard_index];
  while (shard.used > shard_capacity_ && !shard.entries.empty()) {
    auto victim = shard.entries.upper_bound(shard.hand);
    if (victim == shard.entries.end()) victim = shard.entries.begin();
    shard.hand = victim->first;
    shard.used -= victim->first.size() + victim->second.size();
    STENO_LOG_TO(store_log(), NOTICE, "evicted {key} ({bytes} bytes) from shard {shard}: {used} of {capacity} used",
                 victim->first, victim->second.size(), shard_index, shard.used, shard_capacity_);
    shard.entries.erase(victim);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace kv
