// Walks records in rings and groups them by site: the input of a data block (design: walk → group → gather → pack).
//
// Records are validated on the way, as if written by an enemy: the rings are those of the own process, whose stray
// pointers must not take the scribe along, or copies of a stranger's. What is walked must not change meanwhile but by
// such accidents, so a stranger's rings are copied first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "drain/clock_model.h"
#include "drain/payload_ends.h"
#include "format/data_writer.h"
#include "ring/layout.h"
#include "wire/context.h"
#include "wire/dictionary.h"
#include "wire/id_source.h"
#include "wire/record.h"

namespace steno::drain {

// An array that grows without initialising.
template <class T>
class Buffer {
 public:
  T* data() { return items_.get(); }
  const T* data() const { return items_.get(); }
  // Keeps the first `used` items.
  void ensure(std::size_t used, std::size_t capacity) {
    if (capacity <= capacity_) return;
    capacity = std::max(capacity, capacity_ * 2);
    std::unique_ptr<T[]> items(new T[capacity]);
    std::copy_n(items_.get(), used, items.get());
    items_ = std::move(items);
    capacity_ = capacity;
  }

 private:
  std::unique_ptr<T[]> items_;
  std::size_t capacity_ = 0;
};

using wire::IdSource;

// The bytes of a ring, or of a part of it.
struct RingSpan {
  std::uint32_t id = 0;
  const std::byte* data = nullptr;
  ring::Extent extent;       // where the byte at a position lies in data
  std::uint64_t origin = 0;  // of positions: what a block says is this much more than the cursor
  bool cut = false;       // its last record may go on after it: the walk stops before that one, if it is not the first
  bool recorder = false;  // it is the flight recorder's: nothing of it is set aside
  std::uint64_t taken = 0;  // what is set aside below this position is in the flight recorder already
};

// Where a ring has been walked to.
struct RingCursor {
  std::uint64_t head = 0;   // position after the last record walked
  std::uint64_t seq = 0;    // records up to there
  std::uint64_t drops = 0;  // reported by *dropped* records up to there; of the flight recorder, recorder records
};

// Whose records follow a *thread* or a *context* record (ring.md §4.1). False: it makes no sense.
bool read_thread(const std::byte* record, std::size_t size, wire::RingOwner* owner);
bool read_context(const std::byte* record, std::size_t size, wire::RingOwner* owner);

// One per scribe. Not thread-safe.
class SpanWalker {
 public:
  // `wall_ticks`: the session's ticks are wall time; the counter's, which records from around its start and end carry,
  // are turned into it by `clock`.
  SpanWalker(IdSource& ids, const ClockModel& clock, bool wall_ticks)
      : ids_(ids), clock_(clock), wall_ticks_(wall_ticks) {}

  // Records of statements below `level` are for the flight recorder (ring.md §4.6): they do not come into blocks and
  // have no numbers. kTrace: there are none.
  void set_aside_below(Level level) { aside_below_ = level; }
  // The most records that add() takes of a ring at a time; if not said, as many as a block may have.
  void set_most_of_ring(std::size_t records) { most_of_ring_ = std::min(records, kMaxRecords); }
  // The records that were set aside of the ring that was added last, and what changes their thread or context, back to
  // back. Empty if there are none.
  const ByteBuffer& aside() const { return aside_; }

  // Starts a block whose offsets count from `base`.
  void begin(const std::byte* base);

  // Walks [cursor->head, tail) of a ring and moves the cursor; stops early when the block has as much as a block may.
  // `*owner` is whose records lie there, and becomes whose are next. False, and nothing walked: the ring lies too far
  // from base.
  bool add(const RingSpan& ring, wire::RingOwner* owner, std::uint64_t tail, RingCursor* cursor);
  // Returns whether the block has as much as a block may.
  bool full() const { return records_ >= kMaxRecords || bytes_ >= kMaxBytes || composed_bytes_ >= kMaxBytes; }

  // The block's input, valid until begin(), and as long as the rings' bytes are. Requires records() > 0. `apart`: of
  // groups whose records are all in one context, its values may be said once (Group::own_layout); else each record has
  // them.
  format::BlockInput finish(bool apart = false);

  std::size_t records() const { return records_; }
  // Dictionary entries that files of this session need before the block: of sites, loggers, threads not seen before.
  ByteBuffer& new_entries() { return new_entries_; }
  // Records of protocol sites that this version does not know, as a protocol block has them (file.md §13): passed over,
  // and to be kept for readers who know them.
  ByteBuffer& protocol_records() { return protocol_records_; }
  // Forgets what has been written already: for a new file.
  void forget_entries();
  // The bytes of rings that could not be read and were skipped since the last call.
  std::uint64_t take_corrupt_bytes() { return std::exchange(corrupt_bytes_, 0); }
  // Records of missing sites passed over since the last call: their numbers are left out.
  std::uint64_t take_unreadable() { return std::exchange(unreadable_, 0); }
  // The highest level in the block.
  Level top_level() const;

 private:
  struct Site {
    Level level = Level::kInfo;
    wire::Layout layout;
    PayloadEnds payloads{layout};
    bool declared = false;  // its dictionary entry is written
  };
  enum Aside : std::uint8_t { kUnknown, kKept, kAside };
  struct ContextSite {
    wire::SiteInfo info;
    Site site;
    const Site* statement = nullptr;
    bool written = false;  // its dictionary entry
  };
  // The group that a site had last, and in which block: what the walk looks up per record. Small, so that many fit the
  // cache.
  struct Recent {
    std::uint32_t epoch = 0;
    std::uint32_t group = 0;
    std::uint16_t logger = 0;
  };
  // The facts of a group that the walk needs for each record; small, so that many fit the cache.
  struct Shape {
    std::uint32_t fixed_end = 0;
    std::uint32_t strings = 0;
  };

  // The group of a site with a logger in this block, the long way; kNone if the site is unknown.
  std::uint32_t find_group(std::uint32_t site, std::uint16_t logger);
  bool learn_site(std::uint32_t id);
  void declare_site(std::uint32_t id);
  void learn_logger(std::uint16_t logger);
  // Walks records that lie back to back in [p, end). Returns where it stopped: at end, at `room`
  // records, at a record of the protocol's own (handled by add), or at one that is not valid.
  const std::byte* walk(const std::byte* p, const std::byte* end, std::size_t room);
  // Returns whether records of the site are to be set aside; asked once a site.
  bool is_aside(std::uint32_t site);
  const std::byte* set_aside(const RingSpan& ring, const std::byte* p, const std::byte* end, std::uint64_t position);
  // Walks records in a context.
  const std::byte* walk_in_context(const std::byte* p, const std::byte* end, std::size_t room);
  std::uint32_t find_context_group(std::uint32_t site, std::uint16_t logger, const Site** statement);
  // The statement together with the fields of the context that is in force; nullptr: it is not known.
  ContextSite* find_context_site(std::uint32_t id);
  void enter_context();
  // The number of the context that is in force, in this block.
  std::uint32_t context_number();
  std::string_view values_of(std::uint32_t context) const;
  void compose(const std::byte* record, const wire::Layout& layout, std::uint32_t context);
  // Gives each group what its records are read by: themselves, or copies with their context's values.
  void place_contexts(bool apart);
  bool learn_context(const std::byte* record, std::size_t size);
  std::uint32_t add_group(std::uint32_t id, std::uint16_t logger, const Site& site);
  bool take_own(const RingSpan& ring, const std::byte* record, const wire::Header& header, RingCursor* cursor,
                std::uint64_t position);
  void learn_thread(const RingSpan& ring, const std::byte* record, std::size_t size);
  void end_run(const RingSpan& ring, std::uint64_t position);
  void forget_empty_group();

  static constexpr std::size_t kMaxRecords = std::size_t{1} << 19;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 25;  // of rings; a block may have 2^27 (data_writer.h)
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  IdSource& ids_;
  const ClockModel& clock_;
  const bool wall_ticks_;
  wire::RingOwner owner_before_;  // of the ring that add() is at; a member, so that its memory is kept
  const std::byte* base_ = nullptr;
  std::vector<std::unique_ptr<Site>> sites_;  // by id; Layouts must not move
  std::vector<Recent> recent_;                // by id
  std::vector<bool> loggers_known_;
  std::vector<std::uint32_t> thread_known_;  // by ring: the thread index last written to the dictionary
  std::size_t most_of_ring_ = kMaxRecords;
  Level aside_below_ = Level::kTrace;
  bool sets_aside_ = false;      // in the ring that is walked
  bool aside_has_some_ = false;  // records, that is
  bool of_recorder_ = false;     // the rings of the block
  std::vector<Aside> asides_;    // by site
  ByteBuffer aside_;
  wire::RingOwner* owner_ = nullptr;  // of the ring that is walked
  wire::Context context_;             // its context, if it has one
  bool in_context_ = false;
  std::string last_shape_;
  std::unordered_set<std::string> context_shapes_;
  std::unordered_map<std::string, std::unique_ptr<ContextSite>> context_sites_;  // by statement and shape
  std::unordered_set<std::uint32_t> context_ids_;                                // that are taken
  std::string context_key_;
  // A context that is in force from a record of the block on; its values are in contexts_.
  struct ContextStart {
    std::size_t record = 0;
    std::size_t values = 0;
    std::size_t size = 0;
    std::size_t fixed = 0;  // bytes of their fixed parts
  };
  // The contexts of a group's records.
  struct GroupContext {
    const wire::Layout* statement = nullptr;  // nullptr: it is in none
    std::uint32_t first = kNone;              // of its first record, and of its last
    std::uint32_t last = kNone;
    bool varies = false;  // others have other values than the first
    bool composed = false;
  };
  // The Recent of statements in the contexts of one shape.
  struct RecentInContext {
    std::uint32_t epoch = 0;
    std::uint32_t shape = 0;
    std::uint32_t group = 0;
    std::uint16_t logger = 0;
    const Site* statement = nullptr;
  };
  std::vector<RecentInContext> recent_in_context_;  // by id of the statement
  std::uint32_t shape_number_ = 0;                  // another one for each shape that comes into force
  ByteBuffer contexts_;
  std::vector<ContextStart> context_starts_;
  std::vector<GroupContext> group_contexts_;  // by group
  ByteBuffer composed_;                       // records with their context
  std::size_t composed_bytes_ = 0;            // what all of the block's would take

  std::uint32_t epoch_ = 0;
  std::size_t records_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<format::Run> runs_;
  std::size_t run_first_record_ = 0;
  std::uint64_t run_first_seq_ = 0;
  std::vector<format::Group> groups_;
  std::unordered_map<std::uint64_t, std::uint32_t> group_ids_;  // by site << 16 | logger
  std::vector<Shape> shapes_;                                   // by group
  std::vector<PayloadEnds> payloads_;                           // by group
  std::vector<std::uint32_t> counts_;                           // by group: records so far
  Buffer<std::uint32_t> order_;
  Buffer<std::uint64_t> clocks_;
  Buffer<std::uint32_t> offsets_;  // in walk order
  Buffer<std::uint32_t> grouped_offsets_;
  std::vector<std::uint32_t> scatter_;
  ByteBuffer new_entries_;
  ByteBuffer protocol_records_;
  std::uint64_t corrupt_bytes_ = 0;
  std::uint64_t unreadable_ = 0;
};

}  // namespace steno::drain
