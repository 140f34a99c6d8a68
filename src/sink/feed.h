// From the rings of the own process to the sinks of its session: what the scribe calls.
//
//   feed.add_ring(span, cursor, owner);     // as they appear
//   feed.set_extent(ring, extent);          // before each look
//   feed.look(tails, ticks, at, last);      // often; and before any ring is released
//
// It walks the rings in place, by cursors of its own that are never behind the scribe's, and hands copies to the sinks.
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
#include "sink/sink_thread.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

struct FeedOptions {
  std::vector<SinkOptions> sinks;
  unsigned file_mode = 0600;
  std::int64_t most_wait_ns = 0;  // for sinks that do not keep up
};

// Not thread-safe, but for wait_written(). The scribe's.
class Feed {
 public:
  // Opens the sinks; fails with a sentence. `ids` and `clock` must outlive it; `wall_ticks`: the session's are wall
  // time; `recorder_below`: records below it are the flight recorder's.
  static Result<std::unique_ptr<Feed>> open(const FeedOptions& options, const format::SessionBlock& session,
                                            drain::IdSource& ids, const drain::ClockModel& clock, bool wall_ticks,
                                            Level recorder_below);

  // Rings, one after another; each from where it has been drained to, and whose records lie there.
  std::size_t rings() const { return rings_.size(); }
  void add_ring(const drain::RingSpan& span, const drain::RingCursor& from, wire::RingOwner owner);
  // Where the bytes of a ring lie, loaded after the tail that the next look is given.
  void set_extent(std::size_t ring, const ring::Extent& extent) { rings_[ring].span.extent = extent; }
  // Of the flight recorder's ring: what lies before it will not be shown, and may be gone.
  void skip_to(std::size_t ring, const drain::RingCursor& cursor, const wire::RingOwner& owner);
  void add_point(const format::ClockPoint& point) { declarations_.points.push_back(point); }

  // What a sink shows is for its rule to say, as of the next look; none: for its options.
  using LevelOfSink = std::function<std::optional<Level>(std::string_view name)>;
  void set_levels(const LevelOfSink& level_of);
  struct SinkState {
    std::string name;
    Level level;
  };
  std::vector<SinkState> sinks() const;

  // How long until the next look is due, in ns; 0: now.
  std::int64_t due_in(std::int64_t now) const;
  // Hands on what is new before `tails`, one a ring. They were loaded after `ticks` (of the session's clock) and `at`
  // (monotonic ns): what was published before these is there. `last`: nothing is held back for what may come.
  void look(std::span<const std::uint64_t> tails, std::uint64_t ticks, std::int64_t at, bool last);

  // Files of sinks go on in new ones, after what the last look has found. Its `ticks` and `at`.
  void rotate(std::uint64_t ticks, std::int64_t at);
  // Returns when the sinks have what looks have found, or after most_wait_ns. Any thread.
  void wait_written();
  // The same at the end; the sinks' threads end.
  void close();
  // What is wrong with a sink; empty: nothing new.
  std::string take_warning();

 private:
  struct Ring {
    drain::RingSpan span;
    drain::RingCursor cursor;
    wire::RingOwner owner;
  };

  Feed(drain::IdSource& ids, const drain::ClockModel& clock, bool wall_ticks)
      : ids_(ids), walker_(ids, clock, wall_ticks) {}
  bool walk(std::span<const std::uint64_t> tails);
  bool reached(std::span<const std::uint64_t> tails) const;
  void hand_out(Look look);
  std::uint64_t count_wanted(const SinkThread& sink, const format::BlockInput& input);
  const std::string& logger_name(std::uint32_t id);

  drain::IdSource& ids_;
  drain::SpanWalker walker_;
  std::vector<std::shared_ptr<SinkThread>> sinks_;
  bool prompt_ = false;  // a sink is a terminal
  std::vector<Ring> rings_;
  Declarations declarations_;  // that no sink has
  std::unordered_map<std::uint32_t, std::string> loggers_;
  std::int64_t last_look_ = 0;
  bool holds_ = false;  // the last look found something, of which sinks may hold back the latest
};

}  // namespace steno::sink
