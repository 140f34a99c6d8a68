// The flight recorder: keeps records of low levels in memory and writes them to the log only when something happens.
//
//   steno::start({.path = "app.steno", .level = steno::Level::kDebug, .recorder = {.below = steno::Level::kInfo}});
//   STENO_DEBUG("{key} is in shard {shard}", key, shard);   // costs the same as any call; not in the file
//   STENO_ERROR("lost {key}", key);                         // now the records before it are in the file, too
//
// Levels and rules enable statements as usual. Records below `below` do not go to the file but to a ring that
// overwrites its oldest records. They are written to the file, at their place in time, when a record of `trigger` or
// above is logged, by steno::dump_recorder(), by `steno ctl PID dump`, and if the process dies without stopping its
// session: the ring is in shared memory, and recovery writes it. After them a record says how many there are and how
// many were overwritten before them; `steno verify` does not count these as lost.
//
// Like all records, they first go to the ring of their thread, from which the scribe copies them. If a program logs
// faster than the scribe copies, calls wait or drop records, as Options::when_full says, for these levels too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "steno/level.h"

namespace steno {

// Options::recorder.
struct Recorder {
  // Records below this level go to the flight recorder. kTrace: there is no flight recorder.
  Level below = Level::kTrace;
  // The size of its ring, rounded up to a power of two, 64 KiB to 1 GiB. A record takes as much as in a thread's ring.
  // The first session of the process with a flight recorder determines the size.
  std::size_t bytes = std::size_t{1} << 22;
  // A record of this level or above causes the contents to be written; it must not be lower than `below`. WARN and
  // above wake the scribe at once; it notices lower levels at its next round. kLevelOff: no level does.
  Level trigger = Level::kError;
  // How much is written: at most this many of the last records, and only those of this time before the trigger. 0: all.
  // After a crash everything is written.
  std::uint64_t records = 0;
  std::chrono::milliseconds time{0};
};

}  // namespace steno
