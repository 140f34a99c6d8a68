// Rotates one file: tells when rotation is due, renames the file, and removes old ones.
//
//   rotator.begin(fd);                                     // whenever a file has been opened at the path
//   if (has_records && rotator.due(size)) {
//     const Status status = rotator.rotate(fd, [&](bool) { open the path again; rotator.begin(new_fd); … }, warn);
//     if (status.ok()) rotator.remove_old(new_fd, warn);
//   }
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "logfile/closed_name.h"
#include "logfile/log_place.h"
#include "logfile/rotation_schedule.h"
#include "steno/rotation.h"
#include "steno/status.h"

namespace steno::logfile {

// Checks whether a rotation of the file at the path is possible; fails with a sentence.
Status check_rotation(const Rotation& rotation, const std::string& path);

// Not thread-safe.
class Rotator {
 public:
  enum class Kind { kLog, kText };
  using Warn = std::function<void(const std::string&)>;
  static constexpr std::int64_t kRetryNs = 1'000'000'000;  // after a failure

  Rotator() = default;
  // Requires check_rotation().
  Rotator(const Rotation& rotation, std::string path, Kind kind);

  const Rotation& options() const { return rotation_; }

  // That file is written from now on; an empty one has just been made.
  void begin(int fd);
  // Returns whether the file, of `size` bytes, is to be closed. False for a while after a failure.
  bool due(std::uint64_t size);
  // Until it is by the time; INT64_MAX: never.
  std::int64_t due_in();
  // Skips the current time of rotation, because there was nothing to close.
  void skip();

  // Gives the file, which is written by us, another name, and has `go_on` open the path again. Its argument is false
  // where the path names another file already, or somebody else is about to rename ours. Where no new file can be had,
  // ours gets its name back, if nothing else has that. Warns when it begins to fail.
  Status rotate(int fd, const std::function<Status(bool renamed)>& go_on, const Warn& warn);
  // Removes what is not to be kept. `live`: never that one. Warns when it begins to fail.
  void remove_old(int live, const Warn& warn);

 private:
  struct ClosedFile {
    std::string name;
    std::int64_t written = 0;  // ns since the epoch
    std::uint64_t size = 0;
    std::uint64_t number = 0;
  };

  std::int64_t look_at_clock();
  Result<bool> rename_away(int fd);
  void take_back();
  Result<LogPlace> place() const;
  const ClosedName& closed_name(const LogPlace& place);
  std::vector<ClosedFile> closed_files(const LogPlace& place, int live);
  bool is_kept(std::size_t index, const ClosedFile& file, std::uint64_t bytes) const;
  int remove(const LogPlace& place, const std::string& name, std::int64_t live_written) const;
  bool limits_nothing() const;

  Rotation rotation_;
  std::string path_;
  Kind kind_ = Kind::kLog;
  RotationSchedule schedule_;
  std::string named_for_;  // the live file's name, of:
  ClosedName closed_name_;
  std::string renamed_to_;         // by the last rename_away()
  std::int64_t next_ = INT64_MAX;  // wall ns
  std::int64_t latest_ = 0;        // wall ns: the latest time since the clock was set back, if it was
  std::int64_t not_before_ = 0;    // monotonic ns
  bool failing_ = false;
  bool cannot_remove_ = false;
};

}  // namespace steno::logfile
