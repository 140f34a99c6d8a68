// The policy for a record for which there is no room.
#pragma once

namespace steno {

// A log call whose thread's ring is full waits for the scribe, or drops the record. Drops are counted, and the log
// reports the gap where it happened. The last eighth of each ring is reserved for WARN and above, and its end for ERROR
// and CRITICAL, so the most severe records are dropped last. For a sink's queue (steno/sink.h): whether the scribe
// waits for the sink or skips lines.
enum class WhenFull { kBlock, kDrop };

}  // namespace steno
