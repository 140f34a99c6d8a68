// The crash record (Options::crash_record): logs the fault that a process dies of.
//
// A handler for the signals of faults writes a record of the signal, and then one for each frame of the stack, into the
// crash ring of each core that has one, and then does what was there before it: another handler, or death. Nothing that
// the thread was at is relied upon: its own ring may have an open record, and its locks may be held; so the ring is
// one that no thread has, and nothing here locks or allocates. Finding callers reads tables and a stack that may be
// damaged: the record of the signal is published before that, and a fault on the way only ends the list.
//
// Thread safety: one thread at a time writes; others wait for it, a second at most.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::runtime {

class Core;
struct Ring;

// Installs the handlers, once, and gives the calling thread a stack for them. Allocates; not for signal handlers.
void install_crash_handler();
// Where they are installed: gives the calling thread a stack for them, if it has none for its handlers. Signal-safe.
void take_crash_stack();
// At the thread's end.
void leave_crash_stack();
// In a forked child: a thread that was writing does not exist here.
void forget_crashes();

// Implemented by the producer (producer.cc), for the crash ring: writes the name and the context of the calling thread,
// to which the following records belong. Signal-safe. False: no room.
bool introduce_crashed_thread(Core& core, Ring& ring);

}  // namespace steno::runtime
