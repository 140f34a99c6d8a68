#include "web/strangers.h"

#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "base/clock.h"

namespace steno::cli::web {
namespace {

constexpr std::chrono::milliseconds kLookAtStrangersEvery{500};

// 0: no socket.
std::uint64_t inode_of(int fd) {
  struct stat st {};
  return ::fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) ? st.st_ino : 0;
}

}  // namespace

Strangers::Strangers(std::uint16_t port, std::int64_t longest_ns)
    : port_(port), longest_ns_(longest_ns), watcher_([this] { watch(); }) {}

Strangers::~Strangers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

void Strangers::admit(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  admitted_.emplace(without_scope(peer.address), peer.port);
}

void Strangers::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    changed_.wait_for(lock, kLookAtStrangersEvery);
    try {
      look();
    } catch (const std::bad_alloc&) {  // a question has taken all memory that is allowed: there is some next time
    }
  }
}

// The HTTP library of Debian 12 does not say which sockets it has, so they are looked for among those of the process.
void Strangers::look() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), [](DIR* one) { return closedir(one); });
  if (directory == nullptr) return;
  const std::int64_t now = monotonic_now();
  std::set<std::pair<std::string, int>> admitted;
  std::map<std::uint64_t, std::int64_t> seen;
  while (const dirent* entry = readdir(directory.get())) {
    const int fd = std::atoi(entry->d_name);
    const std::optional<Peer> peer = fd < 3 || own_port_of(fd) != port_ ? std::nullopt : peer_of(fd);
    const std::uint64_t inode = peer ? inode_of(fd) : 0;
    if (inode == 0) continue;
    if (const std::pair key(peer->address, peer->port); admitted_.contains(key)) {
      admitted.insert(key);
      continue;
    }
    int unread = 0;  // bytes that wait for the server: its time, not theirs
    const bool waits = ::ioctl(fd, FIONREAD, &unread) != 0 || unread != 0;
    const auto known = seen_.find(inode);
    const std::int64_t since = known != seen_.end() && !waits ? known->second : now;
    seen.emplace(inode, since);
    if (now - since <= longest_ns_) continue;
    if (inode_of(fd) == inode) ::shutdown(fd, SHUT_RDWR);  // its thread closes it
  }
  admitted_ = std::move(admitted);
  seen_ = std::move(seen);
}

}  // namespace steno::cli::web
