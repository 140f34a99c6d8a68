// The common part of spdlog's two adapters: the six messages, to whichever logger the adapter made.
#pragma once

#include <spdlog/spdlog.h>

#include <cstddef>

#include "peers/peer.h"

namespace steno::bench {

// Date, time in nanoseconds, place, level and thread: what the paper had each logger print.
inline constexpr const char* kSpdlogPattern = "%Y-%m-%d %H:%M:%S.%F %s:%# %l[%t]: %v";

template <class Adapter>
struct SpdlogMessages {
  static void log_static(std::size_t) {
    SPDLOG_LOGGER_INFO(Adapter::logger, "Starting backup replica garbage collector thread");
  }
  static void log_string(std::size_t) {
    SPDLOG_LOGGER_INFO(Adapter::logger, "Opened session with coordinator at {}", arguments.address);
  }
  static void log_integer(std::size_t) {
    SPDLOG_LOGGER_INFO(Adapter::logger, "Backup storage speeds (min): {} MB/s read", arguments.speed);
  }
  static void log_two_integers(std::size_t) {
    SPDLOG_LOGGER_INFO(Adapter::logger, "buffer has consumed {} bytes of extra storage, current allocation: {} bytes",
                       arguments.consumed, arguments.allocated);
  }
  static void log_double(std::size_t) {
    SPDLOG_LOGGER_INFO(Adapter::logger, "Using tombstone ratio balancer with ratio = {:.1f}", arguments.ratio);
  }
  static void log_complex(std::size_t) {
    SPDLOG_LOGGER_INFO(
        Adapter::logger,
        "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), took {:.1f} ms",
        arguments.receive_buffers, arguments.receive_mb, arguments.transmit_buffers, arguments.transmit_mb,
        arguments.took_ms);
  }
};

}  // namespace steno::bench
