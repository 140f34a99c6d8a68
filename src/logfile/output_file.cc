#include "logfile/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file_size_signal.h"
#include "format/block.h"
#include "logfile/file_marks.h"
#include "logfile/log_place.h"

namespace steno::logfile {
namespace {

constexpr int kMostOpenings = 8;

StatusCode code_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return StatusCode::kExhausted;
    default:
      return StatusCode::kIoError;
  }
}

std::string advice(int error) {
  switch (error) {
    case ENOENT:
      return "; make the directory first";
    case EISDIR:
      return "; name a file in it";
    case EACCES:
    case EPERM:
      return "; choose a place that this user may write to";
    case EFBIG:
      return " (the limit of ulimit -f, or of the file system)";
    default:
      return "";
  }
}

// Checks whether an existing file may be appended to. It may begin in the middle of a session, where it was cut short
// under it (logrotate's `copytruncate`).
Status check_existing(const std::string& path, int fd) {
  std::uint8_t head[format::kBlockHeaderSize + 4] = {};
  const ssize_t n = pread(fd, head, sizeof head, 0);
  format::BlockHeader header;
  if (n < static_cast<ssize_t>(format::kBlockHeaderSize) ||
      !format::parse_header(head, static_cast<std::size_t>(n), &header)) {
    return {StatusCode::kInvalidArgument,
            path + " exists and is not a steno file; it is left as it is: choose another path"};
  }
  if (n == static_cast<ssize_t>(sizeof head) && header.type == format::BlockType::kSession &&
      load<std::uint32_t>(head + format::kBlockHeaderSize) > format::kNewestVersion) {
    return {StatusCode::kUnsupported,
            path + " was written by a newer version of steno; it is left as it is: choose another path"};
  }
  return {};
}

}  // namespace

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::exchange(other.path_, {});
  mode_ = other.mode_;
  fd_ = std::exchange(other.fd_, -1);
  opened_ = std::exchange(other.opened_, {});
  regular_ = other.regular_;
  identity_ = other.identity_;
  end_ = other.end_;
  truncated_ = other.truncated_;
  bytes_written_ = other.bytes_written_;
  last_ = other.last_;
  pending_ = std::exchange(other.pending_, {});
  done_ = std::exchange(other.done_, 0);
  return *this;
}

OutputFile::~OutputFile() {
  close();
}

Status OutputFile::open(const std::string& path, unsigned mode) {
  OutputFile opened;
  opened.path_ = path;
  opened.mode_ = mode;
  Status status = opened.open_path(false, nullptr);
  if (status.ok()) *this = std::move(opened);
  return status;
}

Status OutputFile::reopen(OutputFile* old) {
  OutputFile opened;
  opened.path_ = path_;
  opened.mode_ = mode_;
  Status status = opened.open_path(true, this);
  // The path may be closed to us by now, as to a process that has given up its privileges.
  if (!status.ok() && truncated()) status = opened.begin_in_same(*this);
  if (!status.ok()) return status;
  *old = std::move(*this);
  *this = std::move(opened);
  return {};
}

// Starts again in the file of `other`, through a duplicate of its descriptor.
Status OutputFile::begin_in_same(const OutputFile& other) {
  close();
  struct stat st {};
  fd_ = fcntl(other.fd_, F_DUPFD_CLOEXEC, 0);
  if (fd_ < 0 || file_calls().fstat(fd_, &st) != 0)
    return {code_of(errno), "cannot start again in " + path_ + ": " + strerror(errno)};
  regular_ = true;
  opened_ = FileIdentity::of(st);
  identity_ = other.identity_;
  end_ = static_cast<std::uint64_t>(st.st_size);
  return align();
}

// Opens it and looks at it.
Status OutputFile::open_once(bool regular_only, struct stat* st) {
  close();
  // If the file has been replaced by a pipe, open() must not wait for its reader.
  int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | (regular_only ? O_NONBLOCK : 0);
  const auto refused = [this](int error) {
    return Status(code_of(error), "cannot open " + path_ + " for logging: " + strerror(error) + advice(error));
  };
  int error = 0;
  const auto place = LogPlace::find(path_, &error);
  if (!place.ok()) return error != 0 ? refused(error) : place.status();
  do {
    fd_ = file_calls().openat(place->directory_fd(), place->name().c_str(), flags | place->flags(), mode_);
  } while (fd_ < 0 && errno == EINTR);
  if (fd_ < 0) return refused(errno);
  if (file_calls().fstat(fd_, st) != 0)
    return {StatusCode::kIoError, "cannot look at " + path_ + ": " + strerror(errno)};
  opened_ = FileIdentity::of(*st);
  if (!place->takes(st->st_uid)) {
    return {StatusCode::kPermissionDenied,
            path_ + " belongs to user " + std::to_string(st->st_uid) +
                " and is in a directory that everybody may write to; it is left as it is: choose another path"};
  }
  regular_ = S_ISREG(st->st_mode);
  if (regular_ || !regular_only) return {};
  return {StatusCode::kInvalidArgument, path_ + " is no longer a regular file"};
}

Status OutputFile::open_path(bool regular_only, const OutputFile* ours) {
  struct stat st {};
  // Again where somebody renamed and removed it between our opening it and our saying that we write to it.
  for (int i = 0; i < kMostOpenings; ++i) {
    if (Status status = open_once(regular_only, &st); !status.ok() || !regular_) return status;
    if (mark_written(fd_)) break;
  }
  identity_ = ring::identity_of(fd_);
  end_ = static_cast<std::uint64_t>(st.st_size);
  const bool is_ours = ours != nullptr && ours->identity_.is_same_file(identity_);
  if (st.st_size > 0 && !is_ours) {
    if (Status status = check_existing(path_, fd_); !status.ok()) return status;
  }
  return align();
}

// One write(2), which may be partial. 0: nothing was written; *status has the reason.
std::size_t OutputFile::write_once(const std::uint8_t* bytes, std::size_t size, Status* status) {
  ssize_t n = 0;
  int error = 0;
  do {
    const HoldFileSizeSignal hold;
    n = file_calls().write(fd_, bytes, size);
    error = n < 0 ? errno : ENOSPC;
  } while (n < 0 && error == EINTR);
  if (n <= 0) {
    *status = {code_of(error), "cannot write to " + path_ + ": " + strerror(error) + advice(error) +
                                   "; records stay in memory until it can be written"};
    return 0;
  }
  bytes_written_ += static_cast<std::uint64_t>(n);
  return static_cast<std::size_t>(n);
}

// All of them, wherever they come to lie.
Status OutputFile::write_all(const std::uint8_t* bytes, std::size_t size) {
  Status status;
  for (std::size_t done = 0; done < size && status.ok();) done += write_once(bytes + done, size - done, &status);
  return status;
}

// Fills up to the next multiple of 8, where blocks start: after a torn tail too, and after what cut() has left.
Status OutputFile::align() {
  static constexpr std::uint8_t kZeros[8] = {};
  if (!regular_ || end_ % 8 == 0) return {};
  const bool wrote_before = bytes_written_ != 0;
  if (Status status = write_all(kZeros, 8 - end_ % 8); !status.ok()) return status;
  const off_t position = lseek(fd_, 0, SEEK_CUR);
  if (position < 0) return {};
  const auto end = static_cast<std::uint64_t>(position);
  truncated_ = truncated_ || (wrote_before && end < end_);
  end_ = end;
  return {};
}

// Returns whether the file has these bytes at `at`.
bool OutputFile::has(std::uint64_t at, const std::uint8_t* bytes, std::size_t size) const {
  std::uint8_t found[4096];
  while (size != 0) {
    const ssize_t n = pread(fd_, found, std::min(size, sizeof found), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 || std::memcmp(found, bytes, static_cast<std::size_t>(n)) != 0) return false;
    at += static_cast<std::uint64_t>(n);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

// False: not all of it.
bool OutputFile::overwrite(std::uint64_t at, const std::uint8_t* bytes, std::size_t size) const {
  // On Linux what was opened to append appends with pwrite() too.
  const int flags = fcntl(fd_, F_GETFL);
  if (flags < 0 || fcntl(fd_, F_SETFL, flags & ~O_APPEND) != 0) return false;
  while (size != 0) {
    const HoldFileSizeSignal hold;
    const ssize_t n = file_calls().pwrite(fd_, bytes, size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += static_cast<std::uint64_t>(n);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  (void)fcntl(fd_, F_SETFL, flags);
  return size == 0;
}

// Makes padding of what we wrote there, unless others' bytes are there by now (false), or it is refused (false). What
// of *padding reaches beyond that is left to be written.
bool OutputFile::pad_over(std::uint64_t at, const std::uint8_t* bytes, std::size_t size, std::uint64_t session_id,
                          ByteBuffer* padding) const {
  format::append_padding(*padding, std::max(size, format::kLeastPadding), session_id);
  return has(at, bytes, size) && overwrite(at, padding->data(), size);
}

// Returns whether the bytes that we wrote last are still there.
bool OutputFile::has_last() const {
  return has(last_.at, last_.head.data(), last_.size);
}

OutputFile::End OutputFile::look_at_end() const {
  struct stat st {};
  if (truncated_) return End::kTruncated;
  const bool looked = file_calls().fstat(fd_, &st) == 0;
  if (looked ? !opened_.is(st) : fd_ < 0 || errno == EBADF) return End::kLost;
  if (!regular_ || !looked) return End::kOurs;
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (size == end_) return End::kOurs;
  const bool ours_gone = bytes_written_ != 0 && (size < end_ || !has_last());
  return ours_gone ? End::kTruncated : End::kOthers;
}

// The file was truncated. What came to lie at `start` meanwhile becomes padding, of no session.
Status OutputFile::refuse(std::uint64_t start, const std::uint8_t* bytes, std::size_t size) {
  truncated_ = true;
  Status status(StatusCode::kFailedPrecondition, "cannot write to " + path_ + ": the file has been truncated");
  ByteBuffer padding;
  if (size != 0 && pad_over(start, bytes, size, 0, &padding))
    (void)write_all(padding.data() + size, padding.size() - size);
  return status;
}

// The program has closed our descriptor, and somebody else may have its number. Opens the same file again, if the path
// still leads there.
Status OutputFile::take_back() {
  fd_ = -1;
  int error = 0;
  const auto place = LogPlace::find(path_, &error);
  const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const int fd = place.ok()
                     ? file_calls().openat(place->directory_fd(), place->name().c_str(), flags | place->flags(), mode_)
                     : -1;
  if (opened_.holds(fd)) {
    if (!regular_) (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    fd_ = fd;
    if (regular_) (void)mark_written(fd_);
    return {};
  }
  if (fd >= 0) ::close(fd);
  return {
      StatusCode::kIoError,
      "cannot write to " + path_ + ": the program has closed its descriptor, and the file is not at its path any more"};
}

// Writes bytes from *done on and advances it. The place where they landed shows whether another process has written in
// between or has truncated the file.
Status OutputFile::write_some(const ByteBuffer& bytes, std::size_t* done) {
  Status status;
  while (status.ok() && *done < bytes.size()) {
    const End found = look_at_end();
    if (found == End::kTruncated) return refuse(0, nullptr, 0);
    if (found == End::kLost) {
      if (status = take_back(); !status.ok()) return status;
      continue;
    }
    // The bytes that are left may hold whole blocks, which must not come before the one that was split.
    if (found == End::kOthers) *done = 0;
    if (*done == 0) status = align();
    if (!status.ok()) return status;
    if (truncated_) return refuse(0, nullptr, 0);
    const bool wrote_before = bytes_written_ != 0;
    const std::size_t n = write_once(bytes.data() + *done, bytes.size() - *done, &status);
    if (n == 0) return status;
    const off_t position = regular_ ? lseek(fd_, 0, SEEK_CUR) : -1;
    if (position >= 0) {
      const auto end = static_cast<std::uint64_t>(position);
      const std::uint64_t start = end - n;
      const bool moved = wrote_before && start != end_ && (start < end_ || !has_last());
      const bool whole = *done == 0 ? start % 8 == 0 : start == end_;
      end_ = end;
      if (moved) return refuse(start, bytes.data() + *done, n);
      if (!whole) {
        *done = 0;
        continue;  // and is aligned first
      }
    }
    *done += n;
  }
  if (status.ok() && regular_ && *done != 0) {
    last_.at = end_ - *done;
    last_.size = std::min(*done, last_.head.size());
    std::memcpy(last_.head.data(), bytes.data(), last_.size);
  }
  return status;
}

Status OutputFile::write(const ByteBuffer& bytes) {
  if (stuck()) {  // after what waits already, or the file would have a hole in a block
    pending_.put_bytes(bytes.data(), bytes.size());
    return retry();
  }
  std::size_t done = 0;
  Status status = write_some(bytes, &done);
  if (!status.ok()) {
    pending_.put_bytes(bytes.data(), bytes.size());
    done_ = done;
  }
  return status;
}

Status OutputFile::retry() {
  if (!stuck()) return {};
  Status status = write_some(pending_, &done_);
  if (status.ok()) {
    pending_.clear();
    done_ = 0;
  }
  return status;
}

void OutputFile::cut(std::uint64_t session_id) {
  const ByteBuffer given_up = std::exchange(pending_, {});
  const std::size_t written = std::exchange(done_, 0);
  if (!regular_ || written == 0) return;
  const std::uint64_t at = end_ - written;
  ByteBuffer padding;
  if (!pad_over(at, given_up.data(), written, session_id, &padding)) return;
  bytes_written_ -= written;
  if (padding.size() == written) return;
  pending_ = std::move(padding);
  done_ = written;
}

Status OutputFile::sync() {
  if (fd_ < 0) return {};
  int result = 0;
  do {
    result = file_calls().fdatasync(fd_);
  } while (result != 0 && errno == EINTR);
  if (result == 0 || errno == EINVAL || errno == EROFS) return {};  // pipes and the like cannot
  return {code_of(errno), "cannot force " + path_ + " to the disk: " + strerror(errno)};
}

void OutputFile::close() {
  opened_.close(fd_);
  opened_ = {};
  fd_ = -1;
  pending_.clear();
  done_ = 0;
}

std::uint64_t OutputFile::current_end() const {
  struct stat st {};
  const bool looked = regular_ && file_calls().fstat(fd_, &st) == 0 && opened_.is(st);
  return looked ? static_cast<std::uint64_t>(st.st_size) : end_;
}

bool OutputFile::unlinked() const {
  struct stat st {};
  if (!regular_) return false;
  // Not open any more, and not to be found: as good as without a name.
  return file_calls().fstat(fd_, &st) != 0 ? fd_ < 0 : !opened_.is(st) || st.st_nlink == 0;
}

bool OutputFile::moved() const {
  if (!regular_) return false;
  if (truncated()) return true;
  struct stat st {};
  if (file_calls().stat(path_.c_str(), &st) != 0) return errno == ENOENT || errno == ENOTDIR;
  return st.st_dev != identity_.device || st.st_ino != identity_.inode;
}

}  // namespace steno::logfile
