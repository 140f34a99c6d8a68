// The state of a thread besides its hot pointers, from its first record to its end.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/recent_sites.h"
#include "runtime/ring.h"
#include "runtime/slots.h"
#include "runtime/thread_context.h"
#include "steno/detail/writer.h"

namespace steno::runtime {

struct BraceSite;
struct FormatSite;

struct ThreadState {
  std::uint32_t index = 0;  // of this process's threads, from 1
  std::uint64_t tid = 0;
  std::string name;
  std::uint64_t attached = 0;  // bit n: there is a ring of slot n
  std::uint64_t stale = 0;     // which does not have the context yet
  Ring* rings[kMaxSlots] = {};
  detail::Writer* writers[kMaxSlots];  // stand-ins where there is no ring; slot 0's own is tls_writer
  ThreadContext context;
  RecentSites<FormatSite> recent_formats;
  RecentSites<BraceSite> recent_braces;
};

// The calling thread's; nullptr: it has not logged yet.
extern __thread ThreadState* tls_state __attribute__((tls_model("initial-exec")));

// Facts about a thread that has no state yet, or not any more.
struct ThreadFlags {
  bool attaching;  // it is getting a ring, or changes its context: a signal handler that logs meanwhile is refused
  bool scribe;     // it drains rings: it never waits for room
  bool inherits;   // in a forked child: the context of the thread that forked
  bool crashing;   // it is in the handler of faults
  bool ended;      // its last destructors run, if any: a ring that it gets now would never be handed back
  std::uint8_t destructions;  // calls of leave_thread()
  std::uint8_t long_ways;     // it is in reserve(); more than once: signal handlers are, too
  bool child;  // of a fork: it is a process of its own already, though its handlers of ours have not run yet
};
extern __thread ThreadFlags tls_flags __attribute__((tls_model("initial-exec")));

// From 1; in signal handlers too.
std::uint32_t next_thread_index();
// Makes the calling thread's. nullptr: memory is out.
ThreadState* make_thread_state();
// Requires that its rings are detached. It, and the writers of its slots from 1 on, may be another thread's next.
void remove_thread_state(ThreadState* state);
// For a slot from 1 on, as few threads need one. nullptr: memory is out.
detail::Writer* make_writer();
void remove_writer(detail::Writer* writer);
// In a forked child: starts with an empty list. Existing states stay as they are.
void forget_thread_states();

}  // namespace steno::runtime
