// The scribe's file: its session block, index blocks, the next file after a rotation, and fdatasync.
#include "base/kill_point.h"
#include "drain/session_info.h"
#include "format/block.h"
#include "format/session_block.h"
#include "logfile/file_marks.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kPathCheckNs = 1'000'000'000;
constexpr std::int64_t kOldFileNs = 100'000'000;  // between two tries to end sessions in old files

constexpr const char* kNoFile = "/dev/null";

}  // namespace

Status Scribe::open_file() {
  // Without a path (sinks only) everything is done as if there were a file.
  const std::string path = has_file() ? options_.path : kNoFile;
  if (Status status = file_.open(path, options_.file_mode); !status.ok()) return status;
  rotator_.begin(file_.descriptor());
  return rotate_before_start();
}

// Rotates a file of earlier runs if that is due, before anything of this session is in it.
Status Scribe::rotate_before_start() {
  if (!file_.identity().known()) return {};
  const bool asked = options_.rotation.on_start && !logfile::is_written_by_others(file_.descriptor());
  if (file_.end() != 0 && (asked || rotator_.due(file_.end()))) {
    const auto open_new = [this](bool) {
      STENO_KILL_POINT("scribe.earlier_file_renamed");
      logfile::OutputFile old;
      Status status = file_.reopen(&old);
      if (status.ok()) rotator_.begin(file_.descriptor());
      return status;
    };
    (void)rotator_.rotate(file_.descriptor(), open_new, warns());
  }
  rotator_.remove_old(file_.descriptor(), warns());
  return {};
}

Status Scribe::write_session_block() {
  blank_end_ = file_.end();
  format::SessionBlock block = drain::session_info(core_.session(), core_.staging().path());
  if (!ticks_are_wall(core_options_.clock)) block.ns_per_tick = drain_.clock().ns_per_tick();
  drain_.begin_session(block.session_id, ring::count_consumer(core_.session()));
  session_writer_.begin(block.session_id, drain_.tag());
  out_.clear();
  format::append_session_block(out_, block);
  update_clock(true);
  drain_.append_points(out_);
  const Status status = write_out(file_, nullptr);
  blank_end_ = blank_end_ == 0 ? file_.end() : 0;  // others' records may be in it
  STENO_KILL_POINT("scribe.session_block_written");
  return status;
}

// Writes out_ into `file`; `input` is what the data block in out_ was made of.
Status Scribe::write_out(logfile::OutputFile& file, const format::BlockInput* input) {
  const Status status = session_writer_.write(file, out_, input);
  if (session_writer_.take_stretch_end()) drain_.begin_stretch();
  return status;
}

// The file may have been renamed or removed, by log rotation or by hand. If so, what follows goes to a new file at the
// path, as a new session, so that either file can be read alone.
bool Scribe::follow_path() {
  const std::int64_t now = monotonic_now();
  if (now - last_path_check_ < kPathCheckNs) return false;
  last_path_check_ = now;
  if (!file_.moved()) return false;
  // What was logged before the move belongs into the old file, unless it was truncated and could not be read there.
  if (!file_.stuck() && !file_.truncated() && look(true) == Due::kNow) write_blocks();
  if (!file_.moved()) return true;  // it was rotated meanwhile
  const Status status = go_on_in_new_file();
  if (status.ok()) return true;
  if (!lost_path_) {
    warn(status.message() + (file_.truncated() ? "; records stay in memory until this succeeds"
                                               : "; logging continues in the file that is open"));
  }
  lost_path_ = true;
  return false;
}

// Called after a write has failed. True: it failed because the file had been truncated (output_file.h), and a new
// session has begun at its new end; what the file had not taken is walked again.
bool Scribe::follow_truncation() {
  if (!file_.stuck() || !file_.truncated()) return false;
  last_path_check_ = 0;
  return follow_path();
}

// Ends the session in the open file and begins another in the file that the path names now. On failure nothing has
// changed.
Status Scribe::go_on_in_new_file() {
  logfile::OutputFile old;
  if (Status status = file_.reopen(&old); !status.ok()) return status;
  lost_path_ = false;
  STENO_KILL_POINT("scribe.file_reopened");
  // No warning if the file was renamed or a link points elsewhere: that is how logs are rotated.
  if (old.same_file(file_)) {
    warn(options_.path + " was truncated; logging continues at its new end");
  } else if (old.unlinked()) {
    warn(options_.path + " was removed; logging continues in a new file at this path");
  }
  if (old.stuck()) {  // its disk is full, and closing it may be what makes room
    old.cut(core_.session().session_id);
    rewind();
  }
  end_in_old_file(std::move(old));
  STENO_KILL_POINT("scribe.rotated");
  core_.renew(file_.identity());
  begin_file();
  rotator_.begin(file_.descriptor());
  note_write(write_session_block());
  finish_announced();
  return {};
}

// Before anything else is drained: what was logged until then belongs into the file that is closed. `followed`:
// somebody else has just rotated it.
void Scribe::rotate_if_due(bool followed) {
  const bool asked = rotate_asked_.exchange(false, std::memory_order_acq_rel);
  if (!asked && !rotator_.due(file_.end())) return;
  if (!file_.stuck() && look(true) == Due::kNow) write_blocks();
  if (asked && feed_ != nullptr) feed_->rotate(looked_ticks_, looked_at_);
  Status status;
  if (file_.stuck()) {
    status = {StatusCode::kIoError, options_.path + " cannot be written now"};
  } else if (followed || !file_.identity().known() || !has_records()) {
    rotator_.skip();
  } else if (asked || rotator_.due(file_.end())) {
    status = rotate_file();
  }
  if (!asked) return;
  const std::lock_guard lock(flush_mutex_);
  rotate_status_ = status;
}

// Between two blocks.
void Scribe::rotate_if_large() {
  if (options_.rotation.max_bytes == 0 || file_.end() < options_.rotation.max_bytes) return;
  if (!file_.stuck() && file_.identity().known() && has_records() && rotator_.due(file_.end())) (void)rotate_file();
}

// Requires that the file is not stuck.
Status Scribe::rotate_file() {
  // If another process is renaming it right now, moved() does not return true yet: look again at the next pass.
  last_path_check_ = 0;
  const auto go_on = [this](bool renamed) {
    STENO_KILL_POINT("scribe.file_renamed");
    return renamed || file_.moved() ? go_on_in_new_file() : Status();
  };
  const Status status = rotator_.rotate(file_.descriptor(), go_on, warns());
  if (status.ok()) rotator_.remove_old(file_.descriptor(), warns());
  return status;
}

void Scribe::note_bytes() {
  bytes_.store(closed_bytes_ + file_.bytes_written(), std::memory_order_relaxed);
}

// Writes the session's end to the file that was renamed; if that is not possible now, later passes try again.
void Scribe::end_in_old_file(logfile::OutputFile old) {
  if (old.bytes_written() < format::kBlockHeaderSize) return;  // the session never began there
  // In a truncated file the beginning of the session is gone, so it needs no end.
  const Status ended = old.same_file(file_) ? Status() : write_end_block(old);
  closed_bytes_ += old.bytes_written();
  note_bytes();
  if (options_.sync != Sync::kNever) (void)old.sync();
  if (!ended.ok() && !old.unlinked()) keep_old_file({std::move(old), core_.session().session_id});
}

void Scribe::keep_old_file(OldFile old) {
  if (old_files_.size() == kMostOldFiles) {
    warn("the end of the session could not be written to the last " + std::to_string(kMostOldFiles + 1) +
         " rotated files of " + options_.path + "; the oldest of them stays without it");
    old_files_.front().file.cut(old_files_.front().session_id);
    old_files_.erase(old_files_.begin());
  }
  old_files_.push_back(std::move(old));
}

void Scribe::retry_old_files() {
  if (old_files_.empty()) return;
  const std::int64_t now = monotonic_now();
  if (now - last_old_try_ < kOldFileNs) return;
  last_old_try_ = now;
  std::erase_if(old_files_, [this](OldFile& old) {
    if (!old.file.retry().ok()) return old.file.unlinked();
    if (options_.sync != Sync::kNever) (void)old.file.sync();
    return true;
  });
}

// Moves the cursors back to the last release: what was walked beyond it and is not on file is walked again.
void Scribe::rewind() {
  unreadable_bytes_ = 0;
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    drain::DrainedRing& drained = rings_[i];
    runtime::Ring& ring = core_.rings().at(i);
    const ring::RingHeader* header = ring.memory.header;
    const ring::Release& last = ring::last_release(header);
    records_.fetch_sub(drained.cursor.seq - last.seq, std::memory_order_relaxed);
    drained.rewind(last);
    ring.owner = ring::owner_at(header, last);
  }
}

// Sequence numbers and clock points start again; positions in the rings do not.
void Scribe::begin_file() {
  for (drain::DrainedRing& ring : rings_) ring.restart_numbers();
  drain_.clock().begin_session();
  drain_.points().clear();
}

void Scribe::sync(bool all) {
  sync_.run(file_, all, warns());
}

}  // namespace steno::scribe
