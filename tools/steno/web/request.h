// One question of a page while it is worked on: how long it may take, and whether anybody still waits for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/work_meter.h"

namespace steno::cli::web {

// Where a connection comes from: an address and a port.
struct Peer {
  std::string address;
  int port = 0;
};

// Stops the work of questions that take too long, and of those whose asker has gone. Lets few work at a time. Has one
// thread. Thread-safe.
class Requests {
 public:
  // An export may take as long as its reader does, so some places are left for questions.
  enum class Kind { kQuestion, kExport };

  explicit Requests(std::int64_t longest_ns);
  ~Requests();
  // Stops all work, and lets none begin.
  void end();

  // A place among the questions or exports that are worked on; it is given back when this ends.
  class Work {
   public:
    // Waits for its turn, as long as a question may take. `is_in_time` is false afterwards if that did not come.
    Work(Requests* requests, Peer peer, Kind kind = Kind::kQuestion);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    bool is_in_time() const { return in_time_; }
    WorkMeter* meter() { return &meter_; }
    // Why the work was stopped.
    bool is_too_long() const { return too_long_; }

   private:
    friend class Requests;
    Requests* requests_;
    const Peer peer_;
    const Kind kind_;
    std::int64_t began_;  // to wait, and then to work
    bool in_time_ = false;
    std::atomic<bool> too_long_{false};
    WorkMeter meter_;
    std::list<Work*>::iterator place_;
  };

 private:
  static constexpr unsigned kMostAtOnce = 3;
  static constexpr unsigned kMostExports = 2;  // among these
  bool has_place(Kind kind) const;
  void watch();

  const std::int64_t longest_ns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Work*> all_;
  unsigned working_ = 0;
  unsigned exports_ = 0;  // among these
  bool ending_ = false;
  std::thread watcher_;
};

// An address of IPv6 without the interface that the HTTP library writes after it: fe80::1%eth0.
std::string without_scope(const std::string& address);
// The port of this end of a socket; 0: it is none of IP.
std::uint16_t own_port_of(int fd);
// The other end of a socket, without a scope; none: it is no connection over IP.
std::optional<Peer> peer_of(int fd);
// Returns whether the other end of a connection of this process was closed.
bool has_gone(const Peer& peer);

}  // namespace steno::cli::web
