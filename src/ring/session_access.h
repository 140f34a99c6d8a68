// All shared accesses to a session file (ring.md §2). Each has a named function here, and each acquire and release
// names its partner. The "owner" is the process that made the staging; the "consumer" is the one that drains it.
//
// Members without a function here are written before the version, or by one process alone, or under the locks of
// ring.md §1.2.
#pragma once

#include <cstdint>

#include "ring/layout.h"

namespace steno::ring {

// Owner, last of all when staging is made: from here on it is no rubbish. Whoever opens it reads the file as a whole,
// after it found the version in it.
inline void publish_version(SessionFile& file) {
  __atomic_store_n(&file.version, kVersion, __ATOMIC_RELEASE);
}
// Owner: it is unfinished again (ring.md §1.6).
inline void withdraw_version(SessionFile& file) {
  __atomic_store_n(&file.version, 0u, __ATOMIC_RELAXED);
}

// Owner, or the consumer of a dead one: another session begins. Whoever loads this id (ForeignStaging::copy_session)
// finds what was stored of the session before.
inline void publish_session_id(SessionFile& file, std::uint64_t id) {
  __atomic_store_n(&file.session_id, id, __ATOMIC_RELEASE);
}

// SessionFile::state. Release and acquire: a process that sees that a session has ended sees everything that it left;
// one that sees that it is running sees its path and identity.
inline void store_state(SessionFile& file, std::uint32_t state) {
  __atomic_store_n(&file.state, state, __ATOMIC_RELEASE);
}
inline std::uint32_t load_state(const SessionFile& file) {
  return __atomic_load_n(&file.state, __ATOMIC_ACQUIRE);
}

// Owner: the session was stopped in order. Consumer: all that was logged before is in the rings.
inline void store_stopped(SessionFile& file, bool stopped) {
  __atomic_store_n(&file.stopped, stopped ? 1u : 0u, __ATOMIC_RELEASE);
}
inline bool is_stopped(const SessionFile& file) {
  return __atomic_load_n(&file.stopped, __ATOMIC_ACQUIRE) != 0;
}

// Owner, before the state: whether it leaves draining to others. The consumer that finds the state finds it.
inline void store_external(SessionFile& file, bool external) {
  __atomic_store_n(&file.external, external ? 1u : 0u, __ATOMIC_RELEASE);
}
// Owner, also before the state: the level from which records do not go to the flight recorder.
inline void store_recorder_below(SessionFile& file, std::uint32_t level) {
  __atomic_store_n(&file.recorder_below, level, __ATOMIC_RELEASE);
}

// When a consumer of another process writes what the flight recorder has: at which level, how many records, and how
// old.
struct RecorderLimits {
  std::uint32_t trigger = 0;
  std::uint64_t records = 0;  // 0: all
  std::uint64_t ns = 0;       // likewise
};
// Owner, before the state.
inline void store_recorder_limits(SessionFile& file, const RecorderLimits& limits) {
  __atomic_store_n(&file.recorder_trigger, limits.trigger, __ATOMIC_RELAXED);
  __atomic_store_n(&file.recorder_records, limits.records, __ATOMIC_RELAXED);
  __atomic_store_n(&file.recorder_ns, limits.ns, __ATOMIC_RELAXED);
}
inline RecorderLimits load_recorder_limits(const SessionFile& file) {
  return {__atomic_load_n(&file.recorder_trigger, __ATOMIC_RELAXED),
          __atomic_load_n(&file.recorder_records, __ATOMIC_RELAXED),
          __atomic_load_n(&file.recorder_ns, __ATOMIC_RELAXED)};
}
// Owner: the flight recorder is to be written, with all that was logged before. The consumer that loads the new number
// finds the tails that were stored before. Returns the number.
inline std::uint32_t ask_dump(SessionFile& file) {
  return __atomic_add_fetch(&file.dumps_asked, 1u, __ATOMIC_RELEASE);
}
inline std::uint32_t load_dumps_asked(const SessionFile& file) {
  return __atomic_load_n(&file.dumps_asked, __ATOMIC_ACQUIRE);
}
// Consumer: what was asked for up to that number is on file.
inline void store_dumps_done(SessionFile& file, std::uint32_t number) {
  __atomic_store_n(&file.dumps_done, number, __ATOMIC_RELEASE);
}
inline std::uint32_t load_dumps_done(const SessionFile& file) {
  return __atomic_load_n(&file.dumps_done, __ATOMIC_ACQUIRE);
}
// Consumer, for itself and the one after it: a record that has the flight recorder written may be released, and the
// recorder is not written yet.
inline void set_dump_due(SessionFile& file, bool due) {
  __atomic_store_n(&file.dump_due, due ? 1u : 0u, __ATOMIC_RELAXED);
}
inline bool is_dump_due(const SessionFile& file) {
  return __atomic_load_n(&file.dump_due, __ATOMIC_RELAXED) != 0;
}

// Owner: so many rings have their version. Pairs with the acquire load in ForeignStaging::has_new_rings.
inline void publish_ring_count(SessionFile& file, std::uint32_t count) {
  __atomic_store_n(&file.ring_count, count, __ATOMIC_RELEASE);
}
// Owner: so much of the dictionary's file is written. Whoever has seen a tail loads it after that, and finds the
// entries of the records below the tail.
inline void publish_dictionary_size(SessionFile& file, std::uint64_t size) {
  __atomic_store_n(&file.dictionary_size, size, __ATOMIC_RELEASE);
}
// Owner: so many entries are not there for want of room. After the size, and before any record that needs them.
inline void store_missing_entries(SessionFile& file, std::uint32_t entries) {
  __atomic_store_n(&file.missing_entries, entries, __ATOMIC_RELEASE);
}
// For the owner itself.
inline std::uint32_t load_missing_entries(const SessionFile& file) {
  return __atomic_load_n(&file.missing_entries, __ATOMIC_RELAXED);
}

// Records that no ring was there for: a count, which orders nothing.
inline void count_discarded(SessionFile& file) {
  __atomic_fetch_add(&file.discarded, std::uint64_t{1}, __ATOMIC_RELAXED);
}
// How many of those that are not reported yet were logged by signal handlers that had interrupted a log call. After
// count_discarded(), so that it is never more.
inline void count_in_handler(SessionFile& file) {
  __atomic_fetch_add(&file.in_handlers, std::uint64_t{1}, __ATOMIC_RELEASE);
}
inline std::uint64_t load_in_handlers(const SessionFile& file) {
  return __atomic_load_n(&file.in_handlers, __ATOMIC_ACQUIRE);
}
// Whoever reports some of them.
inline void take_in_handlers(SessionFile& file, std::uint64_t records) {
  __atomic_fetch_sub(&file.in_handlers, records, __ATOMIC_RELAXED);
}
inline std::uint64_t load_discarded(const SessionFile& file) {
  return __atomic_load_n(&file.discarded, __ATOMIC_RELAXED);
}

// Producer: the consumer should write at once what there is. A consumer in another process that loads the new number
// finds the tails that were stored before.
inline void request_write(SessionFile& file) {
  __atomic_fetch_add(&file.requests, 1u, __ATOMIC_RELEASE);
}
inline std::uint32_t load_requests(const SessionFile& file) {
  return __atomic_load_n(&file.requests, __ATOMIC_ACQUIRE);
}

// The flag says whether the consumer sleeps on the word, or is about to. A fence of each side orders it with the tails:
// the consumer's, between storing 1 and its last look at them (Scribe::sleep, ExternalScribe::sleep), and the
// producer's, between its tail and this load (ScribeCall::wake).
inline void set_sleeping(SessionFile& file, bool sleeping) {
  __atomic_store_n(&file.scribe_sleeping, sleeping ? 1u : 0u, __ATOMIC_RELAXED);
}
inline bool is_sleeping(const SessionFile& file) {
  return __atomic_load_n(&file.scribe_sleeping, __ATOMIC_RELAXED) != 0;
}

// The number of the request to the owner in the file `control` (ring.md §6). The numbers order nothing else: the file
// is read by a system call after them.
inline std::uint32_t load_control_request(const SessionFile& file) {
  return __atomic_load_n(&file.control_request, __ATOMIC_ACQUIRE);
}
inline std::uint32_t load_control_answer(const SessionFile& file) {
  return __atomic_load_n(&file.control_answer, __ATOMIC_RELAXED);
}
inline void store_control_answer(SessionFile& file, std::uint32_t number) {
  __atomic_store_n(&file.control_answer, number, __ATOMIC_RELEASE);
}

// Facts that people and other processes look at, and that order nothing.
inline void set_last_look(SessionFile& file, std::uint64_t ticks) {
  __atomic_store_n(&file.last_look, ticks, __ATOMIC_RELAXED);
}
inline void set_coarse_clock(SessionFile& file, std::uint64_t ticks) {
  __atomic_store_n(&file.coarse_clock, ticks, __ATOMIC_RELAXED);
}
inline void set_consumer_pid(SessionFile& file, std::uint32_t pid) {
  __atomic_store_n(&file.consumer_pid, pid, __ATOMIC_RELAXED);
}
// Consumer: whether the file refuses to be written.
inline void set_refuses(SessionFile& file, bool refuses) {
  __atomic_store_n(&file.refuses, refuses ? 1u : 0u, __ATOMIC_RELAXED);
}
inline bool refuses(const SessionFile& file) {
  return __atomic_load_n(&file.refuses, __ATOMIC_RELAXED) != 0;
}
// Consumer: whether it looks after staging that is left vacant (ring.md §1.6).
inline void set_keeps_vacant(SessionFile& file, bool keeps) {
  __atomic_store_n(&file.keeps_vacant, keeps ? 1u : 0u, __ATOMIC_RELAXED);
}
// Owner: offers the staging to the next process. Stored after all other changes of this process; a process that finds
// it takes the locks first.
inline void store_vacant(SessionFile& file, bool vacant) {
  __atomic_store_n(&file.vacant, vacant ? 1u : 0u, __ATOMIC_RELEASE);
}
// How many consumers there were before the caller, which has the lock.
inline std::uint32_t count_consumer(SessionFile& file) {
  return __atomic_fetch_add(&file.consumers, 1u, __ATOMIC_RELAXED);
}
inline void restart_consumers(SessionFile& file) {
  __atomic_store_n(&file.consumers, 0u, __ATOMIC_RELAXED);
}

}  // namespace steno::ring
