#include "beginning.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace steno::spark {
namespace {

struct OpenFile {
  explicit OpenFile(int opened) : fd(opened) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(fd); }

  const int fd;
};

// Fills a range, else returns why it cannot.
const char* fill(int fd, const steno_range& range) {
  for (std::uint64_t done = 0; done < range.size;) {
    const ssize_t n = ::pread(fd, static_cast<char*>(range.to) + done, static_cast<std::size_t>(range.size - done),
                              static_cast<off_t>(range.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::strerror(errno);
    if (n == 0) return "it has become shorter";
    done += static_cast<std::uint64_t>(n);
  }
  return nullptr;
}

steno_code read_beginning(void* context, const steno_range* ranges, std::size_t count, steno_error* error) {
  for (std::size_t i = 0; i < count; ++i) {
    const char* const why = fill(static_cast<OpenFile*>(context)->fd, ranges[i]);
    if (why == nullptr) continue;
    std::snprintf(error->text, sizeof error->text, "%s", why);
    return STENO_IO_ERROR;
  }
  return STENO_OK;
}

void release_beginning(void* context) {
  delete static_cast<OpenFile*>(context);
}

}  // namespace

steno_source beginning_of(const std::string& name, std::uint64_t most) {
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error(name + ": " + std::strerror(errno));
  auto file = std::make_unique<OpenFile>(fd);
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) throw std::runtime_error(name + ": " + std::strerror(errno));
  steno_source made{};
  made.size = sizeof made;
  made.name = name.c_str();
  made.bytes = std::min(most, static_cast<std::uint64_t>(facts.st_size));
  made.context = file.release();
  made.read = &read_beginning;
  made.release = &release_beginning;
  return made;
}

}  // namespace steno::spark
