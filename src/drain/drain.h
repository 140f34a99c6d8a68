// The state and the products of a consumer of rings, wherever the rings lie (ring.md §4, §5): how far each has been
// walked, blocks for the file, records of its own, and what a release says.
//
// The caller decides when to walk the rings, has what was appended written to the file, and publishes releases after
// that:
//
//   the scribe                 the rings of its own process, in place (scribe/scribe.h)
//   recovery, readers, others  copies of another process's (live/staging_drain.h)
//
//   drain.begin_session(id);
//   drain.walker().begin(base);                       // then walker().add(...) ring by ring
//   drain.append_block(out, &input);                  // to the file, then publish ring.release()
//
//   drain.announce(&ring, record);                    // publish ring.release()
//   drain.append_own(ring, record, &owner, out);      // to the file
//   drain::finish_own(&ring);                         // publish ring.release()
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "drain/clock_model.h"
#include "drain/own_record.h"
#include "drain/span_walker.h"
#include "format/block.h"
#include "format/clock_block.h"
#include "format/data_writer.h"
#include "format/end_block.h"
#include "ring/layout.h"

namespace steno::drain {

// How far one ring has been drained: what its next release says, but for the owner.
struct DrainedRing {
  std::uint32_t id = 0;
  bool recorder = false;           // the flight recorder's
  RingCursor cursor;               // walked to here
  std::uint64_t own = 0;           // records of the consumer's own in this session
  std::uint64_t announced = 0;     // the one under way; 0: none
  std::uint64_t discards = 0;      // ring 0's: discards that own records have reported; the flight recorder's: records
                                   // overwritten or forgotten since it was made
  std::uint64_t drops_before = 0;  // cursor.drops when the session, or this consumer, began

  DrainedRing() = default;
  // Goes on from a release.
  DrainedRing(std::uint32_t ring, const ring::Release& release, std::uint32_t kind = ring::kOrdinaryRing);
  // The ring's number in files.
  std::uint32_t number() const { return recorder ? wire::kFirstRecorderRing + id : id; }
  // Back to a release of this session's.
  void rewind(const ring::Release& release);
  // To be published with the owner whose record lies at cursor.head.
  ring::Release release() const;
  // Numbers of a new session.
  void restart_numbers();
};

// Not thread-safe.
class Drain {
 public:
  // `wall_ticks`: the session's ticks are wall time.
  Drain(IdSource& ids, const ClockModel& clock, bool wall_ticks, const format::WriterOptions& options);
  Drain(const Drain&) = delete;  // the walker knows the clock
  Drain& operator=(const Drain&) = delete;

  // All bytes that are appended from here on are of this session, and need nothing that was appended before.
  // `consumers_before`: how many others, who gave numbers to dictionaries of strings, have written it
  // (ring::count_consumer).
  void begin_session(std::uint64_t session_id, std::uint32_t consumers_before);
  format::SessionTag tag() const { return tag_; }

  ClockModel& clock() { return clock_; }
  const ClockModel& clock() const { return clock_; }
  // Clock points that are not appended yet.
  std::vector<format::ClockPoint>& points() { return points_; }
  // Reads the clock; what points that makes necessary are published in the session's staging, and to be appended.
  // `force`: at least one.
  // `quiet_since`: as in ClockModel::update().
  void update_clock(bool force, ring::SessionFile& session, std::uint64_t quiet_since = 0);
  void append_points(ByteBuffer& out);

  SpanWalker& walker() { return walker_; }
  // The most severe level in the block that was appended last.
  Level top_level() const { return walker_.top_level(); }
  // Appends the dictionary entries and clock points that are due, protocol records that were passed over, and what was
  // walked as a data block: its input, which is valid until the walker begins anew. False: nothing was walked, so there
  // is no data block.
  bool append_block(ByteBuffer& out, format::BlockInput* input);
  // Sets the effort for data blocks from here on; full at first.
  void set_effort(format::Effort effort) { effort_ = effort; }
  std::uint64_t quick_blocks() const { return quick_blocks_; }  // that lack something
  // After an index block: data blocks refer to nothing that was written before.
  void begin_stretch() { writer_.begin_stretch(); }

  // From here on `ring.release()` announces the record.
  static void announce(DrainedRing* ring, const OwnRecord& record) { ring->announced = record.announced(); }
  // Appends it, as if the thread had logged it.
  void append_own(const DrainedRing& ring, const OwnRecord& record, wire::RingOwner* owner, ByteBuffer& out,
                  format::BlockInput* input);
  // Appends the record of the process's death.
  void append_death(const OwnRecord& record, wire::RingOwner* owner, ByteBuffer& out, format::BlockInput* input);

 private:
  // A block of that payload, which is then empty; nothing if it is.
  void append_whole(format::BlockType type, ByteBuffer& payload, ByteBuffer& out) const;
  void append_record(std::uint32_t ring, std::uint64_t seq, const OwnRecord& record, wire::RingOwner* owner,
                     ByteBuffer& out, format::BlockInput* input);

  ClockModel clock_;
  SpanWalker walker_;
  format::DataWriter writer_;
  format::Effort effort_ = format::Effort::kFull;
  std::uint64_t quick_blocks_ = 0;
  std::vector<format::ClockPoint> points_;
  format::SessionTag tag_;
};

// The own record that was announced is written: it counts.
void finish_own(DrainedRing* ring);

// The totals of rings in an end block.
void add_ring_total(const DrainedRing& ring, format::EndBlock* end);

}  // namespace steno::drain
