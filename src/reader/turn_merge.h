// Merges the rings of a session where they take turns: what a ring logs before another has its turn is moved as a
// whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace steno::reader {

class DecodedBlock;
struct Segment;
struct Slice;
struct Thread;

// Holds scratch memory, and remembers what was in vain: keep it.
class TurnMerge {
 public:
  // Appends the records of the segments, which are of one session, by tick, segment, record. All are wanted. False,
  // and nothing is appended: turns are so short that sorting the records is cheaper.
  bool run(std::span<const Segment> segments, std::vector<Slice>* slices);

 private:
  using Head = unsigned __int128;  // tick of a ring's next record, then the ring: one comparison

  // Where a ring stands in its segments. What is needed of the segment is here, so that a turn of many rings is one
  // look at memory.
  struct alignas(64) Ring {
    const std::uint64_t* ticks;
    const DecodedBlock* block;
    const Thread* thread;
    const Segment* segment;
    const Segment* segments_end;
    std::uint32_t at;
    std::uint32_t end;

    void enter(const Segment& next);
  };

  void gather(std::span<const Segment> segments);
  bool merge(std::vector<Slice>* slices);
  void replace_first(Head head);

  std::vector<Ring> rings_;
  std::vector<Head> heads_;  // a heap, the least first
  unsigned shortest_turn_ = 0;
  unsigned skips_ = 0;  // how often not to try
};

}  // namespace steno::reader
