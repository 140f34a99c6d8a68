// Progress of a long operation: workers count, and a display reads it. A caller that no longer wants the answer stops
// it there.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace steno {

// Thrown by the functions that a meter was given to, once it is stopped.
class WorkStopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "the work was stopped"; }
};

// Thread-safe. In records, or bytes. Work of several passes adds to the total as it learns of them.
class WorkMeter {
 public:
  void add_total(std::uint64_t n) { total_.fetch_add(n, std::memory_order_relaxed); }
  void add_done(std::uint64_t n) { done_.fetch_add(n, std::memory_order_relaxed); }

  // From now on check() throws.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // For workers, between two pieces of their work. Throws WorkStopped.
  void check() const {
    if (is_stopped()) throw WorkStopped();
  }

  std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace steno
