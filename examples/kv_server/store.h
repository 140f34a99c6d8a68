// The data: ordered maps in shards, each behind a mutex, bounded in bytes; a full shard evicts.
//
// Thread-safe. Logs one message an operation about its shard, one about its outcome, and one for each eviction.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kv {

class Store {
 public:
  static constexpr std::size_t kMaxValueBytes = 512 * 1024;

  Store(unsigned shards, std::size_t capacity_bytes);

  // Copies the value into *value. False: no such key.
  bool get(std::string_view key, std::string* value);
  // False: larger than kMaxValueBytes.
  bool put(std::string_view key, std::string_view value);
  // False: no such key.
  bool erase(std::string_view key);

  struct ScanResult {
    std::size_t keys = 0;
    std::size_t bytes = 0;
  };
  // Up to `limit` keys from `first` on, of its shard.
  ScanResult scan(std::string_view first, std::size_t limit);

  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

 private:
  struct Shard {
    std::mutex mutex;
    std::map<std::string, std::string, std::less<>> entries;
    std::size_t used = 0;  // bytes of keys and values
    std::string hand;      // where the last eviction was: the next goes on after it
  };

  unsigned shard_of(std::string_view key) const;
  std::unique_lock<std::mutex> lock(unsigned shard);
  void evict_to_fit(unsigned shard);

  const std::size_t shard_capacity_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace kv
