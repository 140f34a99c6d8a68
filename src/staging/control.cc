#include "staging/control.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/checksum.h"

namespace steno::staging {
namespace {

int write_all(int fd, std::uint64_t offset, const void* bytes, std::size_t size) {
  const char* from = static_cast<const char*>(bytes);
  while (size != 0) {
    const ssize_t n = pwrite(fd, from, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    from += n;
    offset += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

bool read_all(int fd, std::uint64_t offset, void* bytes, std::size_t size) {
  char* to = static_cast<char*>(bytes);
  while (size != 0) {
    const ssize_t n = pread(fd, to, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    offset += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

int open_control(const std::string& staging) {
  if (staging.empty()) return -1;  // in private memory
  const int fd = open((staging + "/control").c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat st {};
  const bool fine = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0) &&
                    (st.st_mode & 077) == 0;
  if (fine) return fd;
  close(fd);
  return -1;
}

int write_control(int fd, std::uint64_t offset, const ControlMessage& message) {
  const ControlHeader header = {kControlMagic, message.number, message.code, message.text.size(),
                                xxh3(message.text.data(), message.text.size(), message.number)};
  if (const int error = write_all(fd, offset + sizeof header, message.text.data(), message.text.size())) return error;
  return write_all(fd, offset, &header, sizeof header);
}

bool read_control(int fd, std::uint64_t offset, std::size_t most, ControlMessage* message) {
  ControlHeader header{};
  if (!read_all(fd, offset, &header, sizeof header)) return false;
  if (header.magic != kControlMagic || header.size > most) return false;
  const off_t end = lseek(fd, 0, SEEK_END);  // before memory is taken for what is not there
  if (end < 0 || static_cast<std::uint64_t>(end) < offset + sizeof header + header.size) return false;
  message->number = header.number;
  message->code = header.code;
  message->text.resize(header.size);
  return read_all(fd, offset + sizeof header, message->text.data(), header.size) &&
         xxh3(message->text.data(), header.size, header.number) == header.checksum;
}

}  // namespace steno::staging
