// The flight recorder of a session that another process keeps (ring.md §4.6): what is set aside, and when it is
// written.
#include <algorithm>

#include "base/clock.h"
#include "base/kill_point.h"
#include "live/staging_drain.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "wire/stamp.h"

namespace steno::live {

StagingDrain::Ring* StagingDrain::recorder() {
  const auto found = std::find_if(rings_.begin(), rings_.end(), [](const Ring& ring) { return ring.drained.recorder; });
  return found != rings_.end() ? &*found : nullptr;
}

drain::FlightRecorder StagingDrain::flight_recorder(Ring& ring) {
  ring::RingHeader* const header = ring.ring->header();
  return {header, reinterpret_cast<std::byte*>(header) + ring::kHeaderBytes, ring.extent.capacity, &ring.drained,
          &ring.owner};
}

// Takes a piece's records for the flight recorder. The scribe of a living process does that itself.
void StagingDrain::take_aside(Ring& ring, const wire::RingOwner& owner) {
  if (view_.state() == staging::State::kLive && !drains()) return;
  Ring* const to = recorder();
  if (to == nullptr) return note_problem("records of the flight recorder, which was not in shared memory, are missing");
  const std::uint64_t position = ring.drained.cursor.head;
  flight_recorder(*to).take(ring.drained.id, owner, drain_.walker().aside(), position);
  ring.taken = position;
  if (drains()) ring::publish_taken(ring.ring->header(), position);
  STENO_KILL_POINT("recover.taken_aside");
  to->tail = flight_recorder(*to).tail();
  hold_back(*to);
}

// While its process lives, only what is asked for is drained of a flight recorder.
void StagingDrain::hold_back(Ring& ring) const {
  if (ring.drained.recorder && keeps_recorder()) ring.tail = std::max(ring.drained.cursor.head, dump_end_);
}

bool StagingDrain::dump_recorder_if_due(bool asked) {
  if (recorder() == nullptr || !keeps_recorder()) return false;
  if (!asked && !triggered_) return false;
  triggered_ = false;
  const auto trigger = static_cast<Level>(ring::load_recorder_limits(*view_.shared_session()).trigger);
  return dump(drain::reason_to_write(asked, trigger));
}

bool StagingDrain::forget_recorded() {
  Ring* const ring = recorder();
  if (ring == nullptr || !keeps_recorder()) return false;
  drain::FlightRecorder recorder = flight_recorder(*ring);
  recorder.keep(0, 0);
  return recorder.unreported() != 0 && dump("the session ended");
}

void StagingDrain::dumped() {
  recorded_ = 0;
  ring::set_dump_due(*view_.shared_session(), false);
}

bool StagingDrain::dump(std::string_view reason) {
  Ring& ring = *recorder();
  drain::FlightRecorder recorder = flight_recorder(ring);
  const std::uint64_t now = ticks_now(wall_ticks_);
  recorder.keep_latest(ring::load_recorder_limits(*view_.shared_session()), now,
                       wall_ticks_ ? 1.0 : drain_.clock().ns_per_tick());
  const std::uint64_t kept = recorder.count() + recorded_;
  if (kept == 0 && recorder.unreported() == 0) return false;
  recorder.report(wall_ticks_ ? wire::stamp_of(now) : now, kept, reason);
  dump_end_ = recorder.tail();
  hold_back(ring);
  return true;
}

std::optional<StagingDrain::RecorderState> StagingDrain::recorder_state() {
  Ring* const ring = recorder();
  if (ring == nullptr || !keeps_recorder()) return std::nullopt;
  return RecorderState{ring->drained.id, ring->drained.cursor, std::max(ring->drained.cursor.head, dump_end_),
                       ring->owner};
}

// After all records are written: reports how many there were and how many were overwritten. False: that was reported
// already, or there is nothing to report.
bool StagingDrain::report_recorder() {
  Ring* const ring = recorder();
  if (ring == nullptr || !died() || recorder_reported_) return false;
  recorder_reported_ = true;
  if (recorded_ == 0 && flight_recorder(*ring).unreported() == 0) return false;
  const std::uint64_t ticks = death_ticks();
  flight_recorder(*ring).report(wall_ticks_ ? wire::stamp_of(ticks) : ticks, recorded_, "the process died");
  ring->tail = flight_recorder(*ring).tail();
  return true;
}

// The recorder's own records are no reason to write more of them. Before what was walked is released: the next consumer
// is to know.
void StagingDrain::note_trigger() {
  if (drain_.walker().records() == 0 || !keeps_recorder() || pieces_.front().ring->drained.recorder) return;
  const std::uint32_t trigger = ring::load_recorder_limits(*view_.shared_session()).trigger;
  if (recorder() == nullptr || static_cast<std::uint32_t>(drain_.top_level()) < trigger) return;
  triggered_ = true;
  ring::set_dump_due(*view_.shared_session(), true);
}

}  // namespace steno::live
