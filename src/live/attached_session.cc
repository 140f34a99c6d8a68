#include "live/attached_session.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/futex.h"
#include "live/log_identity.h"
#include "live/staging_feed.h"
#include "ring/session_access.h"
#include "staging/directory.h"
#include "staging/log_marks.h"
#include "staging/session_names.h"

namespace steno::live {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kLifeCheckNs = 50 * kMillisecond;
constexpr std::int64_t kClockCheckNs = 50 * kMillisecond;
constexpr std::int64_t kLookGapNs = 5 * kMillisecond;
constexpr std::int64_t kGraceNs = 10 * kMillisecond;
constexpr std::int64_t kLongNs = 1000 * kMillisecond;

}  // namespace

Result<std::unique_ptr<AttachedSession>> AttachedSession::attach(const std::string& directory,
                                                                 const AttachOptions& options) {
  auto view = staging::ForeignStaging::open(directory, staging::ForeignStaging::Access::kDrain);
  if (!view.ok()) return view.status();
  const ring::SessionFile& session = view->session();
  if (view->state() != staging::State::kLive || session.external == 0 || session.state != ring::kRunning)
    return Status(StatusCode::kFailedPrecondition, directory + " has no session that needs a scribe");
  std::unique_ptr<AttachedSession> attached(new AttachedSession(std::move(view).value(), options));
  if (Status status = attached->open_log(); !status.ok()) return status;
  if (Status status = attached->begin(); !status.ok()) return status;
  return attached;
}

AttachedSession::AttachedSession(staging::ForeignStaging view, const AttachOptions& options)
    : view_(std::move(view)),
      asked_(*view_.shared_session(), view_.directory()),
      options_(options),
      log_(*this, options.sync) {}

AttachedSession::~AttachedSession() {
  log_.close();
  ring::set_consumer_pid(*view_.shared_session(), 0);
}

// The log that the session names, or else we.
Status AttachedSession::open_log() {
  std::string path = view_.session().log_path;
  const bool named = !path.empty();
  if (!named && options_.log_of) path = options_.log_of(view_.session());
  if (path.empty())
    return {StatusCode::kInvalidArgument, view_.directory() + ": its session names no log file: use --out"};
  if (Status status = log_.open(path, {options_.file_mode, options_.rotation, options_.warn}); !status.ok()) {
    return status;
  }
  if (!named && !name_log(path)) return {StatusCode::kInvalidArgument, path + ": the path is too long for a log"};
  ring::SessionFile& session = *view_.shared_session();
  // The path now leads to another file: a new session begins there, so that each file is complete in itself.
  if (ring::log_of(session).known() && file_.identity().known() &&
      lies_elsewhere(session, file_.identity(), file_.end() == 0)) {
    view_.renew_session();
  }
  staging::set_identity(session, file_.identity());
  return {};
}

bool AttachedSession::name_log(const std::string& path) {
  if (path.size() >= sizeof view_.shared_session()->log_path) return false;
  bool marked = true;
  for (const std::string& key : staging::log_keys(path)) marked = staging::add_mark(view_.directory(), key) && marked;
  staging::set_log_path(*view_.shared_session(), path);
  if (marked) staging::remove_mark(view_.directory(), staging::kNoLog);
  return true;
}

Status AttachedSession::begin() {
  view_.restart_rings();
  (void)view_.refresh();
  ring::set_consumer_pid(*view_.shared_session(), static_cast<std::uint32_t>(getpid()));
  ring::set_keeps_vacant(*view_.shared_session(), options_.keeps_vacant);
  drain_ = std::make_unique<StagingDrain>(view_, options_.zstd_level);
  if (into_ == nullptr) dumps_begun_ = ring::load_dumps_done(*view_.shared_session());
  into_ = std::make_unique<FileDrain>(view_, *drain_, file_);
  log_.looked_at_path();
  into_->begin();
  const std::uint64_t before = file_.end();
  // Else it waits for the first records: a session that ends before they are due is written as one. What another
  // consumer began is carried on at once, because it may have to be ended in this file.
  const bool waits = before != 0 && options_.packer != nullptr && drain_->is_first_consumer();
  const Status status = waits ? Status() : into_->write_begun();
  log_.began(before);
  note_refusal(status);
  return file_.stuck() ? Status() : status;  // else it is written when there is room
}

std::uint32_t AttachedSession::writes_asked() const {
  return ring::load_requests(*view_.shared_session());
}

bool AttachedSession::asked() const {
  const bool is_asked = !file_.stuck() && writes_asked() != requests_seen_;
  return (is_asked && grace_left(monotonic_now()) == 0) || asked_.asked();
}

// A process that logs why it ends, and ends, asks for that to be written at once. Its session is packed with its end.
std::int64_t AttachedSession::grace_left(std::int64_t now) const {
  if (options_.packer == nullptr || !into_->is_unwritten() || writes_asked() == requests_seen_ || stopped()) return 0;
  return std::clamp<std::int64_t>(attached_at_ + kGraceNs - now, 0, kGraceNs);
}

// A sign of life, by which a death is dated (ring.md §5). Passes may follow one another by the microsecond.
void AttachedSession::note_look(std::int64_t now) {
  if (now - last_noted_look_ < kLookGapNs) return;
  last_noted_look_ = now;
  const auto clock = static_cast<ClockKind>(view_.session().clock_kind);
  ring::set_last_look(*view_.shared_session(), ticks_now(ticks_are_wall(clock)));
}

void AttachedSession::update_clock(bool force) {
  const std::int64_t now = monotonic_now();
  if (!force && now - last_clock_check_ < kClockCheckNs) return;
  last_clock_check_ = now;
  drain_->update_clock(force);
}

bool AttachedSession::is_dead(std::int64_t now) {
  if (now - last_life_check_ < kLifeCheckNs) return false;
  last_life_check_ = now;
  return view_.is_orphan() && view_.take_over();
}

void AttachedSession::note_refusal(const Status& status) {
  ring::set_refuses(*view_.shared_session(), !status.ok());
  if (!status.ok() && !refusing_) options_.warn(status.message());
  if (status.ok() && refusing_) options_.warn(file_.path() + " can be written again");
  refusing_ = !status.ok();
}

// New sinks start where the former ones have received everything.
void AttachedSession::follow_sinks() {
  std::shared_ptr<sink::SinkSet> sinks = options_.current_sinks();
  if (sinks == sinks_) return;
  auto feed = sinks != nullptr ? std::make_unique<StagingFeed>(view_, sinks, *drain_) : nullptr;
  if (feed != nullptr && feed_ != nullptr) {
    feed_->look(*drain_, true);
    feed->go_on_from(*feed_);
  }
  feed_ = std::move(feed);
  sinks_ = std::move(sinks);
}

std::int64_t AttachedSession::show_due_in(std::int64_t now) const {
  return feed_ != nullptr ? feed_->due_in(now) : INT64_MAX;
}

void AttachedSession::show(bool last) {
  follow_sinks();
  if (feed_ == nullptr) return;
  update_clock(false);
  feed_->look(*drain_, last);
}

AttachedSession::Outcome AttachedSession::pass(bool force) {
  follow_sinks();
  if (std::exchange(rotate_next_, false)) last_rotation_ = rotate();
  const std::int64_t now = monotonic_now();
  if (show_due_in(now) == 0) show(false);  // though the file be stuck
  const Outcome outcome = pass_over_rings(force, now);
  if (!file_.stuck()) log_.sync(outcome == Outcome::kEnded);
  return outcome;
}

AttachedSession::Outcome AttachedSession::pass_over_rings(bool force, std::int64_t now) {
  if (file_.stuck()) {
    const Status status = broken_ ? file_.retry() : into_->retry();
    bool anew = !status.ok() && follow_truncation();  // perhaps it was to make room
    if (!anew) note_refusal(status);
    if (file_.stuck() && !broken_) anew = log_.follow();
    if (file_.stuck()) return Outcome::kGoesOn;
    force = force || anew;
  }
  log_.end_old_files();
  if (broken_) return Outcome::kAgain;
  const std::uint32_t asked = writes_asked();
  const bool is_asked = asked != requests_seen_ && grace_left(now) == 0;
  if (std::exchange(write_all_next_, false) || is_asked) {
    force = true;
    log_.look_at_path();  // whoever renamed the file may be waiting for its last records
  }
  if (force || is_asked) requests_seen_ = asked;
  dumps_asked_ = ring::load_dumps_asked(*view_.shared_session());
  force = force || dumps_asked_ != dumps_begun_;
  (void)log_.follow();
  if (log_.rotation_is_due()) (void)rotate();
  // Before the look at the tails: all that was logged until then is there.
  dead_ = dead_ || is_dead(now);
  const bool ends = dead_ || stopped();
  if (!ends && !force && !has_work(now)) {
    note_look(now);
    return Outcome::kGoesOn;
  }
  if (view_.has_new_rings()) {
    (void)view_.refresh();
    view_.restart_rings();
  }
  if (!drain_->refresh()) return Outcome::kAgain;
  if (!dead_) note_look(now);
  const bool at_once = ends && may_end_at_once();
  const Outcome outcome = at_once ? Outcome::kGoesOn : write_due(force || ends);
  if (outcome == Outcome::kGoesOn && !dead_ && !at_once) dump_recorder_if_due();
  if (outcome != Outcome::kGoesOn || !ends || file_.stuck()) return outcome;
  return end_of(dead_, at_once);
}

bool AttachedSession::may_end_at_once() const {
  return options_.packer != nullptr && into_->is_unwritten() && stopped() &&
         recorder_below(view_.session()) == Level::kTrace;
}

// Returns whether a pass has more to do than to look at tails. It has not while records wait for a block to be due:
// passes happen for every session whenever one of hundreds has something to write.
bool AttachedSession::has_work(std::int64_t now) const {
  // Records from before the first look move nothing.
  if (pending_since_ == 0) return drain_->waiting() || drain_->moved();
  return is_due(now) || view_.has_new_rings() || !view_.same_session() || dumping_ || drain_->is_dump_triggered();
}

bool AttachedSession::is_due(std::int64_t now) const {
  return drain_->nearly_full() || now - pending_since_ >= options_.flush_interval_ns;
}

AttachedSession::Outcome AttachedSession::write_due(bool force) {
  if (!drain_->waiting()) {
    pending_since_ = 0;
    return Outcome::kGoesOn;
  }
  if (pending_since_ == 0) pending_since_ = monotonic_now();
  if (!force && !is_due(monotonic_now())) return Outcome::kGoesOn;
  update_clock(false);
  choose_effort();
  write_blocks();
  if (follow_truncation()) {
    if (!drain_->refresh()) return Outcome::kAgain;
    write_blocks();
  }
  effort_control_.done(monotonic_now());
  note_refusal(into_->status());
  pending_since_ = 0;
  return Outcome::kGoesOn;
}

// After all that was logged before it was asked for. What the file refuses then is written before all else later.
void AttachedSession::dump_recorder_if_due() {
  if (file_.stuck()) return;
  const bool asked = dumps_begun_ != dumps_asked_;
  if (asked || drain_->is_dump_triggered()) {
    dumps_begun_ = dumps_asked_;
    dumping_ = true;
    if (drain_->waiting()) write_blocks();
    if (file_.stuck()) return;
    if (drain_->dump_recorder_if_due(asked)) write_blocks();
  }
  if (!dumping_ || file_.stuck()) return;
  dumping_ = false;
  drain_->dumped();
  ring::store_dumps_done(*view_.shared_session(), dumps_begun_);
  futex_wake(&view_.shared_session()->state);  // its owner may wait for that
}

// Blocks that the file refuses are written later, and count then.
void AttachedSession::write_blocks() {
  show(false);  // what is released cannot be shown any more
  while (into_->write_next()) log_.wrote(drain_->top_level());
  if (file_.stuck()) log_.wrote(drain_->top_level());
}

// When the session ends nobody waits for room any more.
void AttachedSession::choose_effort() {
  if (!options_.keep_up || dead_ || stopped()) {
    drain_->set_effort(format::Effort::kFull);
    return;
  }
  const StagingDrain::Backlog backlog = drain_->take_backlog();
  if (backlog.held_up) effort_control_.held_up();
  drain_->set_effort(effort_control_.next(backlog.pending, backlog.reach, monotonic_now()));
}

AttachedSession::Outcome AttachedSession::end_of(bool dead, bool at_once) {
  // A session that was short has the points of its beginning, and one more only where these do not hold.
  if (!dead) drain_->update_clock(monotonic_now() - attached_at_ > kLongNs);
  if (!dead && drain_->forget_recorded()) {
    write_blocks();
    if (file_.stuck()) return Outcome::kGoesOn;
  }
  show(true);
  if (at_once) drain_->set_effort(format::Effort::kFull);
  const Status status = at_once ? into_->finish_at_once(*options_.packer) : into_->finish();
  if (at_once) log_.wrote(drain_->top_level());
  broken_ = !status.ok();
  if (broken_ && follow_truncation()) return Outcome::kAgain;
  note_refusal(status);
  if (broken_) return Outcome::kGoesOn;
  log_.wrote(Level::kTrace);  // the end block
  if (dead) staging::remove_staging(view_.directory_fd(), view_.directory(), view_.shared_session());
  return Outcome::kEnded;
}

// After a write that failed. True: because the file had been truncated (output_file.h), or, of a session's end, because
// it was removed: what the file had not taken is drained again, for the file that the path leads to.
bool AttachedSession::follow_truncation() {
  if (!broken_) return log_.follow_truncation();
  if (!file_.stuck() || !(file_.truncated() || file_.unlinked())) return false;
  view_.renew_session();  // the rest is for whoever attaches it anew
  file_.cut(view_.session().session_id);
  note_refusal({});
  return true;
}

bool AttachedSession::write_all() {
  if (drain_->refresh()) write_blocks();
  if (file_.stuck()) return false;
  log_.sync(true);
  return true;
}

Status AttachedSession::rotate() {
  if (!file_.stuck()) (void)write_all();
  return log_.rotate();
}

void AttachedSession::go_on() {
  view_.renew_session();
  staging::set_identity(*view_.shared_session(), file_.identity());
  note_refusal(begin());
}

}  // namespace steno::live
