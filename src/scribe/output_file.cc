#include "scribe/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "format/block.h"
#include "format/session_block.h"

namespace steno::scribe {
namespace {

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
    default:
      return "";
  }
}

// Whether an existing file may be appended to.
Status check_existing(const std::string& path, int fd) {
  std::uint8_t head[format::kBlockHeaderSize + 4] = {};
  const ssize_t n = pread(fd, head, sizeof head, 0);
  format::BlockHeader header;
  if (n < static_cast<ssize_t>(format::kBlockHeaderSize) ||
      !format::parse_header(head, static_cast<std::size_t>(n), &header) || header.type != format::BlockType::kSession) {
    return {StatusCode::kInvalidArgument,
            path + " exists and is not a steno file; it is left as it is: choose another path"};
  }
  if (n == static_cast<ssize_t>(sizeof head) &&
      load<std::uint32_t>(head + format::kBlockHeaderSize) > format::kFileVersion) {
    return {StatusCode::kUnsupported,
            path + " was written by a newer version of steno; it is left as it is: choose another path"};
  }
  return {};
}

}  // namespace

OutputFile::~OutputFile() {
  close();
}

Status OutputFile::open(const std::string& path, unsigned mode) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, mode);
  if (fd < 0) {
    const int error = errno;
    return {code_of(error), "cannot open " + path + " for logging: " + strerror(error) + advice(error)};
  }
  struct stat st {};
  Status status;
  if (fstat(fd, &st) != 0) {
    status = {StatusCode::kIoError, "cannot look at " + path + ": " + strerror(errno)};
  } else if (S_ISREG(st.st_mode) && st.st_size > 0) {
    status = check_existing(path, fd);
  }
  if (!status.ok()) {
    ::close(fd);
    return status;
  }
  path_ = path;
  fd_ = fd;
  bytes_written_ = 0;
  // Blocks start at multiples of 8, behind a torn tail too.
  if (S_ISREG(st.st_mode) && st.st_size % 8 != 0) {
    ByteBuffer padding;
    std::memset(padding.grow(8 - static_cast<std::size_t>(st.st_size % 8)), 0,
                8 - static_cast<std::size_t>(st.st_size % 8));
    status = write(padding);
    if (!status.ok()) close();
  }
  return status;
}

Status OutputFile::write_some(const std::uint8_t* bytes, std::size_t size, std::size_t* done) {
  while (*done < size) {
    const ssize_t n = ::write(fd_, bytes + *done, size - *done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      return {code_of(error), "cannot write to " + path_ + ": " + strerror(error) +
                                  "; logging goes on in memory, and the file when it can"};
    }
    *done += static_cast<std::size_t>(n);
    bytes_written_ += static_cast<std::uint64_t>(n);
  }
  return {};
}

Status OutputFile::write(const ByteBuffer& bytes) {
  if (stuck()) {  // behind what waits already, or the file would have a hole in a block
    pending_.put_bytes(bytes.data(), bytes.size());
    return retry();
  }
  std::size_t done = 0;
  Status status = write_some(bytes.data(), bytes.size(), &done);
  if (!status.ok()) {
    pending_.clear();
    pending_.put_bytes(bytes.data() + done, bytes.size() - done);
    done_ = 0;
  }
  return status;
}

Status OutputFile::retry() {
  if (!stuck()) return {};
  Status status = write_some(pending_.data(), pending_.size(), &done_);
  if (status.ok()) {
    pending_.clear();
    done_ = 0;
  }
  return status;
}

Status OutputFile::sync() {
  if (fd_ < 0 || fdatasync(fd_) == 0 || errno == EINVAL || errno == EROFS) return {};  // pipes and the like cannot
  return {StatusCode::kIoError, "cannot force " + path_ + " to the disk: " + strerror(errno)};
}

void OutputFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  pending_.clear();
  done_ = 0;
}

}  // namespace steno::scribe
