// A fence in all threads of the process at once, so that they need none where they are fast.
#pragma once

namespace steno {

// After it, whatever another thread stored before some moment during the call is seen here, and what was stored here
// before the call is seen there after that moment. False: the system cannot do it. Costs some microseconds, and a short
// interruption of each core that runs a thread of the process.
bool fence_all_threads();

}  // namespace steno
