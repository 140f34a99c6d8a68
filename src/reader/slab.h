// A part of the output: the records of all rings in a stretch of time, or, unsorted, a stretch of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reader/shared_block.h"
#include "reader/turn_merge.h"

namespace steno::reader {

// Records begin .. end - 1 of a block, all of one thread.
struct Slice {
  const DecodedBlock* block = nullptr;
  const Thread* thread = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Consecutive records of one run.
struct Segment {
  SharedBlock* block = nullptr;
  const Thread* thread = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t session_rank = 0;
  std::uint32_t source = 0;  // which ring, of all
  std::uint64_t floor = 0;   // no tick of it counts as less: one of the same ring before it was that
};

struct Slab {
  // By session and ring, each ring's in its order; unsorted: in the order they are to be shown.
  std::vector<Segment> segments;
  std::vector<std::shared_ptr<SharedBlock>> blocks;  // keeps what the segments are of
  std::uint64_t records = 0;
};

// Puts a slab's records in order. Holds scratch memory: keep it. Not thread-safe; one a thread.
class SlabOrder {
 public:
  // Decodes what is not yet, drops the segments of blocks that cannot be, and fills `slices` with the records that are
  // wanted (all, with ReadOptions::keep_all) in the order of the merge. They are valid as long as the slab.
  void run(Slab& slab, const ReadOptions& options, std::vector<Slice>* slices);

 private:
  // A record of the segments: its tick, and which it is.
  struct Item {
    std::uint64_t ticks;
    std::uint32_t segment;
    std::uint32_t record;
  };
  struct Part {  // the segments of one session
    std::size_t first_segment;
    std::size_t end_segment;
  };

  void sort_part(const Part& part, std::vector<Slice>* slices);
  template <class F>
  void for_each_item(const Part& part, F f) const;
  void emit_packed(std::span<const Segment> segments, unsigned segment_bits, unsigned record_bits,
                   std::vector<Slice>* slices);
  void emit(std::uint32_t segment, std::uint32_t record, std::vector<Slice>* slices) const;
  void merge_parts(const std::vector<Part>& parts, std::vector<Slice>* slices);

  const Slab* slab_ = nullptr;
  bool keep_all_ = false;
  std::vector<std::uint64_t> packed_;
  std::vector<std::uint64_t> packed_swap_;
  std::vector<Item> items_;
  std::vector<Item> items_swap_;
  TurnMerge turns_;
};

}  // namespace steno::reader
