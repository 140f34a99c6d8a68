// A callback that runs when the process dies of a fault (Options::crash_record).
//
//   void leave_a_note(const steno::Termination& how, void* file) {
//     const char note[] = "crashed\n";
//     (void)!write(*static_cast<int*>(file), note, sizeof note - 1);
//   }
//   steno::on_termination(leave_a_note, &file);
//
// It is called from the signal handler, in the faulting thread, after the crash record has been logged and before
// earlier handlers run or the process dies. It may do what signal-safety(7) allows: call write(2) and the like, use
// atomics, read constants. It must not allocate, lock, throw or use stdio, because the fault may have interrupted
// these. It may log: if the thread was in the middle of a log call, the record is discarded; if its ring is full, the
// call waits or drops as Options::when_full says. It can use the rest of the 64 KiB of handler stack, if the thread has
// one (session.h). A fault in the callback ends it, and the process dies as it would have. The same happens if it takes
// longer than a second while another thread crashes. It may end the process itself (_exit(2)); records are kept in any
// case.
//
// The callback is not called without a session that has Options::crash_record set, nor in a forked child before its
// first log call.
#pragma once

#include "steno/detail/config.h"

namespace steno {

// A view, valid during the call.
struct Termination {
  int signal = 0;                 // SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP or SIGABRT
  int code = 0;                   // siginfo_t::si_code
  const void* address = nullptr;  // of the fault; meaningless for SIGTRAP and SIGABRT
};
// `context` is that of on_termination().
using TerminationCallback = void (*)(const Termination& how, void* context);

// Registers a callback for the lifetime of the process. Callbacks are called in the order of registration. False: 8 are
// registered already, or it is null. Thread-safe. Not for signal handlers.
STENO_EXPORT bool on_termination(TerminationCallback callback, void* context = nullptr) noexcept;

}  // namespace steno
