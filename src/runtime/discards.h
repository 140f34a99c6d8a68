// Records that could not be logged at all, for want of a ring: counted in staging, where they survive the process, and
// reported in the log.
#pragma once

#include <atomic>
#include <cstdint>

#include "ring/session_access.h"
#include "staging/own_staging.h"

namespace steno::runtime {

class Discards {
 public:
  explicit Discards(staging::OwnStaging& staging) : staging_(staging) {}

  // Any thread, in signal handlers too.
  void add() { ring::count_discarded(*staging_.session()); }
  // Those that no record reports yet.
  std::uint64_t unreported() const { return total() - reported_.load(std::memory_order_relaxed); }
  // The same, and from here on they are the caller's to report.
  std::uint64_t take_unreported() {
    const std::uint64_t total = this->total();
    return total - reported_.exchange(total, std::memory_order_relaxed);
  }
  // Another process has drained this session, and has reported so many.
  void set_reported(std::uint64_t total) { reported_.store(total, std::memory_order_relaxed); }

 private:
  std::uint64_t total() const { return ring::load_discarded(*staging_.session()); }

  staging::OwnStaging& staging_;
  std::atomic<std::uint64_t> reported_{0};
};

}  // namespace steno::runtime
