#include "control/message.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/file_ranges.h"

namespace steno::control {
int open_file(const std::string& staging) {
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

int write_message(int fd, std::uint64_t offset, const Message& message) {
  const Header header = {kMagic, message.number, message.code, message.text.size(),
                         xxh3(message.text.data(), message.text.size(), message.number)};
  if (const int error = write_at(fd, offset + sizeof header, message.text.size(), message.text.data())) return error;
  return write_at(fd, offset, sizeof header, &header);
}

bool read_message(int fd, std::uint64_t offset, std::size_t most, Message* message) {
  Header header{};
  if (!read_at(fd, offset, sizeof header, &header)) return false;
  if (header.magic != kMagic || header.size > most) return false;
  const off_t end = lseek(fd, 0, SEEK_END);  // before memory is taken for what is not there
  if (end < 0 || static_cast<std::uint64_t>(end) < offset + sizeof header + header.size) return false;
  message->number = header.number;
  message->code = header.code;
  message->text.resize(header.size);
  return read_at(fd, offset + sizeof header, header.size, message->text.data()) &&
         xxh3(message->text.data(), header.size, header.number) == header.checksum;
}

}  // namespace steno::control
