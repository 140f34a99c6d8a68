// The producer's side of a ring (ring.md §4), as inlined into log statements.
//
// Thread safety: a Writer belongs to one thread; only *tail is shared, and only the owner stores it, so it is the
// cursor too. (Others store `clock_line` and `notify_level` when a session begins or ends.) The one other party is a
// signal handler of the same thread: while a record is open, `limit` is 0, so that a call inside the handler finds no
// room, goes the long way, and is counted as discarded. A handler that ran its own call between our load of `limit` and
// our store of 0 has moved the tail; then the old limit is still right or the room computed from it is no number below
// `*window`, and we go the long way ourselves. Invariant, no record open: tail <= limit < tail + *window; the record at
// position p lies at address p + base.
//
// A child of this process that has a copy of its memory, by fork() or clone(), has the writers too, but the rings are
// its parent's. It finds each `*window` 0, because the system zeroes that memory there, and so goes the long way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "steno/detail/config.h"
#include "steno/detail/site.h"
#include "steno/level.h"
#include "steno/logger.h"

namespace steno::detail {

inline constexpr std::size_t kArgsOffset = 16;  // of a record: header and clock

struct Writer {
  std::uint64_t limit;              // position that records must not pass; 0: a record is open
  std::uint64_t* tail;              // in the ring's header
  const std::uint64_t* window;      // one more than a quarter of the ring; 0 in a child
  std::uint64_t base;               // address minus position, in this lap
  const std::uint64_t* clock_line;  // the coarse clock's, or one that holds kReadCounter or kCallForTime
  std::uint64_t granted;            // the limit that goes with what reserve() made room for
  std::uint8_t notify_level;        // records of this level or above wake the scribe at once
};

// Values of a clock line that are no time.
inline constexpr std::uint64_t kReadCounter = 0;
inline constexpr std::uint64_t kCallForTime = 1;

// The tails of threads without a ring point at this.
extern STENO_EXPORT std::uint64_t no_tail;

// The writer of this thread for the default session, and a pointer per session slot (slot 0 included). Without a ring
// they are stand-ins that have no room.
//
// Never by the dynamic TLS models, which call a function: code for shared libraries goes through one load. Code for
// executables addresses the writer directly (it matters: with a base register that is computed anew, the core cannot
// forward one record's stores to the next one's loads without delay), by names that only the executable's own copy of
// steno has: src/runtime/thread_writer.cc. Define STENO_SHARED when steno itself is a shared library.
extern STENO_EXPORT __thread Writer tls_writer __attribute__((tls_model("initial-exec")));
extern STENO_EXPORT __thread Writer** tls_writers __attribute__((tls_model("initial-exec")));
#if (!defined(__PIC__) || defined(__PIE__)) && !defined(STENO_SHARED)
extern __thread Writer program_writer __attribute__((tls_model("local-exec")));
extern __thread Writer** program_writers __attribute__((tls_model("local-exec")));
STENO_ALWAYS_INLINE Writer* writer_of_default() {
  return &program_writer;
}
STENO_ALWAYS_INLINE Writer* writer_of_slot(std::uint32_t slot) {
  return program_writers[slot];
}
#else
STENO_ALWAYS_INLINE Writer* writer_of_default() {
  return &tls_writer;
}
STENO_ALWAYS_INLINE Writer* writer_of_slot(std::uint32_t slot) {
  return tls_writers[slot];
}
#endif

// The long way. Makes room for `bytes` (a multiple of 8): attaches the thread, wraps, wakes the scribe, waits or drops
// as the session's policy says. `limit` is what the caller found. True: the thread's writer of that slot has its limit
// 0 and `granted` set. False: the record is refused, and counted.
STENO_EXPORT STENO_COLD bool reserve(std::uint32_t slot, std::size_t bytes, Level level, std::uint64_t limit) noexcept;

// Clocks other than the counter and the coarse line.
STENO_EXPORT STENO_COLD std::uint64_t call_clock(std::uint32_t slot) noexcept;

// Wakes the scribe of that slot: a record of notify_level was logged.
STENO_EXPORT STENO_COLD void notify(std::uint32_t slot) noexcept;

STENO_ALWAYS_INLINE std::uint64_t read_counter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;  // ClockMode::kCounter is never chosen here
#endif
}

// Returns whether a statement that names a logger, and is not disabled, passes its threshold.
STENO_ALWAYS_INLINE bool passes(const Logger& logger, Level level, std::uint64_t word) {
  return STENO_LIKELY(logger.enabled(level)) || ((word & kOverridesLogger) != 0 && logger.is_open());
}

// Where a statement's records go: a slot's writer, found anew where it may have changed, and the logger in the header.
// The default slot's writer is always the same thread-local, which the compiler must see to address it directly.
struct DefaultSlot {
  static constexpr std::uint32_t slot = 0;
  STENO_ALWAYS_INLINE Writer* writer() const { return writer_of_default(); }
  constexpr std::uint64_t address(std::uint64_t word) const { return word; }
};
struct LoggerSlot {
  std::uint32_t slot;
  std::uint16_t logger;

  STENO_ALWAYS_INLINE explicit LoggerSlot(const LoggerState& state) : slot(state.slot), logger(state.id) {}
  constexpr LoggerSlot(std::uint32_t slot_, std::uint16_t logger_) : slot(slot_), logger(logger_) {}
  STENO_ALWAYS_INLINE Writer* writer() const { return writer_of_slot(slot); }
  // For a site that is not registered the id stays 0.
  constexpr std::uint64_t address(std::uint64_t word) const {
    return (word & ~kOverridesLogger) | static_cast<std::uint64_t>(logger) << 48;
  }
};

// The word of a record's header with its size, which is a multiple of eight.
constexpr std::uint64_t with_size(std::uint64_t word, std::size_t bytes) {
  return word | std::uint64_t{bytes} << 29;  // bytes / 8, from bit 32 on
}

// A record that is being written. Atomics on `limit` are relaxed: they order nothing between threads (the stand-in is
// shared).
struct OpenRecord {
  std::uint64_t* tail;  // the writer's
  std::uint64_t position;
  std::uint64_t limit;
  std::size_t bytes;
};

// Opens a record if there is room for it, which has_room() tells.
STENO_ALWAYS_INLINE OpenRecord open_here(Writer* w, std::size_t bytes) {
  OpenRecord record;
  record.bytes = bytes;
  record.limit = __atomic_load_n(&w->limit, __ATOMIC_RELAXED);
  __atomic_store_n(&w->limit, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  record.tail = w->tail;
  record.position = __atomic_load_n(record.tail, __ATOMIC_RELAXED);
  return record;
}
STENO_ALWAYS_INLINE bool has_room(const OpenRecord& record, const Writer* w) {
  return record.limit - record.position - record.bytes < *w->window;
}

// False: the record is refused.
template <class Slot>
STENO_ALWAYS_INLINE bool open_record(OpenRecord* record, Slot slot, std::size_t bytes, const SiteEntry& site) {
  *record = open_here(slot.writer(), bytes);
  if (STENO_UNLIKELY(!has_room(*record, slot.writer()))) {
    if (!reserve(slot.slot, bytes, site.level, record->limit)) return false;
    record->limit = slot.writer()->granted;
    record->tail = slot.writer()->tail;
    record->position = __atomic_load_n(record->tail, __ATOMIC_RELAXED);
  }
  return true;
}

// A time, kReadCounter or kCallForTime.
STENO_ALWAYS_INLINE std::uint64_t clock_line(const Writer* w) {
#if defined(__clang__) || defined(__SANITIZE_THREAD__)
  const std::uint64_t* const line = __atomic_load_n(&w->clock_line, __ATOMIC_RELAXED);
#else
  // Other threads store this pointer. GCC loads a volatile one by a single aligned instruction too, and for an atomic
  // load inside a thread-local it would compute the address first, by two more.
  const std::uint64_t* const line = *const_cast<const std::uint64_t* const volatile*>(&w->clock_line);
#endif
  return __atomic_load_n(line, __ATOMIC_RELAXED);
}

// The time of a record, by the clock that the session chose.
template <class Slot>
STENO_ALWAYS_INLINE std::uint64_t read_clock(Slot slot) {
  const std::uint64_t value = clock_line(slot.writer());
  if (STENO_LIKELY(value > kCallForTime)) return value;
  if (STENO_LIKELY(value == kReadCounter)) return read_counter();
  return call_clock(slot.slot);
}

// Where an open record lies.
STENO_ALWAYS_INLINE char* record_data(const OpenRecord& record, const Writer* w) {
  return reinterpret_cast<char*>(record.position + w->base);
}

// Asks for the memory of records to come. The scribe's core has it, and stores that wait for it fill the store buffer:
// on Intel, records of 40 bytes and more cost a quarter less with this. It may be past the ring's end.
STENO_ALWAYS_INLINE void prefetch_room(const char* record) {
  constexpr std::size_t kAhead = 1024;  // bytes; a few hundred ns of records in a burst
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(record[kAhead]));  // compilers take the intrinsic for a load, without -mprfchw
#else
  __builtin_prefetch(record + kAhead, 1);
#endif
}

STENO_ALWAYS_INLINE void close_record(const OpenRecord& record, Writer* w) {
  // Release: pairs with the consumer's acquire load of tail; a plain store on x86.
  __atomic_store_n(record.tail, record.position + record.bytes, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&w->limit, record.limit, __ATOMIC_RELAXED);
}

// Writes by calls, for records whose code is not inlined anyway. Header and time are written. The limit travels in a
// register: through memory it would make each record wait for the last.
struct BegunRecord {
  char* arguments;  // nullptr: the record is refused
  std::uint64_t limit;
};
STENO_EXPORT BegunRecord begin_record(DefaultSlot slot, const SiteEntry& site, std::uint64_t word,
                                      std::size_t bytes) noexcept;
STENO_EXPORT BegunRecord begin_record(LoggerSlot slot, const SiteEntry& site, std::uint64_t word,
                                      std::size_t bytes) noexcept;

template <class Slot>
STENO_ALWAYS_INLINE void end_record(Slot slot, const BegunRecord& record, std::size_t bytes) {
  Writer* w = slot.writer();
  const std::uint64_t position = reinterpret_cast<std::uint64_t>(record.arguments) - kArgsOffset - w->base;
  close_record({w->tail, position, record.limit, bytes}, w);
}

STENO_ALWAYS_INLINE void notify_if(const Writer* w, std::uint32_t slot, Level level) {
  if (STENO_UNLIKELY(static_cast<std::uint8_t>(level) >= __atomic_load_n(&w->notify_level, __ATOMIC_RELAXED)))
    notify(slot);
}

}  // namespace steno::detail
