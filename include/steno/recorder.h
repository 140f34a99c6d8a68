// The flight recorder: records of low levels that are kept for a while, and come into the log when something happens.
//
//   steno::start({.path = "app.steno", .level = steno::Level::kDebug, .recorder = {.below = steno::Level::kInfo}});
//   STENO_DEBUG("{key} is in shard {shard}", key, shard);   // costs what any call does; is in no file
//   STENO_ERROR("lost {key}", key);                         // now those before it are, too
//
// Statements are enabled by levels and rules as ever; of what they log, records below `below` do not go to the file but
// to a ring that overwrites the oldest. They come into the file, in their place in time, when a record of `trigger` or
// above is logged, at steno::dump_recorder(), at `steno ctl PID dump`, and when the process dies without having stopped
// its session: the ring is shared memory, and whoever recovers the log writes it. After them a record says how many
// they are, and how many were overwritten before them; `steno verify` tells these from lost ones.
//
// What the scribe has not come to yet waits in the rings of threads, as all records do: a program that logs faster than
// the scribe copies waits or drops, as Options::when_full says, of these levels too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "steno/level.h"

namespace steno {

// Options::recorder.
struct Recorder {
  // Records below this level are the flight recorder's. kTrace: there is none.
  Level below = Level::kTrace;
  // Of its ring, rounded up to a power of two, 64 KiB to 1 GiB. A record takes what it takes in a thread's ring. The
  // first session of a process that has one decides.
  std::size_t bytes = std::size_t{1} << 22;
  // A record of this level or above, at least `below`, has what is there written, and so has the scribe wake at once
  // (WARN or above; lower ones are seen when it looks next). kLevelOff: no level does.
  Level trigger = Level::kError;
  // Of what is there, the last so many records and those of so much time before the trigger. 0: all. After a crash all
  // that is there is written.
  std::uint64_t records = 0;
  std::chrono::milliseconds time{0};
};

}  // namespace steno
