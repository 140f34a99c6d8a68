// Staging of another process as blocks of a file: what its scribe would have written (ring.md §4.3, §5).
//
//   StagingDrain drain(view);
//   drain.begin(out);                       // session block, clock points
//   while (drain.next(out)) { ... }         // data, block by block; for recovery: write, then release()
//   drain.append_death(out);                // orphans only, as all that follows is
//   while (drain.next_unreported(out)) { ... }  // drops and discards that no record has reported
//   drain.append_end(out);
//
// Or, to follow a running process, repeatedly:
//
//   while (drain.refresh()) {
//     drain.begin(out);
//     while (drain.next(out)) { ... }       // what is new since the last look
//   }
//
// To drain a running process (a view for kDrain), do both repeatedly: refresh(), next(), release().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/scratch.h"
#include "drain/drain.h"
#include "drain/flight_recorder.h"
#include "format/session_block.h"
#include "staging/foreign_staging.h"

namespace steno::live {

// The level from which on records of a session are not for its flight recorder; kTrace: it has none.
Level recorder_below(const ring::SessionFile& session);

// Copies data before checking it, so that a running or hostile producer cannot change what was checked. Memory: a few
// MiB, whatever the size of the rings. Not thread-safe.
class StagingDrain {
 public:
  // Takes note of how far each ring is; what is committed later is not seen. `view` must outlive this, and not be
  // unfinished.
  // `zstd_level`: as Options::zstd_level.
  explicit StagingDrain(staging::ForeignStaging& view, int zstd_level = 0);

  // Reads the tail of each ring again, including new rings. False: another session has begun. What was appended since
  // the last refresh() may belong to either session, so open the view again and start with what is not released.
  bool refresh();
  // Returns whether refresh() would find anything: a few loads a ring.
  bool moved() const;
  // Returns whether next() will give anything, as far as is known.
  bool waiting() const;
  // Returns whether records had been released before refresh() found their ring, or since then before next() came to
  // them: they are on file by now.
  bool missed() const { return missed_; }

  // Appends the session block and clock points. Blocks from here on need nothing that was appended before.
  // `elsewhere`: they go to a file that is not the one in which what is released was written; the session block says so
  // (file.md §3), and so does the record of the death.
  void begin(ByteBuffer& out, bool elsewhere = false);
  // Appends the next records as one block, with the dictionary entries it needs. False: there are none left.
  bool next(ByteBuffer& out);
  // The records of the data block that was appended last; valid until the next one is. Empty: next() met nothing but
  // records that this version does not know.
  const format::BlockInput& input() const { return input_; }
  // The most severe level in it.
  Level top_level() const { return drain_.top_level(); }
  // Returns whether a ring is so full that it should be drained at once.
  bool nearly_full() const;
  // Reads the clock for the session, which lives: points that this makes necessary go with the next block.
  void update_clock(bool force);
  // Appends the points that are due, where no block is to come.
  void append_points(ByteBuffer& out) { drain_.append_points(out); }
  // Sets the effort for blocks from here on; full at first.
  void set_effort(format::Effort effort) { drain_.set_effort(effort); }
  // How much the fullest ring has to drain, as refresh() found it, and how large that ring can become, as far as is
  // known; and whether any producer has waited for room since this was asked for. Requires a view that drains.
  struct Backlog {
    std::uint64_t pending = 0;
    std::uint64_t reach = 1;
    bool held_up = false;
  };
  Backlog take_backlog();
  // After an index block: blocks refer to nothing that was written before.
  void begin_stretch() { drain_.begin_stretch(); }
  // Requires a view that drains: what was appended until now is on file.
  void release();
  // Requires a view that drains: what was appended since the last release() is not on file, and does not count for
  // append_end(). Only append_end() may follow.
  void take_back();
  // Requires next() to have returned false, and next_unreported() not to have been called: it says how many records are
  // missing. Appends the record of the process's death; nothing if it stopped the session in order. May be
  // repeated: whoever appends it, it is the same record (ring.md §5).
  void append_death(ByteBuffer& out);
  // Requires next() to have returned false. Announces the next record of the consumer's own (release() publishes that)
  // and appends it; false: there is none left.
  bool next_unreported(ByteBuffer& out);
  // For a live process whose flight recorder is kept by the drain (ring.md §4.6): its records are set aside until they
  // are requested or triggered. Requires that next() has returned false. Returns whether next() will now return the
  // contents of the recorder. `asked`: they were requested.
  bool dump_recorder_if_due(bool asked);
  bool is_dump_triggered() const { return triggered_; }
  // A session that ends in order does not want its recorder's records: nothing has happened. Requires and returns what
  // dump_recorder_if_due() does.
  bool forget_recorded();
  // The block of dump_recorder_if_due() is on file.
  void dumped();
  // How far the flight recorder has been drained and may be; nullptr: there is none, or it is not this drain's.
  struct RecorderState {
    std::uint32_t ring = 0;
    drain::RingCursor cursor;
    std::uint64_t end = 0;  // position
    wire::RingOwner owner;
  };
  std::optional<RecorderState> recorder_state();

  // The one that next_unreported() appended is on file, as far as release() is concerned.
  void reported();
  // Appends nothing if a loss must be reported but there is no ring for the report: a session without an end shows that
  // it may be incomplete.
  void append_end(ByteBuffer& out);

  std::uint64_t records() const { return records_; }
  const drain::ClockModel& clock() const { return drain_.clock(); }
  // The session's clock points, as far as its staging has them, in the order of time.
  std::vector<format::ClockPoint> clock_points() const;
  // Returns whether there is anything that is not on file: records, or unreported drops.
  bool pending() const;
  format::SessionTag tag() const { return drain_.tag(); }
  // Returns whether nobody had written the session before begin().
  bool is_first_consumer() const { return first_consumer_; }

 private:
  struct Ring {
    const staging::ForeignRing* ring = nullptr;
    drain::DrainedRing drained;
    std::uint64_t tail = 0;
    ring::Extent extent;        // where what is below the tail lies
    std::uint64_t dropped = 0;  // that the consumer may have to report
    std::uint64_t dropping_since = 0;
    std::uint64_t taken = 0;  // below it, what is the flight recorder's is there
    wire::RingOwner owner;
    bool moved = false;  // since the last release()

    std::uint64_t waiting() const { return tail - drained.cursor.head; }
    void pass_over() { tail = drained.cursor.head; }
  };
  // Bytes of a ring in the arena. That is the thread's: one that drains hundreds of sessions in turns has it in its
  // caches.
  struct Piece {
    Ring* ring = nullptr;
    std::size_t at = 0;
    std::size_t size = 0;
    bool cut = false;  // the ring goes on after it, maybe within a record
  };

  bool load(const staging::ForeignRing& foreign, Ring* ring);
  void skip(Ring& ring, std::uint64_t bytes);
  void note_problem(const std::string& what);
  void update(Ring& ring);
  void fill_arena(Scratch::Array<std::byte>& arena);
  std::size_t copy(Ring& ring, std::byte* arena, std::size_t room);
  Ring* recorder();
  bool keeps_recorder() const { return view_.state() == staging::State::kLive && drains(); }
  void hold_back(Ring& ring) const;
  bool dump(std::string_view reason);
  void note_trigger();
  static drain::FlightRecorder flight_recorder(Ring& ring);
  void take_aside(Ring& ring, const wire::RingOwner& owner);
  bool report_recorder();
  void append_own(Ring& ring, const drain::OwnRecord& record, ByteBuffer& out);
  std::uint64_t unreported(const Ring& ring) const;
  std::uint64_t unreported_discards() const;
  bool died() const { return view_.state() != staging::State::kLive && view_.session().stopped == 0; }
  bool drains() const { return view_.access() != staging::ForeignStaging::Access::kRead; }
  std::uint64_t death_ticks() const;
  std::int64_t death_wall(std::uint64_t ticks) const;
  std::string account() const;
  std::vector<format::RingStart> starts() const;

  staging::ForeignStaging& view_;
  const bool wall_ticks_;
  drain::Drain drain_;
  format::BlockInput input_;
  std::vector<Ring> rings_;
  bool following_ = false;  // reads along, so that its scribe decides
  bool missed_ = false;
  bool first_consumer_ = true;
  std::size_t used_ = 0;  // of the arena
  std::vector<Piece> pieces_;
  std::vector<std::string> problems_;  // to be reported in the log
  std::uint64_t records_ = 0;
  std::uint64_t unreadable_ = 0;  // of statements that the dictionary had no room for: only their number is reported
  std::uint64_t first_ticks_ = ~std::uint64_t{0};  // of what next() gave
  std::uint64_t last_ticks_ = 0;
  std::uint64_t handlers_told_ = 0;  // of the session's in_handlers, since it was read: reported
  std::uint64_t elsewhere_ = 0;      // records that were released before begin(), into another file
  std::uint64_t deaths_ = 0;         // records of it that were appended: none or one
  bool recorder_reported_ = false;
  bool held_up_ = false;        // a producer waited, since take_backlog()
  std::uint64_t recorded_ = 0;  // records of the flight recorder that next() gave
  std::uint64_t dump_end_ = 0;  // of the flight recorder's ring: what lies before it is to be written
  bool triggered_ = false;
  Ring* telling_ = nullptr;  // whose own record is being written
};

}  // namespace steno::live
