#include "logfile/rotator.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef STATX_BTIME  // musl has statx() from 1.2.5 on
#include <linux/stat.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "format/block.h"
#include "logfile/file_calls.h"
#include "logfile/file_marks.h"

namespace steno::logfile {
namespace {

constexpr std::uint64_t kLeastBytes = 4096;
constexpr std::uint32_t kMostNames = 100'000;
constexpr std::int64_t kNsOfSecond = 1'000'000'000;
constexpr std::int64_t kLeastStepNs = kNsOfSecond;  // back; a smaller one of the wall clock brings no rotation twice
constexpr std::int64_t kFileClockNs = 20'000'000;   // that times of files may be behind the clock

std::int64_t in_ns(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kNsOfSecond + time.tv_nsec;
}

// When it was made; where the file system does not know, when it was last written to.
std::int64_t begun_at(int fd) {
  struct statx found {};
  constexpr unsigned kWanted = STATX_BTIME | STATX_MTIME | STATX_SIZE;
  if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, kWanted, &found) != 0 || found.stx_size == 0)
    return file_calls().wall_clock();
  const struct statx_timestamp& time = (found.stx_mask & STATX_BTIME) != 0 ? found.stx_btime : found.stx_mtime;
  return time.tv_sec * kNsOfSecond + time.tv_nsec + kFileClockNs;
}

bool begins_as_a_log(int fd) {
  std::uint8_t head[format::kBlockHeaderSize] = {};
  format::BlockHeader header;
  return pread(fd, head, sizeof head, 0) == static_cast<ssize_t>(sizeof head) &&
         format::parse_header(head, sizeof head, &header);
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// "app.log_2" before "app.log_10".
bool is_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::string_view name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns whether nobody writes to the file any more: by its locks or, without these, if it has been quiet for so long
// that any former writer has noticed that the path names another file. Where there are no locks, the file may be on
// another machine, whose clock gives files their times: its time is compared with that of the live file, not with ours.
bool is_left(int fd, const struct stat& st, std::int64_t live_written) {
  constexpr std::int64_t kQuietNs = 60 * kNsOfSecond;
  const Writers writers = mark_removed(fd);
  return writers == Writers::kNone || (writers == Writers::kUnknown && live_written - in_ns(st.st_mtim) >= kQuietNs);
}

}  // namespace

Status check_rotation(const Rotation& rotation, const std::string& path) {
  if (rotation.max_bytes != 0 && rotation.max_bytes < kLeastBytes) {
    return {StatusCode::kInvalidArgument,
            "rotation.max_bytes is " + std::to_string(rotation.max_bytes) + "; it must be 4 KiB or more, or 0"};
  }
  if (rotation.keep_for.count() < 0) {
    return {StatusCode::kInvalidArgument, "rotation.keep_for must not be negative; 0 keeps all"};
  }
  const auto schedule = RotationSchedule::parse(rotation.when, rotation.local_time);
  if (!schedule.ok()) return {schedule.status().code(), "rotation.when: " + schedule.status().message()};
  return ClosedName::parse(rotation.name, name_in(path)).status();
}

Rotator::Rotator(const Rotation& rotation, std::string path, Kind kind)
    : rotation_(rotation),
      path_(std::move(path)),
      kind_(kind),
      schedule_(*RotationSchedule::parse(rotation.when, rotation.local_time)) {}

void Rotator::begin(int fd) {
  not_before_ = 0;
  if (schedule_.never()) return;
  latest_ = file_calls().wall_clock();
  next_ = schedule_.next(std::min(begun_at(fd), latest_));  // it was begun by a clock that was set back since, perhaps
}

// The wall clock. Where it was set back, the next rotation is at the first moment from there.
std::int64_t Rotator::look_at_clock() {
  const std::int64_t now = file_calls().wall_clock();
  if (now < latest_ - kLeastStepNs) {
    next_ = schedule_.next(now);
    latest_ = now;
  }
  latest_ = std::max(latest_, now);
  return now;
}

bool Rotator::due(std::uint64_t size) {
  const bool large = rotation_.max_bytes != 0 && size >= rotation_.max_bytes;
  if (!large && next_ == INT64_MAX) return false;
  if (not_before_ != 0 && monotonic_now() < not_before_) return false;
  return large || look_at_clock() >= next_;
}

std::int64_t Rotator::due_in() {
  if (next_ == INT64_MAX) return INT64_MAX;
  const std::int64_t now = look_at_clock();
  const std::int64_t left = std::max<std::int64_t>(next_ - now, 0);
  return not_before_ != 0 ? std::max(left, not_before_ - monotonic_now()) : left;
}

void Rotator::skip() {
  const std::int64_t now = file_calls().wall_clock();
  if (next_ <= now) next_ = schedule_.next(now);
}

Result<LogPlace> Rotator::place() const {
  int error = 0;
  auto place = LogPlace::find(path_, &error);
  if (place.ok() || error == 0) return place;
  return Status(StatusCode::kIoError, path_ + ": " + strerror(error));
}

// Closed files are named like the file that the path leads to, and lie beside that, where it leads over a link.
const ClosedName& Rotator::closed_name(const LogPlace& place) {
  if (named_for_ != place.name()) {
    named_for_ = place.name();
    closed_name_ = *ClosedName::parse(rotation_.name, named_for_);
  }
  return closed_name_;
}

Status Rotator::rotate(int fd, const std::function<Status(bool renamed)>& go_on, const Warn& warn) {
  const Result<bool> renamed = rename_away(fd);
  const Status status = renamed.ok() ? go_on(*renamed) : renamed.status();
  if (!status.ok() && renamed.ok() && *renamed) take_back();
  const bool is_news = !std::exchange(failing_, !status.ok());
  if (!status.ok() && is_news) warn(path_ + " cannot be rotated: " + status.message());
  return status;
}

// False: the path names another file already, or somebody else is about to rename ours, or it is a device, which root
// could rename.
Result<bool> Rotator::rename_away(int fd) {
  not_before_ = monotonic_now() + kRetryNs;
  auto found = place();
  if (!found.ok()) return found.status();
  const LogPlace& here = *found;
  const RenameLock lock(fd);
  if (!lock.held()) return false;
  struct stat ours {};
  struct stat there {};
  if (fstat(fd, &ours) != 0 || fstatat(here.directory_fd(), here.name().c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(ours.st_mode) || !is_same_file(ours, there)) {
    return false;
  }
  const ClosedName& name = closed_name(here);
  std::uint64_t number = 0;
  if (name.has_number()) {
    for (const ClosedFile& file : closed_files(here, fd)) number = std::max(number, file.number);
  }
  const std::string time = file_time(file_calls().wall_clock(), rotation_.local_time);
  int error = 0;
  for (std::uint32_t i = 1; i <= kMostNames; ++i) {
    renamed_to_ = name.make(time, ++number, name.has_number() ? 0 : i);
    if (file_calls().rename(here.directory_fd(), here.name().c_str(), renamed_to_.c_str()) == 0) return true;
    error = errno;
    if (error != EEXIST) break;
  }
  return Status(StatusCode::kIoError,
                "cannot rename " + path_ + " to " + renamed_to_ + ": " + strerror(error) + "; logging continues in it");
}

void Rotator::take_back() {
  not_before_ = monotonic_now() + kRetryNs;
  const auto here = place();
  if (here.ok()) (void)file_calls().rename(here->directory_fd(), renamed_to_.c_str(), here->name().c_str());
}

// All of ours that have such a name but the live one, in no order.
std::vector<Rotator::ClosedFile> Rotator::closed_files(const LogPlace& place, int live) {
  std::vector<ClosedFile> files;
  struct stat ours {};
  if (fstat(live, &ours) != 0) return files;
  const int fd = openat(place.directory_fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(fd >= 0 ? fdopendir(fd) : nullptr, closedir);
  if (directory == nullptr) {
    if (fd >= 0) close(fd);
    return files;
  }
  const ClosedName& pattern = closed_name(place);
  while (const dirent* entry = readdir(directory.get())) {
    ClosedFile file;
    file.name = entry->d_name;
    struct stat st {};
    if (!pattern.matches(file.name, &file.number) ||
        fstatat(place.directory_fd(), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || is_same_file(st, ours)) {
      continue;
    }
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) continue;
    file.written = in_ns(st.st_mtim);
    file.size = static_cast<std::uint64_t>(st.st_size);
    files.push_back(std::move(file));
  }
  return files;
}

bool Rotator::limits_nothing() const {
  return rotation_.keep == 0 && rotation_.keep_for.count() == 0 && rotation_.keep_bytes == 0;
}

// `index` among the closed ones, the youngest first; `bytes` of those up to it.
bool Rotator::is_kept(std::size_t index, const ClosedFile& file, std::uint64_t bytes) const {
  if (rotation_.keep != 0 && index >= rotation_.keep) return false;
  if (rotation_.keep_bytes != 0 && bytes > rotation_.keep_bytes) return false;
  return rotation_.keep_for.count() == 0 ||
         (file_calls().wall_clock() - file.written) / kNsOfSecond <= rotation_.keep_for.count();
}

// Returns the error of the system. 0: the file is gone, or is not one of ours.
int Rotator::remove(const LogPlace& place, const std::string& name, std::int64_t live_written) const {
  const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int fd = openat(place.directory_fd(), name.c_str(), flags);
  if (fd < 0) return errno == ENOENT || errno == ELOOP ? 0 : errno;
  struct stat st {};
  const bool is_ours = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                       (kind_ == Kind::kText || begins_as_a_log(fd));
  int error = 0;
  if (is_ours && is_left(fd, st, live_written) && unlinkat(place.directory_fd(), name.c_str(), 0) != 0 &&
      errno != ENOENT)
    error = errno;
  close(fd);
  return error;
}

void Rotator::remove_old(int live, const Warn& warn) {
  if (limits_nothing()) return;
  const auto here = place();
  if (!here.ok()) return;  // it could not have been opened
  struct stat ours {};
  if (fstat(live, &ours) != 0) return;
  std::vector<ClosedFile> files = closed_files(*here, live);
  std::sort(files.begin(), files.end(), [](const ClosedFile& a, const ClosedFile& b) {
    if (a.written != b.written) return a.written > b.written;
    return a.number != b.number ? a.number > b.number : is_before(b.name, a.name);
  });
  std::uint64_t bytes = 0;
  Status status;
  for (std::size_t i = 0; i < files.size(); ++i) {
    bytes += files[i].size;
    if (is_kept(i, files[i], bytes)) continue;
    const int error = remove(*here, files[i].name, in_ns(ours.st_mtim));
    if (error != 0 && status.ok()) {
      status = {StatusCode::kIoError, "cannot remove the closed file " + files[i].name + " of " + path_ + ": " +
                                          strerror(error) + "; it is kept"};
    }
  }
  const bool is_news = !std::exchange(cannot_remove_, !status.ok());
  if (!status.ok() && is_news) warn(status.message());
}

}  // namespace steno::logfile
