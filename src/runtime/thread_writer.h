// The state of threads before their first record and after their last (writer.h).
#pragma once

#include "runtime/core.h"
#include "steno/detail/writer.h"

namespace steno::runtime {

// A writer that never has room. Its limit is not 0, so that 0 means that a record is open, even if a signal handler has
// logged its thread's first record in between.
inline constexpr std::uint64_t kNoWindow = 0;
inline constexpr detail::Writer kStandIn = {1, &detail::no_tail, &kNoWindow, 0, &detail::kReadCounter, 0, 255};

struct StandIns {
  detail::Writer* of_slot[kMaxSlots];
};

// For the sessions beside the default one: all the same, shared by all threads. Whoever comes by stores 0.
extern StandIns stand_ins;

}  // namespace steno::runtime
