#include "scribe/absent_scribe.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/futex.h"
#include "base/within.h"
#include "drain/process_clock.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "scribe/core_options.h"
#include "scribe/stats.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;
constexpr std::int64_t kLookGapNs = 10 * kMillisecondNs;  // between two checks whether a process drains
constexpr std::int64_t kShortestPauseNs = 50'000;
constexpr std::int64_t kPatienceNs = 5'000 * kMillisecondNs;  // how long another process may take to give up the rings
constexpr std::int64_t kReportNs = 1'000 * kMillisecondNs;    // how long a producer may take to report drops
constexpr std::int64_t kGraceNs = 1'000 * kMillisecondNs;     // how long a session may be without a scribe in between

}  // namespace

AbsentScribe::AbsentScribe(runtime::Core& core, const Options& options)
    : core_(core), options_(options), core_options_(make_core_options(options)), pid_(getpid()), control_(core) {}

AbsentScribe::~AbsentScribe() {
  (void)stop();
}

bool AbsentScribe::is_drained() const {
  return core_.staging().is_drained();
}

Status AbsentScribe::start() {
  check_warnings();
  if (core_.staging().path().empty()) {
    return {StatusCode::kFailedPrecondition,
            "staging is in private memory, where no external scribe can find it: set staging_directory"};
  }
  if (!core_.staging().take_consumer(kPatienceNs)) {
    return {StatusCode::kFailedPrecondition,
            "process " + std::to_string(core_.session().consumer_pid) + " still drains the previous session"};
  }
  if (core_options_.recorder_below != Level::kTrace && core_.make_recorder(core_options_.recorder_bytes) == nullptr)
    return {StatusCode::kExhausted, "no memory for the flight recorder"};
  core_.staging().open_doorbell();
  drain::ClockModel clock = drain::process_clock(core_.staging().doorbell());
  std::vector<format::ClockPoint> points;
  clock.update(read_both(clock.ns_per_tick()), true, &points);
  for (const format::ClockPoint& point : points) {
    ring::publish_clock(core_.session(),
                        {point.ticks, point.wall_ns, point.ns_per_tick, point.uncertainty_ns, point.flags});
  }
  if (!ticks_are_wall(core_options_.clock)) drain::keep_process_clock(clock);
  core_.session().ns_per_tick = clock.ns_per_tick();
  core_.begin(core_options_, options_.path, {});
  core_.staging().give_consumer();
  core_.staging().call_for_session();
  runs_.store(true, std::memory_order_release);
  return {};
}

bool AbsentScribe::is_refused() const {
  return ring::refuses(core_.session());
}

template <class Done>
bool AbsentScribe::wait_for_consumer(const Done& done, std::int64_t patience_ns) {
  const std::int64_t begin = monotonic_now();
  std::int64_t looked = begin;
  std::int64_t drained = begin;
  core_.scribe_call().wake(true);
  for (std::int64_t pause = kShortestPauseNs; !done(); pause = std::min(2 * pause, kLookGapNs)) {
    const std::int64_t now = monotonic_now();
    if (now - looked >= kLookGapNs) {
      looked = now;
      if (is_drained() && !is_refused()) drained = now;
      if (now - begin > patience_ns) return false;
      // A scribe that runs may have hundreds of other sessions to serve first.
      if (now - drained > kGraceNs && (now - drained > kPatienceNs || !core_.staging().is_attended())) return false;
      core_.scribe_call().wake(true);
    }
    // The consumer wakes us at the session's end. For all else we look again, less and less often: hundreds of
    // processes may be waiting for one scribe.
    futex_wait(&core_.session().state, ring::kRunning, pause);
  }
  return true;
}

Status AbsentScribe::flush() {
  if (!runs_.load(std::memory_order_acquire)) return {StatusCode::kFailedPrecondition, "the session has ended"};
  check_warnings();
  std::vector<std::uint64_t> tails;
  for (std::uint32_t i = 0; i < core_.rings().count(); ++i)
    tails.push_back(ring::load_tail(core_.rings().at(i).memory.header));
  const auto is_on_file = [&] {
    for (std::uint32_t i = 0; i < tails.size(); ++i) {
      if (!is_recorder(i) && ring::load_head(core_.rings().at(i).memory.header) < tails[i]) return false;
    }
    return true;
  };
  return wait_until(is_on_file);
}

Status AbsentScribe::dump_recorder() {
  if (!runs_.load(std::memory_order_acquire)) return {StatusCode::kFailedPrecondition, "the session has ended"};
  if (core_options_.recorder_below == Level::kTrace)
    return {StatusCode::kFailedPrecondition, "the session has no flight recorder (Options::recorder)"};
  const std::uint32_t number = ring::ask_dump(core_.session());
  ring::request_write(core_.session());
  return wait_until([&] { return static_cast<std::int32_t>(ring::load_dumps_done(core_.session()) - number) >= 0; });
}

template <class Done>
Status AbsentScribe::wait_until(const Done& done) {
  if (wait_for_consumer(done, runtime::Patience::kForever)) return {};
  if (is_drained()) return {StatusCode::kIoError, "the scribe of this session cannot write its file now"};
  return {StatusCode::kFailedPrecondition, "no scribe drains this session; start 'steno scribe'"};
}

bool AbsentScribe::poll() {
  if (!runs_.load(std::memory_order_acquire) || !control_.asked()) return false;
  const std::unique_lock lock(control_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  const auto refuse = [] {
    return Status(StatusCode::kFailedPrecondition, "no scribe drains this session; start 'steno scribe'");
  };
  // A scribe in another process answers what concerns the file (ring.md §6).
  const auto is_the_scribes = [this](std::string_view request) {
    return is_drained() && (request == "flush" || request == "rotate");
  };
  return control_.serve(
      {[this] { return stats(); }, refuse, refuse, [this] { return dump_recorder(); }, {}, is_the_scribes});
}

bool AbsentScribe::help() {
  const std::int64_t now = monotonic_now();
  std::int64_t last = last_look_.load(std::memory_order_relaxed);
  if (now - last < kLookGapNs || !last_look_.compare_exchange_strong(last, now)) return false;
  const bool refused = is_refused();
  if (is_drained() && !refused) {
    absent_since_.store(0, std::memory_order_relaxed);
    if (warned_.exchange(false)) {
      core_.patience().set_end(runtime::Patience::kForever);
      warn("a scribe drains the rings again");
    }
    return false;
  }
  std::int64_t none = 0;
  absent_since_.compare_exchange_strong(none, now);
  const std::int64_t absent = now - (none != 0 ? none : now);
  if (options_.block_at_most == kForever || absent / kMillisecondNs < options_.block_at_most.count()) return false;
  if (warned_.exchange(true)) return false;
  core_.patience().set_end(now);
  const std::string time = " for " + std::to_string(options_.block_at_most.count()) +
                           " ms (block_at_most): full rings drop and count records until ";
  warn(refused ? options_.path + " could not be written by its scribe" + time + "it can be"
               : "no scribe has drained the rings" + time + "one does ('steno scribe')");
  return false;
}

// Leaves to the consumer the drops that no producer will report any more.
void AbsentScribe::leave_losses() {
  if (core_.slot() == 0) {
    for (std::uint64_t left = take_inner_refusals(); left != 0; --left) core_.discards().add();
  }
  for (std::uint32_t i = 0; i < core_.rings().count(); ++i) {
    runtime::Ring& ring = core_.rings().at(i);
    const std::uint64_t dropped = ring.dropped();
    (void)ring.take_unaccounted(dropped);
    ring::publish_left(ring.memory.header, dropped);
    // A producer may be writing a report of some of them just now: the consumer must see that before it counts. But not
    // for ever: in a forked child it may have been a thread of the parent, which does not exist here.
    const std::int64_t until = monotonic_now() + kReportNs;
    while (ring.reports.load(std::memory_order_acquire) != 0 && monotonic_now() < until) sched_yield();
  }
}

std::uint64_t AbsentScribe::waiting_bytes() const {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < core_.rings().count(); ++i) {
    const ring::RingHeader* header = core_.rings().at(i).memory.header;
    if (is_recorder(i)) continue;
    bytes += ring::load_tail(header) - ring::load_head(header);
  }
  return bytes;
}

Status AbsentScribe::stop() {
  if (!runs_.exchange(false, std::memory_order_acq_rel) || getpid() != pid_) return {};
  core_.end();
  leave_losses();
  core_.set_stopped();
  core_.scribe_call().wake(true);
  check_warnings();
  if (!options_.stop_waits) return {};
  const auto has_ended = [this] { return ring::load_state(core_.session()) == ring::kEnded; };
  if (wait_for_consumer(has_ended, 2 * kPatienceNs)) return {};
  const Status status = {
      StatusCode::kFailedPrecondition,
      (is_drained() ? "the scribe of this session has not written its end yet: " : "no scribe drains this session: ") +
          std::to_string(waiting_bytes()) + " bytes of records wait in " + core_.staging().path() +
          ": 'steno scribe' or 'steno recover' writes them"};
  warn(status.message());
  return status;
}

void AbsentScribe::abandon() {
  runs_.store(false, std::memory_order_release);
}

Stats AbsentScribe::stats() const {
  Stats stats;
  set_ring_stats(core_, &stats);
  for (std::uint32_t i = 0; i < core_.rings().count(); ++i) {
    const ring::RingHeader* header = core_.rings().at(i).memory.header;
    ring::Release release{};
    ring::OwnerSlots owner{};
    if (ring::load_release(header, &release, &owner)) stats.records += release.seq + release.own;
  }
  return stats;
}

}  // namespace steno::scribe
