// Connections that have not shown the token yet: how long each may have one of the server's threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "web/request.h"

namespace steno::cli::web {

// Closes connections that take too long until their first request with the token: the HTTP library bounds the time of
// each read only, so that a client which sends a byte now and then would have its thread for ever. Time that a
// connection waits for the server does not count. Has one thread. Thread-safe.
class Strangers {
 public:
  // `port`: the one of this process that they connect to. Other connections are left alone.
  Strangers(std::uint16_t port, std::int64_t longest_ns);
  ~Strangers();
  // This peer has shown the token.
  void admit(const Peer& peer);

 private:
  void watch();
  void look();

  const std::uint16_t port_;
  const std::int64_t longest_ns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<std::string, int>> admitted_;
  std::map<std::uint64_t, std::int64_t> seen_;  // sockets by inode: since when
  bool ending_ = false;
  std::thread watcher_;
};

}  // namespace steno::cli::web
