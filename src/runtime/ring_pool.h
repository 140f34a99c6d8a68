// The rings of one core and their owners: a thread owns a ring from its first record to its end, then the next thread
// that needs one. Rings are created when none is free, and never unmapped, so a thread that logs too late never faults.
//
// Thread safety: count() and at() at any time; what "requires the lock" does, and everything else takes it. It also
// guards the name of the session in staging: a ring that is made meanwhile is of one session or of the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/thread_sanitizer.h"
#include "runtime/mapped_objects.h"
#include "runtime/ring.h"
#include "staging/own_staging.h"
#include "steno/detail/writer.h"
#include "steno/status.h"

namespace steno::runtime {

class RingPool {
 public:
  // `core`: whose rings they are.
  RingPool(staging::OwnStaging& staging, Core* core) : staging_(staging), core_(core) {}

  // Before anything else. kExhausted: no memory for the table.
  Status open();

  std::mutex& mutex() { return mutex_; }
  // In a forked child, for its parent's pool: whoever held the lock does not live here.
  void disown() { new (&mutex_) std::mutex; }

  // The memory that rings may take from here on; those that exist keep their size. Requires the lock.
  struct Limits {
    std::uint64_t ring_bytes = 0;     // the most of one
    std::uint64_t staging_limit = 0;  // the most of all together
  };
  void set_limits(const Limits& limits) { limits_ = limits; }
  // How threads log from their next record on. Requires the lock.
  struct WriterSettings {
    const std::uint64_t* clock_line = nullptr;
    std::uint8_t notify_level = 255;
  };
  void set_writers(const WriterSettings& settings);
  // Restarts sequence numbers for the session that staging names (ring.md §4.2). Requires the lock.
  void restart();

  // How many rings there are; at(i) for i below it may be read without a lock. The first is ring 0 of staging; the
  // others are in the order in which they were ready, not in that of their ids.
  std::uint32_t count() const {
    const std::uint32_t count = count_.load(std::memory_order_acquire);
    acquired(&count_);
    return count;
  }
  Ring& at(std::uint32_t i) { return *rings_[i]; }
  const Ring& at(std::uint32_t i) const { return *rings_[i]; }
  // The memory that they take.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  // Gives the calling thread a ring with at least `room` bytes free and points `writer` at it; nullptr if there is none
  // to be had.
  Ring* attach(detail::Writer* writer, std::uint64_t room);
  // From here on nobody but the ring's thread looks at the writer, which that thread may change. Before detach().
  void forget_writer(Ring* ring);
  void detach(Ring* ring);
  // Pages for `capacity` bytes of the ring's data. False: it may not have them, or there are none now. For its
  // producer.
  bool grow(Ring& ring, std::uint64_t capacity);
  // Gives back pages that the extent no longer includes. For its producer.
  void shrink(Ring& ring);
  // Shrinks rings that no thread has, and that are empty. For the scribe.
  void shrink_free();

  // One that no thread gets, and that keeps its size. `what` it is for: "the flight recorder is". nullptr: memory is
  // out.
  Ring* make_reserved(std::uint64_t bytes, std::uint32_t kind, const char* what);
  // Points a writer at a reserved one. Requires that nobody uses it yet.
  void give_reserved(Ring& ring, detail::Writer* writer);

  // Returns whether a thread is inside a log call, as far as its stores can be seen.
  bool is_anyone_inside();
  // Returns whether a live thread other than the one with this writer has a ring.
  bool has_other_thread(const detail::Writer* own);

  // From here on the pool makes rings only with the lock, which is held when this returns: staging may go. `lock` is of
  // mutex().
  void await_rings_in_making(std::unique_lock<std::mutex>& lock);
  // Does what has_other_thread() does. Requires the lock.
  bool is_others_too(const detail::Writer* own) const;
  // How many ids have been given out. Requires the lock.
  std::uint32_t ids() const { return next_id_; }

  // Why rings are not where they should be, or do not grow; empty: they are and do. Taken once.
  std::string take_warning();

 private:
  static constexpr std::uint32_t kMaxRings = 1u << 16;

  Ring* take_free(std::uint64_t least_capacity, std::uint64_t room);
  Ring* make(std::unique_lock<std::mutex>& lock, std::uint64_t room);
  Ring* make_other(std::uint32_t id, std::uint64_t most, std::uint64_t room, const Status& problem);
  Ring* add(std::uint32_t id, const staging::RingMemory& memory);
  void give(Ring& ring, detail::Writer& writer);
  void configure(detail::Writer& writer) const;
  void shrink_locked(Ring& ring);
  void warn(const std::string& text);

  staging::OwnStaging& staging_;
  Core* const core_;
  std::mutex mutex_;
  Ring** rings_ = nullptr;            // kMaxRings pointers, never moved; the pages appear as they are used
  std::uint64_t* windows_ = nullptr;  // of as many, likewise
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint64_t> bytes_{0};
  MappedObjects<Ring> objects_;
  std::vector<Ring*> free_;
  Limits limits_;
  WriterSettings settings_;
  std::uint32_t next_id_ = 0;    // of the next one that is made
  std::uint32_t in_making_ = 0;  // by threads that do not have the lock, but use staging_
  bool removing_ = false;        // staging_: nobody is to use that without the lock any more
  std::string warning_;
  bool short_of_rings_ = false;  // and warned of it, once
  int growth_error_ = 0;         // the first with which staging refused to let a ring grow
  bool warned_of_growth_ = false;
};

}  // namespace steno::runtime
