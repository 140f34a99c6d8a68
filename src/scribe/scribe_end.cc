// How a session ends: everything is written, losses are reported, the end block follows.
#include <unistd.h>

#include <algorithm>

#include "base/kill_point.h"
#include "base/within.h"
#include "format/end_block.h"
#include "ring/ring_access.h"
#include "runtime/producer.h"
#include "scribe/scribe.h"
#include "wire/stamp.h"

namespace steno::scribe {

using drain::OwnRecord;

namespace {

constexpr int kMostTriesAtTheEnd = 50;  // where there is no memory: about a second
constexpr unsigned kTryGapUs = 20'000;

constexpr std::string_view kDiscardReason = "no ring could be made for a thread, or the thread had ended";
constexpr std::string_view kTooLargeReason = "their strings do not fit into their ring even when they are cut";
constexpr std::string_view kChildReason =
    "a child process that was made without fork handlers, by clone() or _Fork(), logged before it called start()";
constexpr std::string_view kInnerReason = "an allocator logged while steno, which had called it, held a lock";
constexpr std::string_view kUnreadableReason = "bytes of a ring could not be read";
constexpr std::int64_t kHandlerReportGapNs = 1'000'000'000;

}  // namespace

// Writes a record of the scribe's own into the ring's stream, with its own sequence numbers (ring.md §4.1) and as a
// record of the ring's thread.
Status Scribe::write_own_record(runtime::Ring& ring, const OwnRecord& record) {
  drain::DrainedRing& drained = rings_[ring.index];
  drain::Drain::announce(&drained, record);
  if (!file_.stuck()) release(ring);
  STENO_KILL_POINT("scribe.own_record_announced");
  format::BlockInput input;
  out_.clear();
  drain_.append_own(drained, record, &ring.owner, out_, &input);
  const Status status = write_out(&input);
  drain::finish_own(&drained);
  note_write(status);
  if (status.ok()) release(ring);
  return status;
}

std::uint64_t Scribe::ticks_now() const {
  if (core_options_.clock == ClockKind::kUser)
    return wire::representable_time(static_cast<std::int64_t>(core_options_.user_clock()));
  return steno::ticks_now(ticks_are_wall(core_options_.clock));
}

// An earlier session announced a record of its own and could not write it. The drops that it reports are marked as
// reported already, so this session writes it, before any other own record (ring.md §4.1).
void Scribe::finish_announced() {
  adopt_rings();
  for (std::uint32_t i = 0; i < rings_.size() && !file_.stuck(); ++i) {
    const std::uint64_t announced = rings_[i].announced;
    if (announced == 0) continue;
    runtime::Ring& ring = core_.rings().at(i);
    const std::uint64_t since = ring::dropping_since(ring.memory.header);
    const std::uint64_t records = announced >> 2;
    const bool drops = announced % 4 == wire::kSiteDropped;
    (void)write_own_record(ring, drops ? OwnRecord::dropped(ticks_now(), records, since)
                                       : OwnRecord::discarded(ticks_now(), records,
                                                              records != 0 ? drain::kSomeReason : kUnreadableReason));
  }
}

// Reports drops and discards that no producer has reported. A report that cannot be written stays announced, and
// nothing more is taken once the file refuses. Drops that follow records which threads have logged since the last pass
// belong to the next session, as those records do.
void Scribe::report_losses() {
  finish_announced();
  for (std::uint32_t i = 0; i < rings_.size() && !file_.stuck(); ++i) {
    runtime::Ring& ring = core_.rings().at(i);
    const std::uint64_t dropped = ring.dropped();  // before the tail
    if (ring::load_tail(ring.memory.header) != rings_[i].cursor.head) continue;
    const std::uint64_t missing = ring.take_unaccounted(dropped);
    if (missing == 0) continue;
    const std::uint64_t since = ring::dropping_since(ring.memory.header);
    (void)write_own_record(ring, OwnRecord::dropped(ticks_now(), missing, since));
  }
  if (file_.stuck()) return;
  // The process's, which the default session reports.
  if (core_.slot() == 0) {
    for (std::uint64_t left = take_inner_refusals(); left != 0; --left) core_.discards().add_inner();
  }
  report_handlers();
  if (file_.stuck()) return;
  const std::uint64_t discarded = core_.discards().take_unreported();
  const std::uint64_t in_children = std::min(core_.discards().take_in_children(), discarded);
  const std::uint64_t inner = std::min(core_.discards().take_inner(), discarded - in_children);
  const std::uint64_t too_large = std::min(core_.discards().take_too_large(), discarded - in_children - inner);
  report_discards(discarded - in_children - inner - too_large, kDiscardReason);
  report_discards(in_children, kChildReason);
  report_discards(inner, kInnerReason);
  report_discards(too_large, kTooLargeReason);
}

void Scribe::report_handlers() {
  report_discards(core_.discards().take_in_handlers(), drain::kHandlerReason);
}

// While the session runs, so that a log that is read along has them near where they are missing.
void Scribe::report_handlers_if_due() {
  const std::int64_t now = monotonic_now();
  if (now - handlers_reported_ < kHandlerReportGapNs) return;
  handlers_reported_ = now;
  if (file_.stuck() || begins_again_ || rings_.empty()) return;
  finish_announced();
  if (!file_.stuck()) report_handlers();
}

void Scribe::report_discards(std::uint64_t records, std::string_view reason) {
  if (records == 0) return;
  if (file_.stuck()) return core_.discards().give_back(records);
  if (rings_.empty()) {
    warn(std::to_string(records) + " records discarded: " + std::string(reason));
    write_without_ring(OwnRecord::discarded(ticks_now(), records, reason));
    return;
  }
  (void)write_own_record(core_.rings().at(0), OwnRecord::discarded(ticks_now(), records, reason));
}

// Writes the record as one of a ring 0, which could not be made: the file is to say what is missing. Nothing announces
// it, because there is nothing that outlives the process.
void Scribe::write_without_ring(const OwnRecord& record) {
  if (!absent_ring_) absent_ring_.emplace(0, ring::Release{}, ring::kOrdinaryRing);
  wire::RingOwner nobody{{0, 0, "steno"}, ""};
  drain::Drain::announce(&*absent_ring_, record);
  format::BlockInput input;
  out_.clear();
  drain_.append_own(*absent_ring_, record, &nobody, out_, &input);
  note_write(write_out(&input));
  drain::finish_own(&*absent_ring_);
}

// Bytes in rings that were to be written and are not on file.
std::uint64_t Scribe::unreleased_bytes() const {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    const ring::RingHeader* header = core_.rings().at(i).memory.header;
    const std::uint64_t position = ring::last_release(header).position;
    const std::uint64_t end = holds_back(i) ? std::max(position, dump_end_) : ring::load_tail(header);
    bytes += end - position;
  }
  return bytes;
}

Status Scribe::left_in_memory() const {
  const bool for_others = !core_.staging().path().empty();
  return {StatusCode::kIoError,
          options_.path + ": the last " + std::to_string(unreleased_bytes()) +
              " bytes of records could not be written; they stay in " +
              (for_others ? "shared memory: 'steno recover' writes them"
                          : "the memory of this process until its next session writes them, or it ends")};
}

format::EndBlock Scribe::end_block() const {
  format::EndBlock end;
  for (const drain::DrainedRing& ring : rings_) drain::add_ring_total(ring, &end);
  if (absent_ring_) drain::add_ring_total(*absent_ring_, &end);
  return end;
}

Status Scribe::write_end_block(logfile::OutputFile& file) {
  out_.clear();
  update_clock(true);
  drain_.append_points(out_);
  if (out_.empty() || write_out(file, nullptr).ok()) session_writer_.finish(file);
  out_.clear();
  format::append_end_block(out_, end_block(), drain_.tag());
  const Status status = file.write(out_);  // queued after what could not be written before it, if anything
  note_bytes();
  return status;
}

void Scribe::abandon() {
  stopping_.store(true, std::memory_order_release);
  new (&thread_) std::thread;  // not detached: in the child the handle may be another thread's by now
  log_.abandon();
  if (sinks_ != nullptr) sinks_->abandon();
}

// Reports what is to be reported, and ends the session in its file, or says why it cannot.
Status Scribe::end_file() {
  if (!begins_again_) forget_recorded();
  close_sinks();
  check_warnings();
  if (!file_.stuck() && !begins_again_) report_losses();
  if (file_.stuck() || begins_again_) {
    Status status = left_in_memory();
    warn(status.message());
    return status;
  }
  Status status = write_end_block(file_);
  if (!status.ok() && log_.follow_truncation()) status = write_end_block(file_);
  STENO_KILL_POINT("scribe.end_block_written");
  if (status.ok()) {
    core_.set_ended();
  } else {
    warn(status.message());
  }
  return status;
}

Status Scribe::stop() {
  if (getpid() != pid_) abandon();
  if (!file_.is_open()) return {};
  stopping_.store(true, std::memory_order_release);
  const runtime::ServesRings serving;  // this thread drains from here on, so it never waits for room
  core_.scribe_call().wake(true);
  if (thread_.joinable()) thread_.join();

  const std::lock_guard lock(pass_mutex_);
  // Two passes: producers that waited get room by the first, and may log once more before they see the end.
  feed_all_ = true;
  pass(true);
  core_.end();
  feed_all_ = true;
  pass(true);
  for (int i = 0; i < kMostTriesAtTheEnd && begins_again_; ++i) {
    usleep(kTryGapUs);
    pass(true);
  }
  Status status;
  try {
    status = end_file();
  } catch (...) {
    begins_again_ = true;
    status = Status(StatusCode::kExhausted, "");
  }
  if (!status.ok()) core_.set_stopped();
  keep_clock();
  log_.wrote();
  log_.sync(true);
  log_.close();
  {
    const std::lock_guard flush_lock(flush_mutex_);
    flush_done_ = ~std::uint64_t{0};
    flush_status_ = status;
    flush_changed_.notify_all();
  }
  return status;
}

}  // namespace steno::scribe
