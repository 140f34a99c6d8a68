// How the scribe's thread waits for something to do (ScribeWait).
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/fence.h"
#include "base/futex.h"
#include "base/kill_point.h"
#include "base/pause.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSpinNs = 200'000;     // how long to keep polling after a pass that wrote, when busy
constexpr std::int64_t kBusyGapNs = 2 * kMs;  // busy: the last two passes that wrote were less than this apart
constexpr std::int64_t kTidyGapNs = 10'000 * kMs;
constexpr std::int64_t kIdleWaitNs = 1000 * kMs;
constexpr std::int64_t kRestAfterNs = 1000 * kMs;      // for so long nothing was logged
constexpr std::int64_t kLongestRestNs = 60'000 * kMs;  // the process is known to live, and the path is looked at
constexpr std::int64_t kChoresGapNs = 10 * kMs;        // between two chores, where it does not block
constexpr std::int64_t kSleepNs = kMs;                 // ScribeWait::kSleep

}  // namespace

// Between passes: keeps polling for a while when the program logs a lot, else sleeps until something is due or a
// producer wakes the scribe.
void Scribe::wait(Due due, bool wrote) {
  if (core_options_.clock == ClockKind::kCoarse) {
    for (int i = 0; i < 64; ++i) cpu_pause();  // a few microseconds: the clock's line must move
    return do_chores_if_due(monotonic_now());
  }
  const std::int64_t now = monotonic_now();
  if (options_.scribe_wait != ScribeWait::kBlock) return look_again(now);
  const bool busy = last_work_ - previous_work_ < kBusyGapNs && now - last_work_ < kSpinNs;
  if (wrote || busy) {
    // Not hotter: each look takes the producer's line away from it.
    for (int i = 0; i < 64; ++i) cpu_pause();
    if (busy) return;
  }
  do_chores(now);
  ring::SessionFile& session = core_.session();
  ring::set_sleeping(session, true);
  // Pairs with the fence in ScribeCall::wake: either it sees that we sleep, or we see its tail or its request. The same
  // holds for requests of other processes (control_).
  fence<__ATOMIC_SEQ_CST>();
  STENO_DELAY_POINT();
  bool needed = stopping_.load(std::memory_order_acquire) || core_.scribe_call().is_hurried() || control_.asked() ||
                flush_requested_.load(std::memory_order_acquire) != flush_done_;
  for (std::uint32_t i = 0; i < core_.rings().count() && !needed; ++i) {
    if (holds_back(i)) continue;
    const runtime::Ring& ring = core_.rings().at(i);
    const std::uint64_t head = i < rings_.size() ? rings_[i].cursor.head : 0;
    needed = !file_.stuck() && ring::load_tail(ring.memory.header) - head >= ring::wake_mark_of(ring.extent().capacity);
  }
  if (!needed && may_rest(now)) {
    rest(now);
  } else if (!needed) {
    std::int64_t quiet = now - last_news_ < kRestAfterNs || due != Due::kNothing ? kQuietWaitNs : kIdleWaitNs;
    quiet = std::min<std::int64_t>(quiet, std::chrono::nanoseconds(options_.flush_interval).count());
    quiet = std::min(quiet, log_.sync_due_in());
    quiet = std::min(quiet, log_.rotation_due_in());
    quiet = std::max(quiet, kMs);
    if (feed_ != nullptr) quiet = std::min(quiet, feed_->due_in(monotonic_now()));
    if (quiet > 0) futex_wait(&session.scribe_sleeping, 1, quiet);
  }
  ring::set_sleeping(session, false);
}

// Notes whether anything has been logged since the last look.
void Scribe::note_news() {
  std::uint64_t bytes = rings_.size();
  for (const std::uint64_t tail : tails_) bytes += tail;
  if (std::exchange(seen_bytes_, bytes) != bytes) last_news_ = monotonic_now();
}

// Returns whether nothing is to be done before something else is logged, or what was logged is due.
bool Scribe::may_rest(std::int64_t now) const {
  const bool idle = now - last_news_ >= kRestAfterNs && now - last_work_ >= kRestAfterNs;
  return idle && !file_.stuck() && !begins_again_ && !log_.has_old_files() && !triggered_ && !dump_due_ &&
         (feed_ == nullptr || !feed_->holds_some());
}

// Returns whether all rings are as the last look found them.
bool Scribe::is_quiet() const {
  if (core_.rings().count() != tails_.size()) return false;
  for (std::uint32_t i = 0; i < tails_.size(); ++i) {
    if (!is_recorder(i) && ring::load_tail(core_.rings().at(i).memory.header) != tails_[i]) return false;
  }
  return true;
}

// Waits until somebody logs or asks for something, or something is due. Producers find out by their clock
// (Core::begin_rest), so the first of them pays for the call, and others pay nothing.
void Scribe::rest(std::int64_t now) {
  const std::uint64_t ticks = steno::ticks_now(ticks_are_wall(core_options_.clock));
  const bool rests = core_.begin_rest() && is_quiet();
  std::int64_t most = rests ? kLongestRestNs : kIdleWaitNs;
  if (pending_since_ != 0) {
    const std::int64_t limit = std::chrono::nanoseconds(options_.flush_interval).count();
    most = std::min(most, pending_since_ + limit - now);
  }
  if (!rests) most = std::min<std::int64_t>(most, std::chrono::nanoseconds(options_.flush_interval).count());
  if (!rests && feed_ != nullptr) most = std::min(most, feed_->due_in(now));
  most = std::min({most, log_.sync_due_in(), log_.rotation_due_in()});
  futex_wait(&core_.session().scribe_sleeping, 1, std::max(most, kMs));
  core_.end_rest();
  if (!ring::is_sleeping(core_.session())) last_news_ = monotonic_now();  // or soon: the record is not committed yet
  if (!rests) return;
  quiet_since_ = ticks;
  last_clock_check_ = 0;
}

// Waits as ScribeWait kSpin, kYield and kSleep do, which no producer wakes: `scribe_sleeping` stays 0.
void Scribe::look_again(std::int64_t now) {
  do_chores_if_due(now);
  if (options_.scribe_wait == ScribeWait::kSleep) {
    const timespec gap = {0, kSleepNs};
    nanosleep(&gap, nullptr);
  } else if (options_.scribe_wait == ScribeWait::kYield) {
    sched_yield();
  } else {
    for (int i = 0; i < 64; ++i) cpu_pause();
  }
}

void Scribe::do_chores_if_due(std::int64_t now) {
  if (now - last_chores_ < kChoresGapNs) return;
  last_chores_ = now;
  do_chores(now);
}

void Scribe::do_chores(std::int64_t now) {
  keep_locks();
  check_warnings();
  tidy(now);
  cpu_ns_.store(static_cast<std::uint64_t>(thread_cpu_now()), std::memory_order_relaxed);
}

// Programs close descriptors that they do not know, as daemons do when they start.
void Scribe::keep_locks() {
  const bool kept = core_.staging().keep_locks();
  if (std::exchange(lost_locks_, !kept) || kept) return;
  warn(core_.staging().path() +
       ": the program has closed the descriptors that show that it is alive, and they cannot be opened again: records "
       "that are not yet in the file will not survive a crash");
}

// Gives back memory of rings that no thread has. Not often: a ring that a thread has just left is soon another's.
void Scribe::tidy(std::int64_t now) {
  if (now - last_tidy_ < kTidyGapNs) return;
  last_tidy_ = now;
  core_.rings().shrink_free();
}

}  // namespace steno::scribe
