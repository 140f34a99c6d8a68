// The scribe's file: its first block, index blocks, the new one after a rotation, and fdatasync.
#include "base/kill_point.h"
#include "format/block.h"
#include "format/session_block.h"
#include "ring/release.h"
#include "scribe/scribe.h"
#include "scribe/session_info.h"

namespace steno::scribe {
namespace {

constexpr std::int64_t kPathCheckNs = 1'000'000'000;
constexpr std::int64_t kOldFileNs = 100'000'000;  // between two tries to end sessions in old files

// Where the next byte goes; of a pipe, which has no positions, in what it was given.
std::uint64_t position_of(const OutputFile& file) {
  return file.end() != 0 ? file.end() : file.bytes_written();
}

}  // namespace

Status Scribe::write_session_block() {
  format::SessionBlock block = session_info(core_.session(), core_.staging().path());
  if (!ticks_are_wall(core_options_.clock)) block.ns_per_tick = clock_.ns_per_tick();
  tag_ = format::session_tag(block.session_id);
  out_.clear();
  format::append_session_block(out_, block);
  update_clock(true);
  append_pending_points(tag_, &out_);
  index_.begin(block.session_id);
  declarations_.begin();
  const Status status = write_out(file_, nullptr);
  STENO_KILL_POINT("scribe.session_block_written");
  return status;
}

// Writes out_, and an index block when it is time for one; `input` is what the data block in out_ was made of. The
// status is that of out_: an index that could not be written is the file's to go on with.
Status Scribe::write_out(OutputFile& file, const format::BlockInput* input) {
  Status status = file.write(out_);
  declarations_.wrote(out_, status.ok() ? position_of(file) : position_of(file) + out_.size());
  if (!status.ok()) return status;
  if (file.end() != 0) index_.wrote(out_, input, file.end());
  say_again(file, false);
  if (file.end() != 0 && !file.stuck()) (void)write_index(file, BlockIndex::kEvery);
  return {};
}

// What the session has declared, where it is time to say it again. What cannot be written is the file's to go on with.
void Scribe::say_again(OutputFile& file, bool session_ends) {
  out_.clear();
  declarations_.append_due(position_of(file), tag_, session_ends, &out_);
  if (out_.empty() || !file.write(out_).ok() || file.end() == 0) return;
  index_.wrote(out_, nullptr, file.end());
}

Status Scribe::write_index(OutputFile& file, std::uint64_t least) {
  if (!index_.due(least)) return {};
  out_.clear();
  index_.append(file.end(), tag_, &out_);
  Status status = out_.empty() ? Status() : file.write(out_);
  writer_.begin_stretch();
  if (status.ok()) index_.wrote(out_, nullptr, file.end());
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
  OutputFile old;
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
void Scribe::end_in_old_file(OutputFile old) {
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
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
    runtime::Ring& ring = core_.ring(i);
    const ring::RingHeader* header = ring.memory.header;
    const ring::Release& last = ring::last_release(header);
    const ring::ThreadSlot& thread = header->threads[last.thread_slot];
    records_.fetch_sub(cursors_[i].seq - last.seq, std::memory_order_relaxed);
    cursors_[i] = {last.position, last.seq, last.drops};
    own_[i] = {last.own, last.announced, last.discards};
    ring.thread = {thread.index, thread.tid, std::string(thread.name, thread.name_size)};
  }
}

// Everything starts anew but the rings' positions.
void Scribe::begin_file() {
  walker_.forget_entries();
  for (std::size_t i = 0; i < cursors_.size(); ++i) {
    cursors_[i].seq = 0;
    own_[i].records = 0;
    first_drops_[i] = cursors_[i].drops;
  }
  clock_.begin_session();
  writer_.begin_stretch();
  points_.clear();
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
