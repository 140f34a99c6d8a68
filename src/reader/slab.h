// A part of the output: the records of all rings in a stretch of time, or, unsorted, a stretch of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reader/shared_block.h"

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
  // Decodes what is not yet, and fills `slices` with the records that are wanted (all, with ReadOptions::keep_all) in the
  // order of the merge. They are valid as long as the slab.
  void run(const Slab& slab, const ReadOptions& options, std::vector<Slice>* slices);

 private:
  struct Item {
    std::uint64_t ticks;
    std::uint32_t segment;
    std::uint32_t record;
  };
  struct Part {  // the records of one session in items_
    std::size_t begin;
    std::size_t end;
    const Session* session;
    std::uint32_t session_rank;
  };

  void gather(const Slab& slab, const ReadOptions& options);
  bool in_order(const Part& part, const Slab& slab) const;
  void sort(std::size_t begin, std::size_t end);
  void emit_part(const Part& part, std::vector<Slice>* slices);
  void merge_parts(std::vector<Slice>* slices);
  void emit(const Item& item, std::vector<Slice>* slices) const;

  const Slab* slab_ = nullptr;
  std::vector<Item> items_;
  std::vector<Item> swap_;
  std::vector<Part> parts_;
};

}  // namespace steno::reader
