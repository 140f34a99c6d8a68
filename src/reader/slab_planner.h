// Cuts a reading into slabs: stretches of time that hold about as many records each, disjoint, in order.
//
// The order of records is the stable sort by (wall-clock key, session, ticks, ring), sessions in the order in which
// they began. A record never counts as earlier than one before it in its own ring, whatever its clock says; in a flight
// recorder's ring, than one of its thread. A cut is a key: what is below it belongs to earlier slabs. Where a run is
// cut is found in its clock column, so that slabs are exact even where blocks overlap.
//
// Memory: 24 bytes a block, some 100 a ring, and the blocks that a cut goes through or that slabs in use are made of.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "reader/last_records.h"
#include "reader/slab.h"

namespace steno::reader {

// Not thread-safe; the slabs may be used in other threads.
class SlabPlanner {
 public:
  // `logs` and `pool` must outlive this.
  SlabPlanner(const LogSet& logs, BlockPool& pool);
  // Only these, as if the others were not there.
  SlabPlanner(const LogSet& logs, BlockPool& pool, const LastRecords& only);
  ~SlabPlanner();

  // The next one; false at the end. It may turn out to have no record that is wanted.
  bool next(Slab* slab);
  // An upper bound of what all slabs hold: the records of the blocks that may match.
  std::uint64_t records() const;

 private:
  static constexpr std::uint32_t kNotTried = UINT32_MAX;
  using Key = std::optional<std::int64_t>;     // none: above all
  using Bound = std::optional<std::uint64_t>;  // the same in a session's ticks

  // One ring of one session, or what one thread has in a flight recorder's, and how far its records have been dealt
  // out: records that are in order.
  struct Source {
    const LogFile* file = nullptr;
    const Session* session = nullptr;
    const std::vector<std::uint64_t>* runs = nullptr;
    std::size_t file_index = 0;
    std::uint32_t session_rank = 0;
    std::size_t run = 0;                   // the current or next one, in runs
    std::vector<std::uint64_t> unread;     // runs before it that were passed over, not looked at yet
    std::uint64_t floor = 0;               // no later record's ticks count as less
    std::shared_ptr<SharedBlock> block;    // of the current run; nullptr: that is not open yet
    const std::uint64_t* ticks = nullptr;  // its
    const Thread* thread = nullptr;
    std::uint32_t at = 0;  // next record in the block
    std::uint32_t end = 0;
    std::uint32_t tried_end = kNotTried;  // where the cut that was tried last ends
  };
  struct Waiting {
    std::int64_t key;  // no record of the source's next run is below
    std::uint32_t source;
    bool operator>(const Waiting& other) const { return key > other.key; }
  };
  struct Start {  // of a block
    std::int64_t key;
    std::int64_t last;
    std::uint64_t records;
  };

  SlabPlanner(const LogSet& logs, BlockPool& pool, const LastRecords* only);
  void add_source(std::size_t file, const Session& session, const std::vector<std::uint64_t>& runs, std::uint32_t rank);
  void choose_blocks(const LastRecords* only);
  bool wanted(std::size_t file, std::size_t block) const { return chosen_[file][block] != 0; }
  const RunEntry& run_of(const Source& source) const;
  void fetch_ahead(std::size_t i) const;
  std::int64_t least_key(const Source& source) const;
  void wait_for_run(std::uint32_t index);
  void raise_floor(Source& source, std::uint64_t next_min);
  void open_run(std::uint32_t index);
  void open_up_to(const Key& key);
  Key choose_cut(std::int64_t least);
  Bound bound_of(const Session& session, const Key& key);
  std::uint32_t end_below(const Source& source, const Bound& bound) const;
  std::uint64_t count_below(const Key& key);
  void deal_below(const Key& cut, Slab* slab);
  void deal(Source& source, std::uint32_t index, std::uint32_t end, Slab* slab);
  bool next_sorted(Slab* slab);
  bool next_unsorted(Slab* slab);
  std::shared_ptr<SharedBlock> hold(const LogFile& file, const BlockEntry& entry);
  void forget_closed();

  const LogSet& logs_;
  BlockPool& pool_;
  const ReadOptions& options_;
  std::vector<std::vector<std::uint8_t>> chosen_;  // by file and block
  std::unordered_map<const BlockEntry*, std::weak_ptr<SharedBlock>> open_;
  std::size_t open_after_last_ = 64;
  std::deque<std::vector<std::uint64_t>> runs_of_threads_;  // in flight recorders' rings
  std::vector<Source> sources_;
  std::vector<Waiting> waiting_;            // a heap, least key first
  std::vector<std::uint32_t> active_;       // sources with an open run
  std::vector<Start> starts_;               // of all blocks that are wanted, by key
  std::size_t started_ = 0;                 // of these, below the last cut
  const Session* bound_session_ = nullptr;  // what was asked last: sources of a session come together
  Key bound_key_;
  Key tried_;
  Bound bound_;
  std::shared_ptr<SharedBlock> last_;  // unsorted: the block we are in
  std::size_t file_at_ = 0;
  std::uint64_t run_at_ = 0;
  std::uint32_t record_at_ = 0;
};

}  // namespace steno::reader
