// The scribe's flight recorder (ring.md §4.6): what is set aside, and when it is written.
#include <algorithm>
#include <limits>

#include "base/kill_point.h"
#include "scribe/scribe.h"

namespace steno::scribe {

drain::RingSpan Scribe::span_of(const runtime::Ring& ring) {
  drain::RingSpan span;
  span.recorder = is_recorder(ring.index);
  span.id = span.recorder ? wire::kFirstRecorderRing + ring.id : ring.id;
  span.data = ring.memory.data;
  span.extent = ring.extent();
  span.taken = __atomic_load_n(&ring.memory.header->taken, __ATOMIC_RELAXED);
  return span;
}

// Requires that there is one, and that it has been adopted.
drain::FlightRecorder Scribe::flight_recorder() {
  runtime::Ring& ring = *core_.recorder();
  return {ring.memory.header, ring.memory.data, ring.extent().capacity, &rings_[ring.index], &ring.owner};
}

void Scribe::take_aside(runtime::Ring& ring, const wire::RingOwner& owner, std::uint64_t position) {
  flight_recorder().take(ring.id, owner, drain_.walker().aside(), position);
  const std::uint32_t recorder = core_.recorder()->index;
  tails_[recorder] = std::max(tails_[recorder], rings_[recorder].cursor.head);  // what it forgot is not to be walked
  __atomic_store_n(&ring.memory.header->taken, position, __ATOMIC_RELEASE);
  STENO_KILL_POINT("scribe.taken_aside");
}

// Of what was walked. The recorder's own are no reason to write more of them.
void Scribe::note_trigger() {
  const Level trigger = options_.recorder.trigger;
  if (!records_aside() || trigger == kLevelOff || drain_.walker().records() == 0) return;
  if (holds_back(covered_.back().first->index)) return;
  triggered_ = triggered_ || drain_.walker().top_level() >= trigger;
}

// After a pass: what the rings of threads had when it was asked for is set aside by now.
bool Scribe::dump_if_due() {
  if (!records_aside() || file_.stuck()) return false;
  const bool asked = dump_due_;
  if (!asked && !triggered_) return false;
  triggered_ = false;
  dump_due_ = false;
  return dump(asked
                  ? "it was asked for"
                  : "a record of level " + std::string(level_name(options_.recorder.trigger)) + " or above was logged");
}

bool Scribe::dump(std::string_view reason) {
  adopt_rings();
  drain::FlightRecorder recorder = flight_recorder();
  const std::uint64_t most = options_.recorder.records;
  const auto time = static_cast<double>(std::chrono::nanoseconds(options_.recorder.time).count());
  const double per_tick = ticks_are_wall(core_options_.clock) ? 1.0 : drain_.clock().ns_per_tick();
  const std::uint64_t now = ticks_now();
  const auto ticks = static_cast<std::uint64_t>(time / per_tick);
  recorder.keep(most != 0 ? most : std::numeric_limits<std::uint64_t>::max(),
                ticks != 0 && ticks < now ? now - ticks : 0);
  if (recorder.empty() && recorder.unreported() == 0) return false;
  recorder.report(now, recorder.count(), reason);
  dump_end_ = recorder.tail();
  tails_.resize(rings_.size());
  for (std::size_t i = 0; i < rings_.size(); ++i) tails_[i] = rings_[i].cursor.head;  // what came since is for later
  tails_[core_.recorder()->index] = dump_end_;
  const bool wrote = write_blocks();
  sync_.wrote();
  sync(false);
  return wrote;
}

// At the session's end: nothing has happened that its records would be wanted for.
void Scribe::forget_recorded() {
  if (!records_aside() || file_.stuck()) return;
  flight_recorder().keep(0, 0);
  if (flight_recorder().unreported() != 0) (void)dump("the session ended");
}

}  // namespace steno::scribe
