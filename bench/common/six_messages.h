// The six messages of the NanoLog paper (its Table 3), as statements of steno and as minimal pushes.
#pragma once

#include <steno/log.h>

#include "common/minimal_push.h"
#include "peers/peer.h"

namespace steno::bench {

// Calls f(message, name) for each; f gets a functor so that the statement inlines into the loop that measures it.
template <class F>
void for_each_message(F&& f) {
  f([](std::size_t) { STENO_INFO("Starting backup replica garbage collector thread"); }, 0);
  f([](std::size_t) { STENO_INFO("Opened session with coordinator at {}", arguments.address); }, 1);
  f([](std::size_t) { STENO_INFO("Backup storage speeds (min): {} MB/s read", arguments.speed); }, 2);
  f(
      [](std::size_t) {
        STENO_INFO("buffer has consumed {} bytes of extra storage, current allocation: {} bytes", arguments.consumed,
                   arguments.allocated);
      },
      3);
  f([](std::size_t) { STENO_INFO("Using tombstone ratio balancer with ratio = {:.1f}", arguments.ratio); }, 4);
  f(
      [](std::size_t) {
        STENO_INFO(
            "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), took {:.1f} ms",
            arguments.receive_buffers, arguments.receive_mb, arguments.transmit_buffers, arguments.transmit_mb,
            arguments.took_ms);
      },
      5);
}

template <PushClock kClock, class F>
void for_each_minimal_push(F&& f) {
  f([](std::size_t) { minimal_push<kClock>(); }, 0);
  f([](std::size_t) { minimal_push_string<kClock>(arguments.address); }, 1);
  f([](std::size_t) { minimal_push<kClock>(arguments.speed); }, 2);
  f([](std::size_t) { minimal_push<kClock>(arguments.consumed, arguments.allocated); }, 3);
  f([](std::size_t) { minimal_push<kClock>(arguments.ratio); }, 4);
  f(
      [](std::size_t) {
        minimal_push<kClock>(arguments.receive_buffers, arguments.receive_mb, arguments.transmit_buffers,
                             arguments.transmit_mb, arguments.took_ms);
      },
      5);
}

}  // namespace steno::bench
