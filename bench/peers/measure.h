// Measures one peer, in a process of its own, so that nothing of one is left when the next runs.
#pragma once

#include <cstddef>
#include <string>

#include "peers/peer.h"

namespace steno::bench {

struct Effort {
  std::size_t bursts = 60;
  double sustained_seconds = 0.4;  // of calls, per message
  std::size_t sustained_most = 20'000'000;
};
inline constexpr Effort kSmoke = {1, 0, 2'000};

struct Figures {
  double call_ns[kMessages];             // median over bursts into a queue with room
  double million_per_second[kMessages];  // until all is in the file
  double bytes[kMessages];               // of the file, a message
};

// Forks. The producer runs on the first core that we may use, the peer's own threads on the second. False: the peer
// failed.
bool measure(Peer& peer, const std::string& directory, const Effort& effort, Figures* figures);

}  // namespace steno::bench
