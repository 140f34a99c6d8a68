// A ring as its producer and the scribe of its process have it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ring/ring_access.h"
#include "staging/own_staging.h"
#include "steno/detail/writer.h"
#include "wire/dictionary.h"

namespace steno::runtime {

inline constexpr std::uint64_t kFirstRingBytes = std::uint64_t{1} << 14;  // what a thread begins with, if it may
inline constexpr std::uint64_t kUsualRingBytes = std::uint64_t{1} << 16;  // what it has when it has filled that once

class Core;

struct alignas(64) Ring {            // no cache line of another's
  Core* core = nullptr;              // whose it is, also in a forked child, where core_at() is another or none
  staging::RingMemory memory;        // what may change of it: under RingPool's mutex, by its producer or in his name
  std::uint32_t id = 0;              // in staging
  std::uint32_t index = 0;           // RingPool::at()
  bool is_reserved = false;          // of no thread, ever
  std::uint64_t* window = nullptr;   // the writer's, in memory that is zeroed in children
  detail::Writer* writer = nullptr;  // of the live thread that owns it; that thread's, or under RingPool's mutex
  // How many of header->dropped are reported. Whoever moves it up writes the record: the producer when it has room
  // again, or the scribe at the end.
  std::atomic<std::uint64_t> accounted{0};
  // Producers (a signal handler may interrupt another) that have moved it up, and not committed the record yet.
  std::atomic<std::uint32_t> reports{0};

  // Drops so far. What the thread had logged before them is published, and since when it drops.
  std::uint64_t dropped() const { return ring::load_dropped(memory.header); }
  // Drops that are not reported yet.
  std::uint64_t unaccounted() const { return dropped() - accounted.load(std::memory_order_acquire); }
  // Moves `accounted` up to `dropped` and returns by how much: so many are the caller's to report.
  std::uint64_t take_unaccounted(std::uint64_t dropped) {
    std::uint64_t known = accounted.load(std::memory_order_acquire);
    while (known < dropped && !accounted.compare_exchange_weak(known, dropped, std::memory_order_acq_rel)) {
    }
    return known < dropped ? dropped - known : 0;
  }

  // Where positions below a previously loaded tail are. Does not trust the header, which a stray pointer may have
  // overwritten.
  ring::Extent extent() const { return ring::load_extent(&extent_.base, &extent_.capacity); }
  // For the producer, or for the thread that attaches or empties a ring without one.
  void set_extent(const ring::Extent& extent) {
    ring::store_extent(&extent_.base, &extent_.capacity, extent);
    ring::store_extent(&memory.header->base, &memory.header->capacity, extent);
  }
  // Sets how far before the limit records may lie (writer.h).
  void set_window() { __atomic_store_n(window, ring::quarter_of(extent().capacity) + 1, __ATOMIC_RELAXED); }
  const std::byte* at(std::uint64_t position) const { return memory.data + extent().address(position); }
  // How large it can become, as far as is known; any thread.
  std::uint64_t reach() const { return reach_.load(std::memory_order_relaxed); }
  void set_reach(std::uint64_t capacity) { reach_.store(capacity, std::memory_order_relaxed); }

  // The producer's own.
  struct {
    std::uint64_t populated = 0;  // bytes of data from the start on whose pages are mapped
    std::uint64_t position = 0;   // where a quarter began, and when (monotonic)
    std::int64_t since = 0;
    std::int64_t visited = 0;   // when the producer last came the long way
    std::int64_t retry_at = 0;  // not to be grown before: there was no room
    bool hot = false;           // the last quarter was filled quickly
    bool held_up = false;       // a call found no room since it grew last
  } use;

  wire::RingOwner owner;  // whose records lie at head; the consumer's, kept from one session to the next

 private:
  ring::Extent extent_;
  std::atomic<std::uint64_t> reach_{0};
};

}  // namespace steno::runtime
