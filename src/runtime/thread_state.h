// What a thread has besides its hot pointers, from its first record to its end.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/core.h"
#include "runtime/thread_context.h"
#include "steno/detail/writer.h"

namespace steno::runtime {

struct ThreadState {
  std::uint32_t index = 0;  // of this process's threads, from 1
  std::uint64_t tid = 0;
  std::string name;
  std::uint64_t attached = 0;  // bit n: there is a ring of slot n
  std::uint64_t stale = 0;     // which does not have the context yet
  Ring* rings[kMaxSlots] = {};
  detail::Writer* writers[kMaxSlots];  // stand-ins where there is no ring
  ThreadContext context;
  detail::Writer own[kMaxSlots];  // of slots from 1 on; slot 0's is tls_writer
};

// From 1; in signal handlers too.
std::uint32_t next_thread_index();
// Of the calling thread. nullptr: memory is out.
ThreadState* make_thread_state();
// May be another thread's next.
void remove_thread_state(ThreadState* state);
// In a forked child: begins anew. The states that there are stay as they are.
void forget_thread_states();

}  // namespace steno::runtime
