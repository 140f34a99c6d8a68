#include "logfile/session_log.h"

#include <utility>

#include "base/clock.h"
#include "base/kill_point.h"
#include "format/block.h"
#include "logfile/file_marks.h"

namespace steno::logfile {
namespace {

constexpr std::int64_t kLookNs = 1'000'000'000;
constexpr std::int64_t kOldFileNs = 100'000'000;

}  // namespace

SessionLog::SessionLog(LogOwner& owner, const SyncPolicy& sync) : owner_(owner), syncs_(!sync.never), sync_(sync) {}

Status SessionLog::open(const std::string& path, const Options& options) {
  options_ = options;
  if (Status status = file_.open(path, options.file_mode); !status.ok()) return status;
  rotator_ = Rotator(options.rotation, path, Rotator::Kind::kLog);
  begin_rotation();
  return {};
}

Status SessionLog::rotate_earlier() {
  if (!file_.identity().known()) return {};
  const bool asked = options_.rotation.on_start && !is_written_by_others(file_.descriptor());
  if (file_.end() != 0 && (asked || rotation_is_due())) {
    const auto open_new = [this](bool) {
      STENO_KILL_POINT("scribe.earlier_file_renamed");
      OutputFile old;
      Status status = file_.reopen(&old);
      if (status.ok()) begin_rotation();
      return status;
    };
    (void)rotator_.rotate(file_.descriptor(), open_new, options_.warn);
  }
  rotator_.remove_old(file_.descriptor(), options_.warn);
  return {};
}

void SessionLog::looked_at_path() {
  last_look_ = monotonic_now();
}

bool SessionLog::follow() {
  const std::int64_t now = monotonic_now();
  if (now - last_look_ < kLookNs) return false;
  last_look_ = now;
  if (!file_.moved()) return false;
  // The records that were logged before the move belong into the old file, unless it was truncated and could not be
  // read there.
  if (!file_.stuck() && !file_.truncated()) (void)owner_.write_all();
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

bool SessionLog::follow_truncation() {
  if (!file_.stuck() || !file_.truncated()) return false;
  look_at_path();
  return follow();
}

// Ends the session in the open file and begins another in the file that the path names now. On failure nothing has
// changed.
Status SessionLog::go_on_in_new_file() {
  OutputFile old;
  if (Status status = file_.reopen(&old); !status.ok()) return status;
  lost_path_ = false;
  STENO_KILL_POINT("scribe.file_reopened");
  // No warning if the file was renamed or a link points elsewhere: that is how logs are rotated.
  if (old.same_file(file_)) {
    warn(file_.path() + " was truncated; logging continues at its new end");
  } else if (old.unlinked()) {
    warn(file_.path() + " was removed; logging continues in a new file at this path");
  }
  if (old.stuck()) {  // its disk is full, and closing it may be what makes room
    old.cut(owner_.session_id());
    owner_.take_back();
  }
  end_in_old_file(std::move(old));
  STENO_KILL_POINT("scribe.rotated");
  begin_rotation();
  owner_.go_on();
  return {};
}

// Writes the session's end to the file that was left; if that is not possible now, later passes try again.
void SessionLog::end_in_old_file(OutputFile old) {
  if (old.bytes_written() < format::kBlockHeaderSize) return;  // the session never began there
  // In a truncated file the beginning of the session is gone, so it needs no end.
  const Status ended = old.same_file(file_) ? Status() : owner_.end_in(old);
  closed_bytes_ += old.bytes_written();
  if (syncs_) (void)old.sync();
  if (!ended.ok() && !old.unlinked()) keep_old_file({std::move(old), owner_.session_id()});
}

void SessionLog::keep_old_file(OldFile old) {
  if (old_files_.size() == kMostOldFiles) {
    warn("the end of the session could not be written to the last " + std::to_string(kMostOldFiles + 1) +
         " rotated files of " + file_.path() + "; the oldest of them stays without it");
    old_files_.front().file.cut(old_files_.front().session_id);
    old_files_.erase(old_files_.begin());
  }
  old_files_.push_back(std::move(old));
}

void SessionLog::end_old_files() {
  if (old_files_.empty()) return;
  const std::int64_t now = monotonic_now();
  if (now - last_old_try_ < kOldFileNs) return;
  last_old_try_ = now;
  std::erase_if(old_files_, [this](OldFile& old) {
    if (!old.file.retry().ok()) return old.file.unlinked();
    if (syncs_) (void)old.file.sync();
    return true;
  });
}

Status SessionLog::rotate() {
  if (file_.stuck()) return {StatusCode::kIoError, file_.path() + " cannot be written now"};
  if (file_.identity().known() && has_records()) return rotate_file();
  rotator_.skip();
  return {};
}

void SessionLog::rotate_if_large() {
  const std::uint64_t most = options_.rotation.max_bytes;
  if (most == 0 || file_.end() < most) return;
  if (!file_.stuck() && file_.identity().known() && has_records() && rotation_is_due()) (void)rotate_file();
}

// Requires that the file is not stuck.
Status SessionLog::rotate_file() {
  // If another process is renaming it right now, moved() does not return true yet: look again at the next pass.
  look_at_path();
  const auto go_on = [this](bool renamed) {
    STENO_KILL_POINT("scribe.file_renamed");
    return renamed || file_.moved() ? go_on_in_new_file() : Status();
  };
  const Status status = rotator_.rotate(file_.descriptor(), go_on, options_.warn);
  if (status.ok()) rotator_.remove_old(file_.descriptor(), options_.warn);
  return status;
}

void SessionLog::close() {
  file_.close();
  for (OldFile& old : old_files_) {
    if (!old.file.retry().ok()) old.file.cut(old.session_id);
    old.file.close();
  }
  old_files_.clear();
}

void SessionLog::abandon() {
  file_.close();
  for (OldFile& old : old_files_) old.file.close();
}

}  // namespace steno::logfile
