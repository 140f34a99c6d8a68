// The scribe's flight recorder (ring.md §4.6): which records are kept in memory only, and when they are written.
#include <algorithm>

#include "base/kill_point.h"
#include "ring/ring_access.h"
#include "scribe/scribe.h"
#include "wire/stamp.h"

namespace steno::scribe {

drain::RingSpan Scribe::span_of(const runtime::Ring& ring) {
  drain::RingSpan span;
  span.recorder = is_recorder(ring.index);
  span.id = span.recorder ? wire::kFirstRecorderRing + ring.id : ring.id;
  span.data = ring.memory.data;
  span.extent = ring.extent();
  span.taken = ring::load_taken(ring.memory.header);
  return span;
}

// Requires that the session has a flight recorder, and that adopt_rings() has seen its ring.
drain::FlightRecorder Scribe::flight_recorder() {
  runtime::Ring& ring = *core_.recorder();
  return {ring.memory.header, ring.memory.data, ring.extent().capacity, &rings_[ring.index], &ring.owner};
}

void Scribe::take_aside(runtime::Ring& ring, const wire::RingOwner& owner, std::uint64_t position) {
  flight_recorder().take(ring.id, owner, drain_.walker().aside(), position);
  const std::uint32_t recorder = core_.recorder()->index;
  tails_[recorder] = std::max(tails_[recorder], rings_[recorder].cursor.head);  // not what was overwritten
  ring::publish_taken(ring.memory.header, position);
  STENO_KILL_POINT("scribe.taken_aside");
}

// Notes whether the records that were just walked trigger a dump. Records that come out of the flight recorder do not.
void Scribe::note_trigger() {
  const Level trigger = options_.recorder.trigger;
  if (!records_aside() || trigger == kLevelOff || drain_.walker().records() == 0) return;
  if (holds_back(covered_.back().first->index)) return;
  triggered_ = triggered_ || drain_.walker().top_level() >= trigger;
}

// Called after a pass, which has moved to the flight recorder what threads had logged when the dump was requested.
bool Scribe::dump_if_due() {
  if (!records_aside() || file_.stuck()) return false;
  const bool asked = dump_due_;
  if (!asked && !triggered_) return false;
  triggered_ = false;
  dump_due_ = false;
  return dump(drain::reason_to_write(asked, options_.recorder.trigger));
}

bool Scribe::dump(std::string_view reason) {
  adopt_rings();
  drain::FlightRecorder recorder = flight_recorder();
  const std::uint64_t now = ticks_now();
  recorder.keep_latest({.records = core_options_.recorder_records, .ns = core_options_.recorder_ns}, now,
                       ticks_are_wall(core_options_.clock) ? 1.0 : drain_.clock().ns_per_tick());
  if (recorder.empty() && recorder.unreported() == 0) return false;
  recorder.report(ticks_are_wall(core_options_.clock) ? wire::stamp_of(now) : now, recorder.count(), reason);
  dump_end_ = recorder.tail();
  tails_.resize(rings_.size());
  for (std::size_t i = 0; i < rings_.size(); ++i)
    tails_[i] = rings_[i].cursor.head;  // newer records wait for a later pass
  tails_[core_.recorder()->index] = dump_end_;
  const bool wrote = write_blocks();
  log_.wrote();
  log_.sync(false);
  return wrote;
}

// At the session's end: nothing triggered a dump, so the records that are left are forgotten, and counted.
void Scribe::forget_recorded() {
  if (!records_aside() || file_.stuck()) return;
  flight_recorder().keep(0, 0);
  if (flight_recorder().unreported() != 0) (void)dump("the session ended");
}

}  // namespace steno::scribe
