// Facts about producers that wait for room in their ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "base/clock.h"

namespace steno::runtime {

// How long producers wait while the file cannot be written. The scribe sets the time; producers read it and report
// back.
class Patience {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  // From here on producers that find no room wait until `when` (monotonic ns), and drop from then on. kForever: the
  // file can be written, or they are to wait for ever.
  void set_end(std::int64_t when) {
    exhausted_.store(false, std::memory_order_relaxed);
    end_.store(when, std::memory_order_release);
  }
  // Returns whether producers have waited long enough.
  bool is_over() const {
    const std::int64_t end = end_.load(std::memory_order_acquire);
    return end != kForever && monotonic_now() >= end;
  }
  // A producer has given up; whether any has since set_end().
  void note_gave_up() { exhausted_.store(true, std::memory_order_relaxed); }
  bool anyone_gave_up() const { return exhausted_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> end_{kForever};
  std::atomic<bool> exhausted_{false};
};

// Calls that waited for room: how many, and the longest of them.
class Stalls {
 public:
  void add(std::int64_t time_ns) {
    count_.fetch_add(1, std::memory_order_relaxed);
    const auto ns = static_cast<std::uint64_t>(time_ns);
    std::uint64_t longest = longest_ns();
    while (ns > longest && !longest_ns_.compare_exchange_weak(longest, ns, std::memory_order_relaxed)) {
    }
  }
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  std::uint64_t longest_ns() const { return longest_ns_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> longest_ns_{0};
};

}  // namespace steno::runtime
