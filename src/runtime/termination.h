// Functions that programs want to be called when they die of a fault (steno/termination.h). Signal-safe.
#pragma once

#include "steno/termination.h"

namespace steno::runtime {

struct WantedCall {
  TerminationCallback callback = nullptr;
  void* context = nullptr;
};
inline constexpr unsigned kMostTerminationCallbacks = 8;
// The i-th one, from 0. Without a callback: it is not there, or not yet.
WantedCall termination_callback(unsigned i);

}  // namespace steno::runtime
