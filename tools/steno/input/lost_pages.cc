#include "input/lost_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "exit_code.h"

namespace steno::cli {
namespace {

// All below runs in a signal handler: no allocation, no stdio.

void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// The lines of /proc/self/maps, each up to a length that holds every path.
class MapLines {
 public:
  MapLines() : fd_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapLines() {
    if (fd_ >= 0) ::close(fd_);
  }
  MapLines(const MapLines&) = delete;
  MapLines& operator=(const MapLines&) = delete;

  // Ended by NUL. False: there are no more.
  bool next(char* line, std::size_t room) {
    std::size_t size = 0;
    for (;;) {
      if (at_ == end_ && !fill()) return false;
      const char c = buffer_[at_++];
      if (c == '\n') break;
      if (size + 1 < room) line[size++] = c;
    }
    line[size] = '\0';
    return true;
  }

 private:
  bool fill() {
    const ssize_t n = fd_ < 0 ? -1 : ::read(fd_, buffer_, sizeof buffer_);
    at_ = 0;
    end_ = n > 0 ? static_cast<std::size_t>(n) : 0;
    return n > 0;
  }

  int fd_;
  char buffer_[4096];
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

std::uintptr_t take_address(char** text) {
  std::uintptr_t address = 0;
  for (;; ++*text) {
    const char c = **text;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return address;
    address = address * 16 + static_cast<unsigned>(digit);
  }
}

// The path of the file that is mapped at an address, from a line "BEGIN-END rights offset device inode    /path". Null:
// no file is. `*map_end`: where the mapping ends.
char* name_at(std::uintptr_t address, char* line, std::size_t room, std::uintptr_t* map_end) {
  MapLines lines;
  while (lines.next(line, room)) {
    char* rest = line;
    const std::uintptr_t begin = take_address(&rest);
    if (*rest == '-') ++rest;
    const std::uintptr_t end = take_address(&rest);
    if (address < begin || address >= end) continue;
    *map_end = end;
    return std::strchr(rest, '/');
  }
  return nullptr;
}

void end_with_name(int signal, siginfo_t* info, void*) {
  static std::atomic_flag reported = ATOMIC_FLAG_INIT;
  static char line[4096 + 256];
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);  // ends the process when this handler returns
    return;
  }
  if (reported.test_and_set()) {
    for (;;) ::pause();  // another thread reports it
  }
  if (::isatty(STDERR_FILENO) == 1) write_error("\r\x1b[K");  // erases the line that Progress shows
  write_error("steno: ");
  std::uintptr_t map_end = 0;
  char* const name = name_at(reinterpret_cast<std::uintptr_t>(info->si_addr), line, sizeof line, &map_end);
  if (name != nullptr) {
    for (char* c = name; *c != '\0'; ++c) {
      if (static_cast<unsigned char>(*c) < ' ' || *c == 0x7f) *c = '?';
    }
    write_error(name);
  } else {
    write_error("a file");
  }
  write_error(": the file was truncated while it was read, or its disk failed; run the command again\n");
  ::_exit(kExitUnreadable);
}

std::atomic<std::uint64_t> g_lost_pages{0};
std::uintptr_t g_page_bytes = 4096;

// Puts zeros where the rest of the mapping was, so that the thread goes on, with what is no log.
void replace_with_zeros(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  char line[4096 + 256];
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t page = address - address % g_page_bytes;
  std::uintptr_t map_end = 0;
  const bool is_file = info->si_code == BUS_ADRERR && name_at(address, line, sizeof line, &map_end) != nullptr;
  errno = error;
  if (info->si_code == BUS_ADRERR && !is_file && g_lost_pages.load() != 0) return;  // another thread has just done it
  g_lost_pages.fetch_add(1);
  if (!is_file || ::mmap(reinterpret_cast<void*>(page), map_end - page, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return end_with_name(signal, info, context);
  }
  errno = error;
}

}  // namespace

void survive_lost_pages() {
  g_page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = replace_with_zeros;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

std::uint64_t lost_pages() {
  return g_lost_pages.load();
}

void explain_lost_pages() {
  struct sigaction action {};
  action.sa_sigaction = end_with_name;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace steno::cli
