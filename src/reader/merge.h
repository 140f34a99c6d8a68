// The records of all files in one order: a k-way merge over rings.
//
// A source is one ring of one session: its runs in the order of the ring. Sources are merged by (wall-clock key,
// session, ticks, ring); a record never comes before an earlier one of its own ring, whatever its clock says. This is
// exact, not a window: the result is the stable sort of all records by that key.
//
// Memory: a block is decoded when the merge reaches its first tick and dropped after its last record, so what is held
// are the blocks whose time ranges overlap, and one heap entry a ring.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reader/decoded_block.h"
#include "reader/log_set.h"

namespace steno::reader {

// Records begin .. end - 1 of a block, all of one thread.
struct Slice {
  const DecodedBlock* block = nullptr;
  const Thread* thread = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct ReadOptions {
  DecodeOptions decode;
  bool sort = true;  // false: file after file, block after block, run after run
};

// A block that turned out to be unreadable while it was decoded.
struct DecodeFailure {
  const LogFile* file = nullptr;
  Damage damage;
};

class Merge {
 public:
  // `logs` must outlive this.
  Merge(const LogSet& logs, ReadOptions options);
  ~Merge();

  // The next records; false at the end. The slice is valid until the next call.
  bool next(Slice* slice);

  const std::vector<DecodeFailure>& failures() const { return failures_; }
  // Decoded blocks held now, for tests of the bound on memory.
  std::size_t blocks_held() const { return held_.size(); }

 private:
  struct Held {                           // a decoded block and how many of its runs are still to come
    std::unique_ptr<DecodedBlock> block;  // nullptr: it could not be decoded
    std::uint32_t runs_left = 0;
  };
  struct Source {
    const LogFile* file = nullptr;
    const Session* session = nullptr;
    const RingEntry* ring = nullptr;
    const Thread* thread = nullptr;  // of the current run
    std::uint32_t session_rank = 0;
    std::size_t run = 0;                  // current one, in ring->runs
    const DecodedBlock* block = nullptr;  // nullptr: the run's block is not decoded yet
    std::uint32_t at = 0;                 // next record in the block
    std::uint32_t end = 0;
    std::int64_t last_key = INT64_MIN;
    std::uint64_t last_ticks = 0;
  };
  struct HeapEntry {
    std::int64_t key;
    std::uint64_t ticks;
    std::uint32_t session_rank;
    std::uint32_t source;
  };

  static bool before(const HeapEntry& a, const HeapEntry& b);
  void add_sources(const LogFile& file, std::uint32_t* session_rank);
  bool shown(const LogFile& file, const RunEntry& run) const;
  bool find_run(Source& source) const;
  HeapEntry head_of(const Source& source, std::uint32_t index) const;
  void sift_down(std::size_t i);
  void leave_run(std::uint32_t index);
  void take_up_to(Source& source, const HeapEntry* limit, std::uint32_t index);
  bool next_sorted(Slice* slice);
  bool next_unsorted(Slice* slice);
  Held& hold(const LogFile& file, const BlockEntry& entry);
  void release(const BlockEntry& entry);
  static const Thread* thread_of(const LogFile& file, const RunEntry& run);

  const LogSet& logs_;
  ReadOptions options_;
  std::vector<Source> sources_;
  std::vector<HeapEntry> heap_;  // least first
  std::unordered_map<const BlockEntry*, Held> held_;
  std::vector<std::unique_ptr<DecodedBlock>> spare_;
  std::vector<DecodeFailure> failures_;
  bool run_ended_ = false;   // with the last slice, which is valid until the next call
  std::size_t file_at_ = 0;  // unsorted: where we are
  std::uint64_t run_at_ = 0;
};

}  // namespace steno::reader
