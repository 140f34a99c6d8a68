// The flight recorder (ring.md §4.6): what a consumer sets aside goes to a ring of its own, which overwrites its oldest
// records, until something happens; then that ring is drained as any other.
//
//   walker.add(...);                                     // of a thread's ring
//   recorder.take(id, owner, walker.aside(), head);      // store that in the ring's header; then it may be released
//
//   recorder.keep_latest(limits, now, ns_per_tick);      // something happened
//   recorder.report(ticks, recorder.count(), "an ERROR");  // drain it up to its tail
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "drain/drain.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "wire/dictionary.h"

namespace steno::drain {

// Why it is written: it was asked for, or a record of that level or above was logged.
std::string reason_to_write(bool asked, Level trigger);

// One ring of kind kRecorderRing as its consumer has it, who produces as well. It is trusted no more than any other.
// Refers to what it is made of; not thread-safe.
class FlightRecorder {
 public:
  // `capacity` bytes of data, of which nothing grows. `drained` and `owner`: how far it is, and whose records lie
  // there.
  FlightRecorder(ring::RingHeader* header, std::byte* data, std::uint64_t capacity, DrainedRing* drained,
                 wire::RingOwner* owner)
      : header_(header), data_(data), capacity_(capacity), drained_(*drained), owner_(*owner) {}

  // Takes what was set aside of a ring up to `position`: records of `owner`, until one of them says otherwise. What is
  // overwritten for it is released first.
  void take(std::uint32_t from, wire::RingOwner owner, const ByteBuffer& aside, std::uint64_t position);
  // Forgets all but the last `records`, and what is older than `since` (ticks).
  void keep(std::uint64_t records, std::uint64_t since);
  // Forgets what is more than the limits, at `now` (ticks).
  void keep_latest(const ring::RecorderLimits& limits, std::uint64_t now, double ns_per_tick);
  // Appends the record that says how many were kept, and how many not, for having been overwritten or forgotten.
  void report(std::uint64_t ticks, std::uint64_t kept, std::string_view reason);

  // Records that are there.
  std::uint64_t count() const;
  std::uint64_t tail() const { return ring::load_tail(header_); }
  bool empty() const { return drained_.cursor.head == tail(); }
  // Records that were overwritten or forgotten, and that no recorder record has reported yet.
  std::uint64_t unreported() const { return drained_.discards - drained_.cursor.drops; }
  // How far a ring has been taken. `taken` is what its header says, which may be one step older.
  std::uint64_t taken_of(std::uint32_t ring, std::uint64_t taken) const;

 private:
  // The place of the last record that was taken.
  struct Taken {
    std::uint32_t ring = ~std::uint32_t{0};
    std::uint64_t position = 0;
  };

  std::byte* at(std::uint64_t position) const { return data_ + (position & (capacity_ - 1)); }
  std::uint64_t lap_left(std::uint64_t position) const { return capacity_ - (position & (capacity_ - 1)); }
  bool forget_one();
  void make_room(std::uint64_t bytes);
  void publish();
  std::byte* put(std::uint64_t* tail, std::size_t size) const;
  void put_owner(std::uint64_t* tail, const wire::RingOwner& owner) const;
  void put_taken(std::uint64_t* tail, const Taken& taken) const;
  Taken last_taken() const;

  ring::RingHeader* const header_;
  std::byte* const data_;
  const std::uint64_t capacity_;
  DrainedRing& drained_;
  wire::RingOwner& owner_;
};

}  // namespace steno::drain
