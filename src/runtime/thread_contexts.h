// Writes the context of the calling thread to its rings: once per change, before the next record (ring.md §4.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/thread_state.h"

namespace steno::runtime {

// A *thread* record, which ends the context, has been written for that slot.
void renew_context(ThreadState& thread, std::uint32_t slot);
// Returns whether the ring of that slot does not have the calling thread's context yet.
bool lacks_context(const Core& core);
// The most bytes that write_context() needs.
std::size_t context_record_size();
// Says it there. False: no room.
bool write_context(Core& core, Ring& ring);

}  // namespace steno::runtime
