// Obeys what is asked of a session from outside (ring.md §6, `steno ctl`).
//
// Thread safety: serve() in one thread at a time; asked() in any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ring/control.h"
#include "runtime/core.h"
#include "sink/feed.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::scribe {

class Control {
 public:
  // What the session does when it is asked.
  struct Orders {
    std::function<Stats()> stats;
    std::function<Status()> flush;
    std::function<Status()> rotate;
    std::function<Status()> dump;                                    // the flight recorder
    std::function<std::vector<sink::Feed::SinkState>()> sinks = {};  // empty: it has none
  };

  explicit Control(runtime::Core& core);

  // Whether somebody asks. One load.
  bool asked() const;
  // Does what is asked, and answers. Never waits for who asks. False: there was nothing that could be read.
  bool serve(const Orders& orders);

 private:
  ring::ControlMessage answer(std::string_view request, const Orders& orders);
  ring::ControlMessage set_levels(std::string_view rules, const Orders& orders);
  std::string list(const Orders& orders) const;

  runtime::Core& core_;
  std::atomic<std::uint32_t> last_;  // request that was looked at
};

}  // namespace steno::scribe
