// Merges the rings of a session where they take turns: what a ring logs before another has its turn is moved as a
// whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace steno::reader {

struct Segment;
struct Slice;

// Holds scratch memory, and remembers what was in vain: keep it.
class TurnMerge {
 public:
  // Appends the records of the segments, which are of one session, by tick, segment, record. All are wanted. False,
  // and nothing is appended: turns are so short that sorting the records is cheaper.
  bool run(std::span<const Segment> segments, std::vector<Slice>* slices);

 private:
  using Head = unsigned __int128;  // tick of a ring's next record, then the ring: one comparison

  // The segments of a ring that are still to come.
  struct Ring {
    const Segment* segment;
    const Segment* end;
    std::uint32_t at;  // record of the first
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
