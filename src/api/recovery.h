// Records that processes left for a log file when they died go into it when a session begins there.
#pragma once

#include <atomic>

#include "runtime/core.h"
#include "steno/session.h"

namespace steno::api {

// Writes it now, in the calling thread; ends early, between blocks, once `*stop` is true.
void recover_orphans(const Options& options, const std::atomic<bool>* stop = nullptr);

// Recovers for a session that has begun and brings no scribe, if there is none anywhere of this user's: one that is
// there recovers too, and a process need not look at the staging of hundreds that log to the same file.
void recover_unattended(runtime::Core& core, const Options& options);

// Recovers in a thread of its own, for a session that begins within a log call, which must not wait for recovery. One
// at a time; further calls do nothing.
void recover_in_background(const Options& options);
// At the end of the process: waits for it, but after a second ends it between two blocks. What is left then is the next
// session's.
void end_background_recovery();
// In a forked child, where it does not run.
void forget_background_recovery();

}  // namespace steno::api
