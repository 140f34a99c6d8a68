// Tells whether this process is the one that its memory was made in: the child of a fork has all of its parent's
// memory, and must not use what both share.
//
// A page says so that the system zeroes in every child that has a copy of the memory (MADV_WIPEONFORK, Linux 4.14): one
// by fork(), whose handlers of ours have not run yet, or one by clone() or _Fork(), where none run. Without such pages
// only handlers know.
//
// Emulators take any advice, and some do nothing then (qemu-user 7.2). There the process's id is compared as well. A
// child without handlers still finds its parent's windows, and so writes into a ring of its parent's until one ends.
//
// Thread safety: any thread may call these, in signal handlers too.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace steno {

// Memory of zeros that is zeros again in children. nullptr: memory is out.
void* map_wiped(std::size_t bytes);

// From here on this process is known. Called before anything is shared with other processes.
void claim_process();

// Sets the function that a child's first call to enter_process() calls. True: it is a process of its own from here on.
void set_take_over(bool (*take_over)());

extern std::atomic<const std::uint64_t*> process_mark;  // 1; 0 in a child
extern std::atomic<int> process_id;                     // 0: the mark is enough

inline bool is_own_process() {
  const std::uint64_t* const mark = process_mark.load(std::memory_order_acquire);
  if (mark != nullptr && __atomic_load_n(mark, __ATOMIC_RELAXED) == 0) return false;
  const int id = process_id.load(std::memory_order_relaxed);
  return id == 0 || id == getpid();
}

// For calls that lock. False: this is the child of a process with threads that are not here, and that may have held any
// lock; no handlers prepared it, so that nothing may be locked here.
bool enter_process();

}  // namespace steno
