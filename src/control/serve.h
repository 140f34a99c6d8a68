// Carries out requests that another process makes of a session (ring.md §6, `steno ctl`).
//
// Thread safety: serve() in one thread at a time; asked() in any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "control/message.h"
#include "runtime/core.h"
#include "sink/feed.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::control {

// A session's side of it.
class Server {
 public:
  // How the session carries out each request.
  struct Orders {
    std::function<Stats()> stats;
    std::function<Status()> flush;
    std::function<Status()> rotate;
    std::function<Status()> dump;                                    // writes the flight recorder
    std::function<std::vector<sink::Feed::SinkState>()> sinks = {};  // empty: it has none
    std::function<bool(std::string_view)> is_for_another = {};       // empty: no request is another process's to answer
  };

  explicit Server(runtime::Core& core);

  // Returns whether a request waits. One load.
  bool asked() const;
  // Carries it out and answers. Never waits for the other process. False: no request could be read, or it is
  // another process's to answer.
  bool serve(const Orders& orders);

 private:
  Message answer(std::string_view request, const Orders& orders);
  Message set_levels(std::string_view rules, const Orders& orders);
  std::string list(const Orders& orders) const;

  runtime::Core& core_;
  std::atomic<std::uint32_t> last_;  // number of the last request that was read
};

}  // namespace steno::control
