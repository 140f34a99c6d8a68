// Progress of a long operation: workers count, and a display reads it.
#pragma once

#include <atomic>
#include <cstdint>

namespace steno {

// Thread-safe. In records, or bytes. Work of several passes adds to the total as it learns of them.
class WorkMeter {
 public:
  void add_total(std::uint64_t n) { total_.fetch_add(n, std::memory_order_relaxed); }
  void add_done(std::uint64_t n) { done_.fetch_add(n, std::memory_order_relaxed); }

  std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace steno
