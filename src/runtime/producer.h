// The long way of a log call (writer.h): how a thread gets a ring, and room in it. Statements do not call these
// functions.
//
// Thread safety: all of it is about the calling thread.
#pragma once

#include <cstdint>
#include <string>

namespace steno::runtime {

// Marks the calling thread as the scribe's: it never waits for ring space.
void mark_scribe_thread();
// Marks the thread so while this lives, for threads that drain rings on their way: a signal handler that logs meanwhile
// would wait for what it interrupted.
class ServesRings {
 public:
  ServesRings();
  ~ServesRings();
  ServesRings(const ServesRings&) = delete;
  ServesRings& operator=(const ServesRings&) = delete;

 private:
  const bool before_;
};

// Names the calling thread, in every ring it has.
void rename_thread(const std::string& name);
// Attaches the calling thread to a slot before its first record. False: it has no ring, for none is to be had, or it is
// getting one, and this is a signal handler of its.
bool prepare_thread(std::uint32_t slot);
// The size of the largest record that fits into the calling thread's ring in a slot, up to `wanted` bytes. Grows the
// ring for it if possible. 0 if there is no ring.
std::uint64_t largest_record(std::uint32_t slot, std::uint64_t wanted);
// Counts a record of the slot whose strings do not fit into the thread's ring even when they are cut.
void count_too_large(std::uint32_t slot);
// Counts a record of a child that was made without fork handlers.
void count_in_child(std::uint32_t slot);
// Counts a record that came from within steno (base/within.h).
void count_inner(std::uint32_t slot);
// Counts a record of a thread that gets no ring, for whichever reason holds.
void count_lost(std::uint32_t slot);

}  // namespace steno::runtime
