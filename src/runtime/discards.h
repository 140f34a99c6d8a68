// Records that could not be logged at all, for other reasons than a full ring: counted in staging, where they survive
// the process, and reported in the log.
#pragma once

#include <sys/mman.h>

#include <algorithm>
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
  // In a child that was made without fork handlers: for its parent, which has the session.
  void add_in_child() {
    add();
    if (in_children_ != nullptr) __atomic_fetch_add(in_children_, std::uint64_t{1}, __ATOMIC_RELAXED);
  }
  // How many of take_unreported() were those. Memory that children share.
  std::uint64_t take_in_children() {
    return in_children_ != nullptr ? __atomic_exchange_n(in_children_, std::uint64_t{0}, __ATOMIC_RELAXED) : 0;
  }
  // A call from within steno (base/within.h).
  void add_inner() {
    add();
    inner_.fetch_add(1, std::memory_order_relaxed);
  }
  // How many of take_unreported() were those.
  std::uint64_t take_inner() { return inner_.exchange(0, std::memory_order_relaxed); }
  // A record of a signal handler that interrupted a log call of its thread.
  void add_in_handler() {
    add();
    ring::count_in_handler(*staging_.session());
  }
  // Those, as far as no record reports them yet. From here on they are the caller's to report, and not among those of
  // take_unreported(). Only for whoever calls that.
  std::uint64_t take_in_handlers() {
    const std::uint64_t records = std::min(ring::load_in_handlers(*staging_.session()), unreported());
    if (records == 0) return 0;
    ring::take_in_handlers(*staging_.session(), records);
    reported_.fetch_add(records, std::memory_order_relaxed);
    return records;
  }
  // A record of more strings than fit into its ring even when they are cut.
  void add_too_large() {
    add();
    too_large_.fetch_add(1, std::memory_order_relaxed);
  }
  // How many of take_unreported() were those.
  std::uint64_t take_too_large() { return too_large_.exchange(0, std::memory_order_relaxed); }
  // Since the staging was made.
  std::uint64_t total() const { return ring::load_discarded(*staging_.session()); }
  // Before anything else.
  void open() {
    void* const room = mmap(nullptr, sizeof *in_children_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED) in_children_ = static_cast<std::uint64_t*>(room);
  }
  // Those that no record reports yet.
  std::uint64_t unreported() const { return total() - reported_.load(std::memory_order_relaxed); }
  // Counts them, and from here on they are the caller's to report.
  std::uint64_t take_unreported() {
    const std::uint64_t total = this->total();
    return total - reported_.exchange(total, std::memory_order_relaxed);
  }
  // Some of those that were taken could not be reported.
  void give_back(std::uint64_t records) { reported_.fetch_sub(records, std::memory_order_relaxed); }
  // Another process has drained this session, and has reported so many.
  void set_reported(std::uint64_t total) { reported_.store(total, std::memory_order_relaxed); }

 private:
  staging::OwnStaging& staging_;
  std::atomic<std::uint64_t> reported_{0};
  std::atomic<std::uint64_t> inner_{0};
  std::atomic<std::uint64_t> too_large_{0};
  std::uint64_t* in_children_ = nullptr;  // nullptr: memory is out; then they have no reason of their own
};

}  // namespace steno::runtime
