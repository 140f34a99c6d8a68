// Work in pieces, done by several threads at once.
#pragma once

#include <cstddef>
#include <functional>

namespace steno {

// How many threads to use: as requested; 0: as set by set_default_threads(), else one per core that the process may
// use, at most 64.
unsigned thread_count(unsigned asked = 0);
// For the whole process, from now on; 0: one a core. Thread-safe.
void set_default_threads(unsigned threads);

// Gives out all of [0, count) in pieces of `step`, in order, to up to `threads` threads: the caller, which is worker 0,
// and others, which no signals reach but those of their own faults, and which end before this returns; fewer where no
// more can be started. What `work` throws first is thrown from here when all have ended; nothing is given out any more
// then.
void in_parallel(std::size_t count, std::size_t step, unsigned threads,
                 const std::function<void(unsigned worker, std::size_t begin, std::size_t end)>& work);

}  // namespace steno
