#include "base/file_changes.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace steno {
namespace {

constexpr std::chrono::milliseconds kSettled{2};  // who writes a file in several steps has done the next by then
constexpr int kMostSteps = 3;

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool readable(int fd, std::chrono::milliseconds most) {
  pollfd poller = {fd, POLLIN, 0};
  return poll(&poller, 1, static_cast<int>(most.count())) > 0;
}

}  // namespace

FileChanges::FileChanges(const std::string& path)
    : name_(path.substr(path.rfind('/') + 1)),
      fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      watch_(fd_ < 0 ? -1 : inotify_add_watch(fd_, directory_of(path).c_str(), IN_CLOSE_WRITE | IN_MOVED_TO)),
      listening_(watch_ >= 0) {}

FileChanges::~FileChanges() {
  if (is_ours()) close(fd_);
}

// All descriptors without a file share one inode, so the kernel's name of its kind is asked for.
bool FileChanges::is_ours() const {
  if (fd_ < 0) return false;
  char name[64];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd_)).c_str(), name, sizeof name);
  if (size >= 0) return std::string_view(name, static_cast<std::size_t>(size)) == "anon_inode:inotify";
  return errno != ENOENT || access("/proc/self/fd", F_OK) != 0;  // there may be no /proc
}

FileChanges::Heard FileChanges::wait(std::chrono::milliseconds most) {
  Heard heard = Heard::kNothing;
  std::chrono::milliseconds patience = most;
  listening_ = listening_ && is_ours();
  for (int step = 0; listening_ && step <= kMostSteps && readable(fd_, patience); ++step) {
    heard = std::max(heard, read_events());
    patience = kSettled;
  }
  return heard;
}

void FileChanges::end() {
  if (watch_ >= 0 && is_ours()) inotify_rm_watch(fd_, watch_);  // of which there is an event
}

FileChanges::Heard FileChanges::read_events() {
  Heard heard = Heard::kNothing;
  alignas(inotify_event) char events[4096];
  const ssize_t size = read(fd_, events, sizeof events);
  for (ssize_t at = 0; at < size;) {
    inotify_event event{};
    std::memcpy(&event, events + at, sizeof event);
    const char* const name = events + at + sizeof event;
    at += static_cast<ssize_t>(sizeof event + event.len);
    if ((event.mask & IN_IGNORED) != 0) listening_ = false;
    if ((event.mask & IN_Q_OVERFLOW) != 0 || (event.len != 0 && name_ == name)) {
      heard = Heard::kFile;
    } else if ((event.mask & IN_MOVED_TO) != 0) {
      heard = std::max(heard, Heard::kDirectory);
    }
  }
  return heard;
}

}  // namespace steno
