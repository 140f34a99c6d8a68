// A function of the program's own that runs when the process dies of a fault (Options::crash_record).
//
//   void leave_a_note(const steno::Termination& how, void* file) {
//     const char note[] = "crashed\n";
//     (void)!write(*static_cast<int*>(file), note, sizeof note - 1);
//   }
//   steno::on_termination(leave_a_note, &file);
//
// It is called in the handler of the signal, by the thread that the fault is in, once the crash record is in the logs
// and before the handlers that were there before steno's, or the death of the process. What it may do is what
// signal-safety(7) allows: write(2) and the like, atomics, reading what is constant. Not allocate, lock, throw or print
// with stdio: the fault may have come in the middle of these. It may log; a thread that was in the middle of a log call
// drops that record, and one whose ring is full waits, as Options::when_full says. It has the rest of 64 KiB of stack
// where the thread has a stack for its handlers (session.h). A fault in it ends it, and the process dies as it would
// have. So does one that takes longer than a second while another thread crashes. It may end the process itself
// (_exit(2)); what has been logged is kept all the same.
//
// Without a session whose Options::crash_record is set nothing is called; nor in a forked child before its first log
// call.
#pragma once

#include "steno/detail/config.h"

namespace steno {

// A view, valid during the call.
struct Termination {
  int signal = 0;                 // SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT
  int code = 0;                   // siginfo_t::si_code
  const void* address = nullptr;  // of the fault, of SIGABRT nothing that means anything
};
// `context` is that of on_termination().
using TerminationCallback = void (*)(const Termination& how, void* context);

// Called in the order in which they came; at most 8, for as long as the process lives. False: there are 8 already, or
// it is null. Thread-safe. Not for signal handlers.
STENO_EXPORT bool on_termination(TerminationCallback callback, void* context = nullptr) noexcept;

}  // namespace steno
