// Calls that come from within steno: of an allocator that logs, which steno calls while it holds a lock, or of a
// program in a fork handler.
#pragma once

#include <cstdint>

namespace steno {

// Facts about the calling thread.
struct Within {
  std::uint8_t locks;  // of steno's that it holds, or is about to
  std::uint8_t forks;  // between its fork handlers of ours; more than one: a handler forks
  bool changes;        // it is within a Change (fork_gate.h)
  bool pauses;         // and within a ForkPause
};
#ifdef STENO_LOADED_LATER
// A library that musl loads after the program's start finds no room among the words that threads have from the start.
// But musl makes all others as early, so that a signal handler may use them as well.
#define STENO_WITHIN_MODEL "global-dynamic"
#else
#define STENO_WITHIN_MODEL "initial-exec"
#endif
extern __thread Within tls_within __attribute__((tls_model(STENO_WITHIN_MODEL)));

// While it lives, calls of the program in this thread may not lock anything of steno's.
class Inside {
 public:
  Inside() { ++tls_within.locks; }
  ~Inside() { --tls_within.locks; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};
inline bool is_inside() {
  return tls_within.locks != 0;
}

// A record that is not logged for that. Counted for the process, and reported once, by whoever takes them.
void refuse_inner_record();
std::uint64_t take_inner_refusals();

}  // namespace steno
