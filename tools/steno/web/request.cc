#include "web/request.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>

#include "base/clock.h"

namespace steno::cli::web {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};
constexpr std::int64_t kQuickNs = 100'000'000;  // questions that are answered by then are left alone

// 0: of another family.
std::uint16_t port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

}  // namespace

std::string without_scope(const std::string& address) {
  return address.substr(0, address.find('%'));
}

std::uint16_t own_port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return port_of(address);
}

// The address as inet_ntop() prints it, of either family.
std::optional<Peer> peer_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return std::nullopt;
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr, text, sizeof text);
  } else if (address.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr, text, sizeof text);
  }
  const std::uint16_t port = port_of(address);
  if (port == 0) return std::nullopt;
  return Peer{text, port};
}

// The HTTP library of Debian 12 does not say which socket a request came from, so it is looked for among those of the
// process.
bool has_gone(const Peer& peer) {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return false;
  bool gone = false;
  while (const dirent* entry = readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    const std::optional<Peer> one = fd < 3 ? std::nullopt : peer_of(fd);
    if (!one || one->port != peer.port || one->address != without_scope(peer.address)) continue;
    pollfd look{fd, POLLRDHUP, 0};
    gone = ::poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
    break;
  }
  closedir(directory);
  return gone;
}

Requests::Requests(std::int64_t longest_ns) : longest_ns_(longest_ns), watcher_([this] { watch(); }) {}

Requests::~Requests() {
  end();
  watcher_.join();
}

void Requests::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (Work* work : all_) work->meter_.stop();
  }
  changed_.notify_all();
}

bool Requests::has_place(Kind kind) const {
  return working_ < kMostAtOnce && (kind == Kind::kQuestion || exports_ < kMostExports);
}

void Requests::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    changed_.wait_for(lock, kLookEvery);
    const std::int64_t now = monotonic_now();
    for (Work* work : all_) {
      if (now - work->began_ < kQuickNs) continue;
      const bool may_take_long = work->kind_ == Kind::kExport && work->in_time_;
      if (!may_take_long && now - work->began_ > longest_ns_) work->too_long_ = true;
      if (work->too_long_ || has_gone(work->peer_)) work->meter_.stop();
    }
  }
}

Requests::Work::Work(Requests* requests, Peer peer, Kind kind)
    : requests_(requests), peer_(std::move(peer)), kind_(kind), began_(monotonic_now()) {
  std::unique_lock lock(requests_->mutex_);
  place_ = requests_->all_.insert(requests_->all_.end(), this);
  while (!requests_->has_place(kind_) && !requests_->ending_ && !meter_.is_stopped()) {
    requests_->changed_.wait_for(lock, kLookEvery);
  }
  in_time_ = !requests_->ending_ && !meter_.is_stopped();
  began_ = monotonic_now();
  if (!in_time_) return;
  ++requests_->working_;
  if (kind_ == Kind::kExport) ++requests_->exports_;
}

Requests::Work::~Work() {
  {
    const std::lock_guard lock(requests_->mutex_);
    requests_->all_.erase(place_);
    if (in_time_) --requests_->working_;
    if (in_time_ && kind_ == Kind::kExport) --requests_->exports_;
  }
  requests_->changed_.notify_all();
}

}  // namespace steno::cli::web
