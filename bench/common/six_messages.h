// The six messages of the NanoLog paper (its Table 3), as statements of steno and as minimal pushes.
#pragma once

#include <steno/log.h>

#include "common/minimal_push.h"
#include "peers/peer.h"

namespace steno::bench {

// Calls f(message, name) for each; f gets a functor so that the statement inlines into the loop that measures it.
template <class F>
void for_each_message(F&& f) {
  const Arguments& a = arguments;
  f([](std::size_t) { STENO_INFO("Starting backup replica garbage collector thread"); }, 0);
  f([&a](std::size_t) { STENO_INFO("Opened session with coordinator at {}", a.address); }, 1);
  f([&a](std::size_t) { STENO_INFO("Backup storage speeds (min): {} MB/s read", a.speed); }, 2);
  f(
      [&a](std::size_t) {
        STENO_INFO("buffer has consumed {} bytes of extra storage, current allocation: {} bytes", a.consumed,
                   a.allocated);
      },
      3);
  f([&a](std::size_t) { STENO_INFO("Using tombstone ratio balancer with ratio = {:.1f}", a.ratio); }, 4);
  f(
      [&a](std::size_t) {
        STENO_INFO(
            "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), took {:.1f} ms",
            a.receive_buffers, a.receive_mb, a.transmit_buffers, a.transmit_mb, a.took_ms);
      },
      5);
}

template <class F>
void for_each_minimal_push(F&& f) {
  const Arguments& a = arguments;
  f([](std::size_t) { minimal_push(); }, 0);
  f([&a](std::size_t) { minimal_push_string(a.address); }, 1);
  f([&a](std::size_t) { minimal_push(a.speed); }, 2);
  f([&a](std::size_t) { minimal_push(a.consumed, a.allocated); }, 3);
  f([&a](std::size_t) { minimal_push(a.ratio); }, 4);
  f([&a](std::size_t) { minimal_push(a.receive_buffers, a.receive_mb, a.transmit_buffers, a.transmit_mb, a.took_ms); },
    5);
}

}  // namespace steno::bench
