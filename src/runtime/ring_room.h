// Room in a ring for its producer: the way to more of it, over the wrap and by growing (ring.md §4.2, §4.4). All of it
// is for the thread that has the ring, on its long way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/no_cancellation.h"
#include "base/thread_sanitizer.h"
#include "ring/ring_access.h"
#include "runtime/core.h"
#include "steno/level.h"

namespace steno::runtime {

// The producer's own position: only it stores the tail.
inline std::uint64_t position_of(const Ring& ring) {
  return ring::own_tail(ring.memory.header);
}

inline void publish(Ring& ring, std::uint64_t tail) {
  ring::publish_tail(ring.memory.header, tail);
}

// Closes a ring without a record. The next call comes the long way again.
inline void leave(Ring& ring) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&ring.writer->limit, position_of(ring), __ATOMIC_RELAXED);
}

// Where a record must end. The end of a ring is kept for what is more severe than `level`, but for an empty ring, which
// is anyone's: large records need all of it.
std::uint64_t free_end(std::uint64_t capacity, std::uint64_t head, std::uint64_t position, Level level);

// Goes over to a larger extent, as far as that is possible at this point (ring.md §4.4). False: it is not, or there is
// no more memory to be had.
bool grow(Core& core, Ring& ring, std::size_t bytes);

// Makes room for `bytes` if there is any, crossing the wrap with a pad. The producer's half of ring.md §4.2.
bool refill(Core& core, Ring& ring, std::size_t bytes, Level level);

}  // namespace steno::runtime
