#include "live/staging_feed.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/clock.h"
#include "drain/session_info.h"
#include "ring/layout.h"
#include "ring/release.h"

namespace steno::live {
namespace {

// Among the sessions that share sinks. Not 0, which is that of a process that has its own.
std::uint64_t next_source() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

sink::FeedSession feed_session(const staging::ForeignStaging& view, bool wall_ticks, const drain::ClockModel& clock) {
  format::SessionBlock info = drain::session_info(view.session(), view.directory());
  info.ns_per_tick = wall_ticks ? 1.0 : clock.ns_per_tick();
  return {next_source(), std::make_shared<const format::SessionBlock>(std::move(info)), wall_ticks,
          recorder_below(view.session())};
}

const staging::ForeignRing* find_ring(const staging::ForeignStaging& view, std::uint32_t id) {
  const auto& rings = view.rings();
  const auto found = std::find_if(rings.begin(), rings.end(), [id](const auto& ring) { return ring.id() == id; });
  return found != rings.end() ? &*found : nullptr;
}

drain::RingSpan span_of(std::uint32_t ring, bool recorder) {
  drain::RingSpan span;
  span.id = recorder ? wire::kFirstRecorderRing + ring : ring;
  span.recorder = recorder;
  return span;
}

bool makes_sense(const staging::RingFacts& facts) {
  return facts.tail % 8 == 0 && facts.release.position % 8 == 0 &&
         facts.tail - facts.release.position <= facts.extent.capacity;
}

}  // namespace

StagingFeed::StagingFeed(staging::ForeignStaging& view, std::shared_ptr<sink::SinkSet> sinks, const StagingDrain& drain)
    : view_(view),
      wall_ticks_(ticks_are_wall(static_cast<ClockKind>(view.session().clock_kind))),
      clock_(drain.clock()),
      feed_(std::move(sinks), feed_session(view, wall_ticks_, clock_), view.ids(), clock_) {
  feed_.read_copies([this](std::size_t ring, std::uint64_t position, std::size_t size, std::byte* to) {
    return copy(ring, position, size, to);
  });
}

StagingFeed::~StagingFeed() {
  feed_.end();
}

void StagingFeed::go_on_from(const StagingFeed& before) {
  for (std::size_t i = 0; i < before.rings_.size(); ++i) {
    rings_.push_back(before.rings_[i]);
    feed_.add_ring(span_of(rings_.back().id, rings_.back().recorder), before.feed_.cursor(i), before.feed_.owner(i));
  }
}

void StagingFeed::look(StagingDrain& drain, bool last) {
  const std::int64_t at = monotonic_now();
  const std::uint64_t ticks = ticks_now(wall_ticks_);
  clock_ = drain.clock();
  find_rings();
  tails_.resize(rings_.size());
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    Ring& ring = rings_[i];
    const std::uint64_t head = feed_.cursor(i).head;
    const staging::ForeignRing* const foreign = find_ring(view_, ring.id);
    const bool good = foreign != nullptr && foreign->read(&ring.facts) && makes_sense(ring.facts);
    // Inconsistent rings are not followed; the drain reports them.
    tails_[i] = good && ring.facts.tail - head <= ring.facts.extent.capacity ? ring.facts.tail : head;
  }
  look_at_recorder(drain);
  view_.refresh_dictionary();  // after the tails: it has what the records before them need
  take_points(drain);
  feed_.look(tails_, ticks, at, last);
}

// Records that the flight recorder forgets are not shown, and else what is about to be written.
void StagingFeed::look_at_recorder(StagingDrain& drain) {
  const auto recorder = drain.recorder_state();
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    if (!rings_[i].recorder) continue;
    if (recorder.has_value() && recorder->ring == rings_[i].id) {
      feed_.skip_to(i, recorder->cursor, recorder->owner);
      tails_[i] = std::max(feed_.cursor(i).head, recorder->end);
    } else {
      tails_[i] = feed_.cursor(i).head;
    }
  }
}

// Those that are new, from where they were released.
void StagingFeed::find_rings() {
  for (const staging::ForeignRing& foreign : view_.rings()) {
    const bool known = std::any_of(rings_.begin(), rings_.end(), [&](const Ring& r) { return r.id == foreign.id(); });
    Ring ring{foreign.id(), foreign.kind() == ring::kRecorderRing, {}};
    if (known || !foreign.read(&ring.facts) || !makes_sense(ring.facts)) continue;
    const drain::DrainedRing drained(ring.id, ring.facts.release, foreign.kind());
    feed_.add_ring(span_of(ring.id, ring.recorder), drained.cursor,
                   ring::owner_of(ring.facts.release, ring.facts.owner));
    rings_.push_back(std::move(ring));
  }
}

void StagingFeed::take_points(const StagingDrain& drain) {
  if (wall_ticks_) return;
  for (const format::ClockPoint& point : drain.clock_points()) {
    if (point.ticks <= last_point_) continue;
    feed_.add_point(point);
    last_point_ = point.ticks;
  }
}

bool StagingFeed::copy(std::size_t ring, std::uint64_t position, std::size_t size, std::byte* to) const {
  const staging::ForeignRing* const foreign = find_ring(view_, rings_[ring].id);
  return foreign != nullptr && foreign->copy(rings_[ring].facts.extent, position, size, to);
}

}  // namespace steno::live
