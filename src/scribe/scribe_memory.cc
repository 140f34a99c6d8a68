// The scribe's way to do without memory: as with a full disk, everything stays in the rings, and it tries again.
//
// An exception may leave the middle of a pass at any point: what was walked, declared or packed for the block that was
// not written is then unknown. So the next pass begins again from the last releases, in a session block that continues
// the session, as a recovery does (ring.md §5). What was on file and not released is on file twice, and read once.
#include <time.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/kill_point.h"
#include "format/clock_block.h"
#include "ring/log_identity.h"
#include "ring/session_access.h"
#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kFirstGapNs = 10'000'000;  // between two tries; it grows
constexpr std::int64_t kLongestGapNs = 500'000'000;
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
  const ring::LogIdentity known = ring::log_of(session);
  if (file_.identity().known() && !known.is_same_file(file_.identity())) {  // it had been rotated, and no more
    core_.renew(file_.identity());
    begin_file();
    log_.begin_rotation();
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
  const Status status = write_session_block();
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

// One pass of the scribe's thread, and what belongs to it. No exception leaves it: that would end the program.
void Scribe::look_around() {
  const std::uint64_t requested = flush_requested_.load(std::memory_order_acquire);
  bool wrote = false;
  Due due = Due::kNothing;
  try {
    const std::lock_guard lock(pass_mutex_);
    feed_all_ = requested != flush_done_;
    const bool force = core_.scribe_call().take_hurry() || feed_all_;
    wrote = pass(force);
    due = file_.stuck() || begins_again_ || pending_since_ != 0 ? Due::kLater : Due::kNothing;
    if (!wrote && monotonic_now() - last_clock_check_ >= kQuietWaitNs) update_clock(false);
    if (control_.asked()) (void)serve_control();
  } catch (...) {
    note_exhausted();
    due = Due::kLater;
  }
  if (requested != flush_done_) {
    cpu_ns_.store(static_cast<std::uint64_t>(thread_cpu_now()), std::memory_order_relaxed);
    const std::lock_guard lock(flush_mutex_);
    STENO_DELAY_POINT();
    flush_done_ = requested;
    try {
      flush_status_ = unwritten();
    } catch (...) {
      flush_status_ = Status(StatusCode::kExhausted, "");
    }
    flush_changed_.notify_all();
  }
  // Whoever waits for room calls again and again; but memory comes back when others give it back.
  const bool starved = begins_again_;
  starved_gap_ns_ = starved ? std::min(2 * starved_gap_ns_, kLongestGapNs) : kFirstGapNs;
  if (starved && !stopping_.load(std::memory_order_acquire)) {
    const timespec gap = {0, static_cast<long>(starved_gap_ns_)};
    nanosleep(&gap, nullptr);
  }
  try {
    wait(due, wrote);
  } catch (...) {
    ring::set_sleeping(core_.session(), false);
    note_exhausted();
  }
}

}  // namespace steno::scribe
