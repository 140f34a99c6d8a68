// How the scribe's thread waits for something to do (ScribeWait).
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>

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
constexpr std::int64_t kChoresGapNs = 10 * kMs;  // between two chores, where it does not block
constexpr std::int64_t kSleepNs = kMs;           // ScribeWait::kSleep

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
    needed =
        !file_.stuck() && ring::load_tail(ring.memory.header) - head >= 2 * ring::quarter_of(ring.extent().capacity);
  }
  if (!needed) {
    std::int64_t quiet = now - last_work_ < 10'000 * kMs || due != Due::kNothing ? kQuietWaitNs : kIdleWaitNs;
    quiet = std::min<std::int64_t>(quiet, std::chrono::nanoseconds(options_.flush_interval).count());
    quiet = std::min(quiet, sync_.due_in());
    quiet = std::min(quiet, rotator_.due_in());
    quiet = std::max(quiet, kMs);
    if (feed_ != nullptr) quiet = std::min(quiet, feed_->due_in(monotonic_now()));
    if (quiet > 0) futex_wait(&session.scribe_sleeping, 1, quiet);
  }
  ring::set_sleeping(session, false);
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
  check_warnings();
  tidy(now);
  cpu_ns_.store(static_cast<std::uint64_t>(thread_cpu_now()), std::memory_order_relaxed);
}

// Gives back memory of rings that no thread has. Not often: a ring that a thread has just left is soon another's.
void Scribe::tidy(std::int64_t now) {
  if (now - last_tidy_ < kTidyGapNs) return;
  last_tidy_ = now;
  core_.rings().shrink_free();
}

}  // namespace steno::scribe
