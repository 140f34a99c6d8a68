// What the scribe does without memory: as with a full disk, everything stays in the rings, and it tries again.
//
// An exception may leave the middle of a pass at any point: what was walked, declared or packed for the block that was
// not written is then unknown. So the next pass begins again from the last releases, in a session block that continues
// the session, as a recovery does (ring.md §5). What was on file and not released is on file twice, and read once.
#include <time.h>

#include <exception>

#include "format/clock_block.h"
#include "ring/session_access.h"
#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr char kNoMemory[] = "no memory";  // so short that its string needs none

}  // namespace

bool Scribe::pass(bool force) {
  try {
    if (begins_again_) begin_again();
    return try_pass(force);
  } catch (...) {  // a function of the program's, on_warning, may throw anything
    note_exhausted();
    return false;
  }
}

void Scribe::begin_again() {
  rewind();
  covered_.clear();
  out_.clear();
  if (feed_ != nullptr) feed_->begin_again();
  const ring::SessionFile& session = core_.session();
  const ring::LogIdentity known = {session.log_device, session.log_inode, session.log_owner};
  if (file_.identity().known() && !known.is_same_file(file_.identity())) {  // it had been rotated, and no more
    core_.renew(file_.identity());
    begin_file();
    rotator_.begin(file_.descriptor());
  }
  drain_.walker().begin(nullptr);
  drain_.walker().new_entries().clear();
  drain_.walker().protocol_records().clear();
  (void)drain_.walker().take_corrupt_bytes();
  if (!ticks_are_wall(core_options_.clock)) {
    std::vector<format::ClockPoint>& points = drain_.points();
    points.clear();
    const std::uint64_t count = session.clock_points;
    for (std::uint64_t n = count - std::min(count, ring::kClockSlots); n < count; ++n) {
      const ring::ClockSlot& slot = session.clock_slots[n % ring::kClockSlots];
      points.push_back({slot.ticks, slot.wall_ns, slot.ns_per_tick, slot.uncertainty_ns, slot.flags});
    }
  }
  const std::uint64_t blank_end = blank_end_;
  const Status status = write_session_block();
  blank_end_ = blank_end;
  begins_again_ = false;
  note_write(status);
  finish_announced();
}

void Scribe::note_exhausted() noexcept {
  begins_again_ = true;
  if (failing_) return;
  const bool forever = options_.block_at_most == kForever;
  core_.patience().set_end(forever ? runtime::Patience::kForever : monotonic_now() + block_at_most_ns());
  failing_ = true;
  try {
    warn("no memory to write " + options_.path + "; records stay in memory until there is some");
  } catch (...) {
    // Not even for that.
  }
}

Status Scribe::unwritten() const {
  if (begins_again_) return {StatusCode::kExhausted, kNoMemory};
  if (rings_.empty() && core_.discards().unreported() != 0)
    return {StatusCode::kExhausted, "no memory for a ring: what was logged is discarded"};
  return file_.stuck() ? Status(StatusCode::kIoError, options_.path + " cannot be written now") : Status();
}

}  // namespace steno::scribe
