// Lets no fork happen in the middle of a change by another thread.
//
// The child of a fork has its parent's levels, statements and formats, and none of them may be half changed by a thread
// that the child does not have. No lock is held for that: fork handlers of other libraries run between ours, and may
// log, or wait for a thread that needs the lock. Instead a fork waits until no change is under way, and then changes of
// other threads wait until it is over. A handler that calls steno meanwhile opens the gate for as long as the call
// takes: it does not fork just then. Mutexes that were held at the fork are made anew in the child; what they guard is
// whole, for it was only read.
//
// Thread safety: any thread may call these. Not in signal handlers, but for ForkPause.
#pragma once

#include <optional>

#include "base/signal_safe_lock.h"

namespace steno {

// For fork handlers, signals blocked. They nest where a handler forks.
void begin_fork();
// True: it was the outermost.
bool end_fork();
// In the child: threads that changed something are not here.
void forget_changes();
// Returns whether something is half changed by a thread that this child does not have.
// Comes before forget_changes().
bool has_foreign_changes();

// While it lives, the calling thread does not fork.
class ForkPause {
 public:
  ForkPause();
  ~ForkPause();
  ForkPause(const ForkPause&) = delete;
  ForkPause& operator=(const ForkPause&) = delete;

 private:
  const bool pauses_;
};

// While it lives, no other thread forks. Before any lock of what is changed. They nest.
class Change {
 public:
  Change() : Change(true) {}
  // False: signal handlers may come, but must not change anything.
  explicit Change(bool blocks_signals);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  ForkPause pause_;
  std::optional<BlockSignals> signals_;
  bool outermost_ = false;
};

}  // namespace steno
