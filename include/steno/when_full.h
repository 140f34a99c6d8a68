// What happens to a record for which there is no room.
#pragma once

namespace steno {

// What a log call does when its thread's ring is full: wait for the scribe, or drop the record. Drops are counted and
// the gap is recorded in the log where it happened. The last eighth of each ring is kept for WARN and above, and the
// end of that for ERROR and for CRITICAL: the most severe are dropped last.
// Of a sink's queue (steno/sink.h): whether the scribe waits for the sink, or passes the lines over.
enum class WhenFull { kBlock, kDrop };

}  // namespace steno
