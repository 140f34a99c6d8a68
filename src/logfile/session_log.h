// The log of one session, for as long as somebody writes it: the file that its path names, the next one when that is
// rotated, renamed, removed or cut short, and files that were left while they were full.
//
//   SessionLog log(owner);
//   log.open(path, options);       // then the owner writes its session block, and calls began()
//   at each pass:
//     if (log.file().stuck()) { if (!log.file().retry().ok()) log.follow_truncation(); }
//     log.end_old_files();
//     log.follow();                // to another file, if the path names one by now
//     if (log.rotation_is_due()) { write all there is; log.rotate(); }
//     log.sync(false);
//   log.close();                   // after the end block
//
// So that either file can be read alone, what goes on in another file is another session there: the owner ends the one
// and begins the other when it is told to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "logfile/output_file.h"
#include "logfile/rotator.h"
#include "logfile/sync_schedule.h"
#include "steno/level.h"
#include "steno/rotation.h"
#include "steno/status.h"

namespace steno::logfile {

// Whoever drains the session into its log. Called by SessionLog only from within its own functions.
class LogOwner {
 public:
  virtual std::uint64_t session_id() const = 0;
  // Writes what was logged until now. False: the file refuses.
  virtual bool write_all() = 0;
  // Gives up the blocks that the file did not take: their records are to be drained again.
  virtual void take_back() = 0;
  // Writes the end block of the session.
  virtual Status end_in(OutputFile& old) = 0;
  // The session goes on as another one in file(), of which nothing is written yet.
  virtual void go_on() = 0;

 protected:
  ~LogOwner() = default;
};

// Not thread-safe.
class SessionLog {
 public:
  struct Options {
    unsigned file_mode = 0600;
    Rotation rotation = {};  // checked; on_start: see rotate_earlier()
    Rotator::Warn warn;
  };

  SessionLog(LogOwner& owner, const SyncPolicy& sync);

  // Opens the file, as OutputFile::open() does.
  Status open(const std::string& path, const Options& options);
  // Rotates a file of earlier sessions if that is due, before anything of this one is in it.
  Status rotate_earlier();
  // The session block has been written to a file that had `before` bytes.
  void began(std::uint64_t before) { blank_end_ = before == 0 ? file_.end() : 0; }
  // The size and the age by which file() is rotated count from now on: it is another than before.
  void begin_rotation() { rotator_.begin(file_.descriptor()); }
  // Closes all files; those that lack their end block get a last try.
  void close();
  // Closes the descriptors in a forked child, where the files are the parent's.
  void abandon();

  OutputFile& file() { return file_; }
  const OutputFile& file() const { return file_; }
  // To all files so far.
  std::uint64_t bytes_written() const { return closed_bytes_ + file_.bytes_written(); }

  // The next follow() looks at the path, however short ago the last one was.
  void look_at_path() { last_look_ = 0; }
  // From now on, for a while, it does not.
  void looked_at_path();
  // Once a second: if the path names another file, or none, or ours was cut short, goes on in a new one. True: it was
  // rotated, by somebody else or meanwhile. On failure nothing has changed, and one warning is given.
  bool follow();
  // After a write that failed. True: it failed because the file was cut short, and the session goes on at its new end,
  // or in a new file; what the file had not taken is to be written again.
  bool follow_truncation();

  // Returns whether the file is to be closed by its size or the time. False for a while after a failure.
  bool rotation_is_due() { return rotator_.due(file_.end()); }
  std::int64_t rotation_due_in() { return rotator_.due_in(); }
  // Requires that all there is was written. Does nothing to a file without records, or without a name.
  Status rotate();
  // There is nothing to rotate now.
  void skip_rotation() { rotator_.skip(); }
  // Between two blocks: if it has grown that large.
  void rotate_if_large();

  // Tries to write the ends of sessions in files that were full, ten times a second at most.
  void end_old_files();
  bool has_old_files() const { return !old_files_.empty(); }

  // Calls the function of that name of SyncSchedule for file().
  void wrote(std::optional<Level> top = std::nullopt) { sync_.wrote(top); }
  void sync(bool all) { sync_.run(file_, all, options_.warn); }
  std::int64_t sync_due_in() const { return sync_.due_in(); }

 private:
  // A file that was left, and the session whose end is still to be written there.
  struct OldFile {
    OutputFile file;
    std::uint64_t session_id = 0;
  };
  static constexpr std::size_t kMostOldFiles = 4;

  bool has_records() const { return file_.end() > blank_end_; }
  Status rotate_file();
  Status go_on_in_new_file();
  void end_in_old_file(OutputFile old);
  void keep_old_file(OldFile old);
  void warn(const std::string& what) const { options_.warn(what); }

  LogOwner& owner_;
  const bool syncs_;
  Options options_;
  OutputFile file_;
  Rotator rotator_;
  SyncSchedule sync_;
  std::uint64_t blank_end_ = 0;     // size of file_ when it has no records yet: there is nothing to rotate
  std::uint64_t closed_bytes_ = 0;  // written to files before this one
  std::int64_t last_look_ = 0;      // monotonic ns
  bool lost_path_ = false;          // warned that the path cannot be opened again
  // Files that were left while they could not be written, and still lack their end block; the oldest first.
  std::vector<OldFile> old_files_;
  std::int64_t last_old_try_ = 0;
};

}  // namespace steno::logfile
