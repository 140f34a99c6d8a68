// Hands records from the rings of one session to sinks. The scribe calls it:
//
//   feed.add_ring(span, cursor, owner);     // for each ring, when it appears
//   feed.set_extent(ring, extent);          // before each look
//   feed.look(tails, ticks, at, last);      // often, and always before a ring is released
//
// It walks the rings with its own cursors, which are at or after the scribe's, and passes copies to the sinks. Rings of
// this process are walked in place; those of another process are copied in parts first, so that they cannot change
// meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "drain/span_walker.h"
#include "sink/sink_set.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

// The session that the records belong to.
struct FeedSession {
  std::uint64_t source = 0;  // among those that share the sinks
  std::shared_ptr<const format::SessionBlock> info;
  bool wall_ticks = false;               // its ticks are wall time
  Level recorder_below = Level::kTrace;  // records below it are the flight recorder's
};

// Not thread-safe. The scribe's.
class Feed {
 public:
  // `ids` and `clock` must outlive it.
  Feed(std::shared_ptr<SinkSet> sinks, FeedSession session, drain::IdSource& ids, const drain::ClockModel& clock);

  // The rings are another process's: copies `size` bytes from a position of a ring. False: they cannot be read.
  using CopyRing = std::function<bool(std::size_t ring, std::uint64_t position, std::size_t size, std::byte* to)>;
  // From now on the spans' data is not looked at, but what this copies.
  void read_copies(CopyRing copy) { copy_ = std::move(copy); }

  // Rings are numbered in the order in which they are added. `from`: how far it has been drained; `owner`: the thread
  // whose records follow.
  std::size_t rings() const { return rings_.size(); }
  const drain::RingCursor& cursor(std::size_t ring) const { return rings_[ring].cursor; }
  const wire::RingOwner& owner(std::size_t ring) const { return rings_[ring].owner; }
  void add_ring(const drain::RingSpan& span, const drain::RingCursor& from, wire::RingOwner owner);
  // Where the ring's bytes lie: the extent as loaded after the tail that the next look() gets.
  void set_extent(std::size_t ring, const ring::Extent& extent) { rings_[ring].span.extent = extent; }
  // For the flight recorder's ring: records before `cursor` may have been overwritten, and are not shown.
  void skip_to(std::size_t ring, const drain::RingCursor& cursor, const wire::RingOwner& owner);
  void add_point(const format::ClockPoint& point) { declarations_.points.push_back(point); }

  // From the next look on, a sink takes records from the level that `level_of` returns for its name; if that is none,
  // from the level of its options.
  using LevelOfSink = std::function<std::optional<Level>(std::string_view name)>;
  void set_levels(const LevelOfSink& level_of);
  struct SinkState {
    std::string name;
    Level level;
  };
  std::vector<SinkState> sinks() const;

  // Returns whether sinks may hold records back, or are to be told something, so that another look is due though
  // nothing is logged.
  bool holds_some() const { return holds_ || !declarations_.empty(); }
  // How long until the next look is due, in ns; 0: now.
  std::int64_t due_in(std::int64_t now) const;
  // Gives the sinks the new records up to `tails`, one per ring. The tails were loaded after the moment `ticks`
  // (session's clock) and `at` (monotonic ns), so all records that were published before it are included. Sinks hold
  // the youngest records back for a moment, to put them in order with later ones; with `last` they do not.
  void look(std::span<const std::uint64_t> tails, std::uint64_t ticks, std::int64_t at, bool last);

  // Rotates the files of sinks, after the records of the last look(), which had this `ticks` and `at`.
  void rotate(std::uint64_t ticks, std::int64_t at);
  // After an exception, which may have left anything in the midst: everything is declared again, and sinks that did not
  // get what was walked count it as skipped.
  void begin_again();
  // The session has ended: the sinks forget it. Nothing is to be called any more.
  void end();

 private:
  struct Ring {
    drain::RingSpan span;
    drain::RingCursor cursor;
    wire::RingOwner owner;
    std::uint64_t latest = 0;  // ticks of the last record that was walked
  };
  // A sink, and whether it knows the session. A sink without room is not told of a session, because it would have to
  // keep it.
  struct Listener {
    std::shared_ptr<SinkThread> sink;
    bool begun = false;
    std::uint64_t missed = 0;  // records that there was no memory to give it, and that it does not count yet
  };
  // The last record of a ring among those that were just walked.
  struct Last {
    std::size_t ring;
    std::size_t record;
  };

  void begin_session();
  bool walk(std::span<const std::uint64_t> tails);
  bool walk_in_place(std::span<const std::uint64_t> tails);
  bool walk_copies(std::span<const std::uint64_t> tails);
  std::size_t copy_part(std::size_t ring, std::uint64_t tail, std::size_t most, std::size_t at);
  void find_unread(std::span<const std::uint64_t> tails);
  void hand_out(Look look, std::span<const std::uint64_t> tails, bool last);
  std::uint64_t count_wanted(const SinkThread& sink, const format::BlockInput& input);
  const std::string& logger_name(std::uint32_t id);

  drain::IdSource& ids_;
  drain::SpanWalker walker_;
  RecordsPool pool_;
  const std::shared_ptr<SinkSet> sinks_;
  const FeedSession session_;
  std::vector<Listener> listeners_;
  std::vector<Ring> rings_;
  CopyRing copy_;
  drain::Buffer<std::byte> arena_;  // of copies
  std::vector<std::size_t> unread_;
  std::vector<Last> lasts_;
  Declarations declarations_;               // that no sink has
  std::vector<format::ClockPoint> points_;  // the latest of those that were declared
  std::unordered_map<std::uint32_t, std::string> loggers_;
  std::int64_t last_look_ = 0;
  bool handing_out_ = false;  // what was walked is not handed out yet
  bool holds_ = false;        // the last look found records, and sinks may hold back the youngest of them
};

}  // namespace steno::sink
