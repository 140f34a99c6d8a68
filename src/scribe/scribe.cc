#include "scribe/scribe.h"
#include "runtime/producer.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/kill_point.h"
#include "base/signal_safe_lock.h"
#include "drain/process_clock.h"
#include "registry/registry.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "scribe/core_options.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kBusyFlushNs = 1000 * kMillisecond;  // a log with this much pending is written every second
constexpr std::uint64_t kBusyBytes = 8192;
constexpr std::int64_t kClockCheckNs = 10 * kMillisecond;
constexpr std::int64_t kLongestWaitMs = std::int64_t{1000} * 3600 * 24 * 365;
constexpr std::size_t kSharedBytes = std::size_t{32} << 20;
constexpr std::int64_t kRetryGapNs = 10 * kMillisecond;  // between two tries of producers whose file refuses

std::string corrupt_text(std::uint64_t bytes) {
  return std::to_string(bytes) +
         " bytes of a ring cannot be read and are skipped: something other than steno overwrote them";
}

Status no_recorder() {
  return {StatusCode::kFailedPrecondition, "the session has no flight recorder (Options::recorder)"};
}

}  // namespace

bool CoreIds::find_site(std::uint32_t id, wire::SiteInfo* info) {
  return registry::Registry::instance().find(id, info);
}
std::uint32_t CoreIds::sites_end() {
  return registry::Registry::instance().end();
}
bool CoreIds::find_logger(std::uint32_t id, std::string* name) {
  *name = core_.logger_name(id);
  return true;
}

Scribe::Scribe(runtime::Core& core, const Options& options)
    : core_(core),
      options_(options),
      core_options_(make_core_options(options)),
      pid_(getpid()),
      control_(core),
      log_(*this, make_sync_policy(options)),
      ids_(core),
      drain_(ids_, drain::process_clock(), ticks_are_wall(core_options_.clock),
             format::WriterOptions{.zstd_level = options.zstd_level, .shared_bytes = kSharedBytes}) {}

Scribe::~Scribe() {
  (void)stop();
}

Status Scribe::start() {
  if (Status status = open_sinks(); !status.ok()) return status;
  if (Status status = open_file(); !status.ok()) {
    close_sinks();
    return status;
  }
  update_clock(true);  // a session is never without clock points, whenever it dies
  core_.session().ns_per_tick = drain_.clock().ns_per_tick();
  if (records_aside() && core_.make_recorder(core_options_.recorder_bytes) == nullptr) {
    file_.close();
    close_sinks();
    return {StatusCode::kExhausted, "no memory for the flight recorder"};
  }
  drain_.walker().set_aside_below(core_options_.recorder_below);
  core_.begin(core_options_, options_.path, file_.identity());
  STENO_KILL_POINT("scribe.file_open");
  note_look();
  const std::uint64_t before = file_.end();
  if (Status status = write_session_block(); !status.ok()) {
    core_.end();
    core_.set_stopped();
    file_.close();
    close_sinks();
    return status;
  }
  log_.began(before);
  check_warnings();
  finish_announced();
  const std::int64_t now = monotonic_now();
  last_work_ = now;
  log_.looked_at_path();
  if (!options_.scribe_thread) return {};
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    core_.end();
    core_.set_stopped();
    file_.close();
    close_sinks();
    return {StatusCode::kExhausted, std::string("cannot start the scribe's thread: ") + error.what()};
  }
  return {};
}

void Scribe::update_clock(bool force) {
  const bool unused = ticks_are_wall(core_options_.clock);
  // Records carry wall time already: one point is enough to date those of before the start and after the end, which
  // carry the counter.
  if (unused && dated_) return;
  const std::size_t before = drain_.points().size();
  drain_.update_clock(force, core_.session(), std::exchange(quiet_since_, 0));
  for (std::size_t i = before; i < drain_.points().size() && feed_ != nullptr && !unused; ++i) {
    feed_->add_point(drain_.points()[i]);
  }
  if (unused) drain_.points().clear();
  dated_ = true;
  last_clock_check_ = monotonic_now();
}

void Scribe::keep_clock() const {
  if (!ticks_are_wall(core_options_.clock)) drain::keep_process_clock(drain_.clock());
}

// Adds the rings that have been made since the last call, and at first those of earlier sessions.
void Scribe::adopt_rings() {
  while (rings_.size() < core_.rings().count()) {
    const runtime::Ring& ring = core_.rings().at(static_cast<std::uint32_t>(rings_.size()));
    const ring::RingHeader* header = ring.memory.header;
    rings_.emplace_back(ring.id, ring::last_release(header),
                        is_recorder(ring.index) ? ring::kRecorderRing : ring::kOrdinaryRing);
  }
  // Apart, and up to the same number whatever happened before: both lists have one order.
  while (feed_ != nullptr && feed_->rings() < rings_.size()) {
    const runtime::Ring& ring = core_.rings().at(static_cast<std::uint32_t>(feed_->rings()));
    feed_->add_ring(span_of(ring), rings_[ring.index].cursor, ring.owner);
  }
}

// Stores when this scribe was last seen alive: if the process dies, recovery dates its death by that (ring.md §5).
// Called after the tails are read, so that no record of an earlier release is later than it.
void Scribe::note_look() {
  ring::set_last_look(core_.session(), steno::ticks_now(ticks_are_wall(core_options_.clock)));
}

// Loads all tails, once; the pass drains up to them.
Scribe::Due Scribe::look(bool force) {
  adopt_rings();
  const std::size_t rings = rings_.size();
  tails_.resize(rings);
  if (feed_ != nullptr) {
    looked_at_ = monotonic_now();
    looked_ticks_ = ticks_now();
  }
  pending_bytes_ = 0;
  bool full = false;
  for (std::uint32_t i = 0; i < rings; ++i) {
    const runtime::Ring& ring = core_.rings().at(i);
    tails_[i] = holds_back(i) ? std::max(rings_[i].cursor.head, dump_end_) : ring::load_tail(ring.memory.header);
    const std::uint64_t pending = tails_[i] - rings_[i].cursor.head;
    pending_bytes_ += pending;
    full = full || pending >= ring::quarter_of(ring.extent().capacity);
    STENO_DELAY_POINT();
  }
  note_look();
  note_news();
  if (pending_bytes_ == 0) {
    pending_since_ = 0;
    return Due::kNothing;
  }
  const std::int64_t now = monotonic_now();
  if (pending_since_ == 0) pending_since_ = now;
  if (pending_bytes_ > most_backlog_bytes_.load(std::memory_order_relaxed))
    most_backlog_bytes_.store(pending_bytes_, std::memory_order_relaxed);
  const std::int64_t age = now - pending_since_;
  const std::int64_t limit = std::chrono::nanoseconds(options_.flush_interval).count();
  if (force || full || age >= limit || (age >= kBusyFlushNs && pending_bytes_ >= kBusyBytes)) return Due::kNow;
  return Due::kLater;
}

// Chooses how well the next blocks are packed. At the end of a session no producer waits for room, so always in full.
void Scribe::choose_effort() {
  if (!options_.keep_up || stopped()) {
    drain_.set_effort(format::Effort::kFull);
    return;
  }
  std::uint64_t pending = 0;  // in the ring that is the fullest
  std::uint64_t capacity = 1;
  for (std::uint32_t i = 0; i < tails_.size(); ++i) {
    const std::uint64_t here = tails_[i] - rings_[i].cursor.head;
    if (here <= pending) continue;
    pending = here;
    capacity = core_.rings().at(i).reach();
  }
  drain_.set_effort(effort_control_.next(pending, capacity, monotonic_now()));
}

bool Scribe::try_pass(bool force) {
  const runtime::ServesRings serving;
  // Before the tails are loaded: a request that comes after that may be for records beyond them.
  if (dump_asked_.exchange(false, std::memory_order_acq_rel)) dump_due_ = true;
  bool wrote = pass_over_rings(force || dump_due_);
  STENO_DELAY_POINT();
  // Records that other threads logged before the trigger may lie beyond tails that were loaded before it.
  if (triggered_ && !file_.stuck()) wrote = pass_over_rings(true) || wrote;
  report_handlers_if_due();
  return dump_if_due() || wrote;
}

bool Scribe::pass_over_rings(bool force) {
  if (core_options_.clock == ClockKind::kCoarse) ring::set_coarse_clock(core_.session(), counter_now());
  if (file_.stuck()) {
    const Status status = file_.retry();
    const bool anew = !status.ok() && log_.follow_truncation();  // perhaps it was to make room
    if (!anew) note_write(status);
    if (status.ok()) log_.wrote();
    if (file_.stuck() && !dropping_ && core_.patience().anyone_gave_up()) {
      dropping_ = true;
      warn(options_.path + " cannot be written for " + std::to_string(options_.block_at_most.count()) +
           " ms (block_at_most): full rings drop and count records until it can");
    }
  }
  log_.end_old_files();
  rotate_if_due(log_.follow());
  if (file_.stuck()) {
    (void)look(false);
    show_sinks_if_due();
    return false;
  }
  report_unreadable(0);
  if (look(force) != Due::kNow) {
    show_sinks_if_due();
    log_.sync(false);
    return false;
  }
  if (monotonic_now() - last_clock_check_ >= kClockCheckNs) update_clock(false);
  choose_effort();
  const bool wrote = write_blocks();
  if (wrote) {
    previous_work_ = last_work_;
    last_work_ = monotonic_now();
    effort_control_.done(last_work_);
    note_lag(last_work_ - pending_since_);
    pending_since_ = 0;
    log_.wrote();
  }
  log_.sync(false);
  return wrote;
}

// Drains every ring up to its tail of this pass, in as many blocks as that takes.
bool Scribe::write_blocks() {
  show_sinks();
  bool wrote = false;
  for (bool more = true; more;) {
    more = false;
    covered_.clear();
    const std::byte* base = nullptr;
    for (std::uint32_t i = 0; i < tails_.size(); ++i) {
      const std::byte* data = core_.rings().at(i).memory.data;
      if (rings_[i].cursor.head != tails_[i] && (base == nullptr || data < base)) base = data;
    }
    if (base == nullptr) break;
    drain::SpanWalker& walker = drain_.walker();
    walker.begin(base);
    for (std::uint32_t i = 0; i < tails_.size(); ++i) {
      if (rings_[i].cursor.head == tails_[i]) continue;
      runtime::Ring& ring = core_.rings().at(i);
      drain::RingCursor cursor = rings_[i].cursor;
      const wire::RingOwner owner = records_aside() ? ring.owner : wire::RingOwner();
      if (!walker.full() && walker.add(span_of(ring), &ring.owner, tails_[i], &cursor)) {
        if (!walker.aside().empty()) take_aside(ring, owner, cursor.head);
        covered_.emplace_back(&ring, cursor);
        more = more || cursor.head != tails_[i];
      } else {
        more = true;
      }
    }
    if (const std::uint64_t bytes = walker.take_corrupt_bytes(); bytes != 0) {
      warn(corrupt_text(bytes));
      unreadable_bytes_ += bytes;
    }
    note_trigger();
    const Status status = write_walked();
    STENO_DELAY_POINT();
    // OutputFile keeps what a failed write left over, so the cursors move on; the rings are released once it is
    // written.
    for (const auto& [ring, cursor] : covered_) {
      rings_[ring->index].cursor = cursor;
      if (status.ok()) release(*ring);
    }
    wrote = true;
    if (!status.ok() && log_.follow_truncation()) {
      if (file_.stuck()) break;
      more = true;
      continue;
    }
    note_write(status);
    if (!status.ok()) break;
    log_.rotate_if_large();
    report_unreadable(covered_.front().first->index);
  }
  return wrote;
}

// Not while the file refuses: once it is written again, or what was skipped is walked again.
void Scribe::report_unreadable(std::uint32_t ring) {
  if (unreadable_bytes_ == 0 || file_.stuck()) return;
  finish_announced();
  const std::string text = corrupt_text(std::exchange(unreadable_bytes_, 0));
  (void)write_own_record(core_.rings().at(ring), drain::OwnRecord::discarded(ticks_now(), 0, text));
}

Status Scribe::write_walked() {
  format::BlockInput input;
  out_.clear();
  if (!has_file()) {
    drain::SpanWalker& walker = drain_.walker();
    walker.new_entries().clear();
    walker.protocol_records().clear();
    drain_.points().clear();
    records_.fetch_add(walker.records(), std::memory_order_relaxed);
    return {};
  }
  return write_out(drain_.append_block(out_, &input) ? &input : nullptr);
}

// Writes out_; `input` is what the data block in it was made of, if there is one.
Status Scribe::write_out(const format::BlockInput* input) {
  if (input != nullptr) {
    blocks_.fetch_add(1, std::memory_order_relaxed);
    quick_blocks_.store(drain_.quick_blocks(), std::memory_order_relaxed);
    records_.fetch_add(input->order.size(), std::memory_order_relaxed);
    log_.wrote(drain_.walker().top_level());
  }
  const Status status = out_.empty() ? Status() : write_out(file_, input);
  STENO_KILL_POINT("scribe.block_written");
  note_bytes();
  return status;
}

void Scribe::release(runtime::Ring& ring) {
  ring::RingHeader* header = ring.memory.header;
  ring::publish(header, rings_[ring.index].release(), ring.owner);
  STENO_KILL_POINT("scribe.ring_released");
  if (ring::wake_producer(header)) effort_control_.held_up();
}

// Requires that everything that was walked is on file.
void Scribe::release_all() {
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    const drain::DrainedRing& drained = rings_[i];
    runtime::Ring& ring = core_.rings().at(i);
    const ring::Release& last = ring::last_release(ring.memory.header);
    if (last.position != drained.cursor.head || last.own != drained.own) release(ring);
  }
}

std::int64_t Scribe::block_at_most_ns() const {
  return std::min<std::int64_t>(options_.block_at_most.count(), kLongestWaitMs) * kMillisecond;
}

void Scribe::check_warnings() {
  scribe::check_warnings(core_, options_);
  if (feed_ == nullptr) return;
  sinks_->take_warnings([this](const std::string& what) { warn(what); });
}

void Scribe::note_write(const Status& status) {
  if (!status.ok() && !failing_) {
    const bool forever = options_.block_at_most == kForever;
    core_.patience().set_end(forever ? runtime::Patience::kForever : monotonic_now() + block_at_most_ns());
    warn(status.message());
  }
  if (status.ok() && failing_) {
    core_.patience().set_end(runtime::Patience::kForever);
    dropping_ = false;
    warn(options_.path + " can be written again");
    release_all();
  }
  failing_ = !status.ok();
}

bool Scribe::poll() {
  if (options_.scribe_thread) return false;  // its own thread polls, and reads the cursors between passes
  const std::lock_guard lock(pass_mutex_);
  if (!file_.is_open()) return false;
  keep_locks();
  check_warnings();
  const bool wrote = pass(core_.scribe_call().take_hurry());
  const bool served = control_.asked() && serve_control();
  tidy(monotonic_now());
  return wrote || served;
}

// Requires pass_mutex_.
bool Scribe::serve_control() {
  const auto write_all = [this] {
    feed_all_ = true;
    log_.look_at_path();  // if somebody renamed the file, he may be waiting for its last records
    pass(true);
    return unwritten();
  };
  const auto rotate = [this, write_all] {
    rotate_asked_.store(true, std::memory_order_release);
    if (Status status = write_all(); !status.ok()) return status;
    const std::lock_guard lock(flush_mutex_);
    return rotate_status_;
  };
  const auto dump = [this, write_all] {
    if (!records_aside()) return no_recorder();
    dump_asked_.store(true, std::memory_order_release);
    return write_all();
  };
  return control_.serve({[this] { return stats(); }, write_all, rotate, dump, [this] { return sinks(); }});
}

bool Scribe::help() {
  const std::unique_lock lock(pass_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !file_.is_open()) return false;
  const std::int64_t now = monotonic_now();
  if ((file_.stuck() || begins_again_) && now - last_help_ < kRetryGapNs) return false;
  last_help_ = now;
  return pass(true);
}

Status Scribe::rotate() {
  if (stopping_.load(std::memory_order_acquire)) return {StatusCode::kFailedPrecondition, "the session has ended"};
  rotate_asked_.store(true, std::memory_order_release);
  STENO_DELAY_POINT();
  if (Status status = flush(); !status.ok()) return status;
  const std::lock_guard lock(flush_mutex_);
  return rotate_status_;
}

Status Scribe::dump_recorder() {
  if (stopping_.load(std::memory_order_acquire)) return {StatusCode::kFailedPrecondition, "the session has ended"};
  if (!records_aside()) return no_recorder();
  dump_asked_.store(true, std::memory_order_release);
  STENO_DELAY_POINT();
  return flush();
}

Status Scribe::flush() {
  if (stopping_.load(std::memory_order_acquire)) return {StatusCode::kFailedPrecondition, "the session has ended"};
  if (!options_.scribe_thread) {
    const std::lock_guard lock(pass_mutex_);
    if (!file_.is_open()) return {StatusCode::kFailedPrecondition, "the session has ended"};
    feed_all_ = true;
    pass(true);
    if (sinks_ != nullptr) sinks_->wait_written();
    return unwritten();
  }
  const std::uint64_t number = flush_requested_.fetch_add(1, std::memory_order_acq_rel) + 1;
  STENO_DELAY_POINT();
  core_.scribe_call().wake(true);
  std::unique_lock lock(flush_mutex_);
  flush_changed_.wait(lock, [&] { return flush_done_ >= number; });
  const Status status = flush_status_;
  lock.unlock();
  if (sinks_ != nullptr) sinks_->wait_written();
  return status;
}

void Scribe::run() {
  sigset_t blocked = signals_of_others();
  sigaddset(&blocked, SIGXFSZ);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  pthread_setname_np(pthread_self(), "steno-scribe");
  place_thread();
  runtime::mark_scribe_thread();
  if (feed_ != nullptr) prctl(PR_SET_TIMERSLACK, 1UL);  // 50 us is the default
  while (!stopping_.load(std::memory_order_acquire)) look_around();
  cpu_ns_.store(static_cast<std::uint64_t>(thread_cpu_now()), std::memory_order_relaxed);
}

}  // namespace steno::scribe
