// The scribe's file: its first block, index blocks, the new one after a rotation, and fdatasync.
#include "base/kill_point.h"
#include "drain/session_info.h"
#include "format/block.h"
#include "format/session_block.h"
#include "ring/release.h"
#include "ring/session_names.h"
#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kPathCheckNs = 1'000'000'000;
constexpr std::int64_t kOldFileNs = 100'000'000;  // between two tries to end sessions in old files

}  // namespace

Status Scribe::write_session_block() {
  format::SessionBlock block = drain::session_info(core_.session(), core_.staging().path());
  if (!ticks_are_wall(core_options_.clock)) block.ns_per_tick = drain_.clock().ns_per_tick();
  drain_.begin_session(block.session_id, ring::count_consumer(core_.session()));
  session_writer_.begin(block.session_id, drain_.tag());
  out_.clear();
  format::append_session_block(out_, block);
  update_clock(true);
  drain_.append_points(out_);
  const Status status = write_out(file_, nullptr);
  STENO_KILL_POINT("scribe.session_block_written");
  return status;
}

// Writes out_ into `file`; `input` is what the data block in out_ was made of.
Status Scribe::write_out(logfile::OutputFile& file, const format::BlockInput* input) {
  const Status status = session_writer_.write(file, out_, input);
  if (session_writer_.take_stretch_end()) drain_.begin_stretch();
  return status;
}

// The file may have been renamed or removed under us, by log rotation or by hand: what comes is written to a new one at
// the path, as a session of its own, so that either file is whole.
void Scribe::follow_path() {
  const std::int64_t now = monotonic_now();
  if (now - last_path_check_ < kPathCheckNs) return;
  last_path_check_ = now;
  if (!file_.moved()) return;
  if (!file_.stuck() && look(true) == Due::kNow) write_blocks();  // what was logged before the move belongs there
  logfile::OutputFile old;
  if (const Status status = file_.reopen(&old); !status.ok()) {
    if (!lost_path_) warn(status.message() + "; logging goes on in the file that was opened first");
    lost_path_ = true;
    return;
  }
  lost_path_ = false;
  // Renaming it, or pointing a link elsewhere, is how logs are rotated: nothing is amiss.
  if (old.unlinked()) warn(options_.path + " was removed; logging goes on in a new file there");
  if (old.same_file(file_)) warn(options_.path + " was truncated; logging goes on at its new end");
  if (old.stuck()) {  // its disk is full, and perhaps only our letting go of it makes room
    old.cut(core_.session().session_id);
    rewind();
  }
  end_in_old_file(std::move(old));
  STENO_KILL_POINT("scribe.rotated");
  core_.renew(file_.identity());
  begin_file();
  note_write(write_session_block());
  finish_announced();
}

// The session's end in the file that was renamed. Where it cannot be written now, it is when there is room.
void Scribe::end_in_old_file(logfile::OutputFile old) {
  if (old.bytes_written() < format::kBlockHeaderSize) return;  // it never began there
  const Status ended = write_end_block(old);
  if (options_.sync != Sync::kNever) (void)old.sync();
  if (!ended.ok() && !old.unlinked()) keep_old_file({std::move(old), core_.session().session_id});
}

void Scribe::keep_old_file(OldFile old) {
  if (old_files_.size() == kMostOldFiles) {
    warn("the end of the session could not be written to the last " + std::to_string(kMostOldFiles + 1) +
         " files that were " + options_.path + "; the oldest of them is left without");
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

// Back to what is on file: what was walked beyond is walked again.
void Scribe::rewind() {
  for (drain::DrainedRing& drained : rings_) {
    runtime::Ring& ring = core_.ring(drained.id);
    const ring::RingHeader* header = ring.memory.header;
    const ring::Release& last = ring::last_release(header);
    records_.fetch_sub(drained.cursor.seq - last.seq, std::memory_order_relaxed);
    drained.rewind(last);
    ring.owner = ring::owner_at(header, last);
  }
}

// Everything starts anew but the rings' positions.
void Scribe::begin_file() {
  for (drain::DrainedRing& ring : rings_) ring.restart_numbers();
  drain_.clock().begin_session();
  drain_.points().clear();
}

void Scribe::sync_if_due(bool force) {
  if (!unsynced_ || options_.sync == Sync::kNever) return;
  const std::int64_t now = monotonic_now();
  const bool due = force || sync_soon_ ||
                   (options_.sync == Sync::kInterval &&
                    now - last_sync_ >= std::chrono::nanoseconds(options_.sync_interval).count());
  if (!due) return;
  const Status status = file_.sync();
  if (!status.ok() && !sync_failing_) warn(status.message());
  if (status.ok() && sync_failing_) warn(options_.path + " reaches the disk again");
  sync_failing_ = !status.ok();
  last_sync_ = now;
  unsynced_ = sync_soon_ = false;
}

}  // namespace steno::scribe
