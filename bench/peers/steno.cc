#include <steno/log.h>
#include <steno/session.h>

#include <cstdio>
#include <cstdlib>

#include "peers/peer.h"

namespace steno::bench {

namespace {

struct StenoAdapter {
  static constexpr const char* kName = "steno";

  static void start(const std::string& path) {
    if (!steno::start({.path = path})) std::exit(1);
    prepare_thread();
  }
  static void flush() {
    if (const Status flushed = steno::flush(); !flushed.ok()) std::fprintf(stderr, "%s\n", flushed.message().c_str());
  }
  static void stop() { steno::stop(); }

  static void log_static(std::size_t) { STENO_INFO("Starting backup replica garbage collector thread"); }
  static void log_string(std::size_t) { STENO_INFO("Opened session with coordinator at {}", arguments.address); }
  static void log_integer(std::size_t) { STENO_INFO("Backup storage speeds (min): {} MB/s read", arguments.speed); }
  static void log_two_integers(std::size_t) {
    STENO_INFO("buffer has consumed {} bytes of extra storage, current allocation: {} bytes", arguments.consumed,
               arguments.allocated);
  }
  static void log_double(std::size_t) {
    STENO_INFO("Using tombstone ratio balancer with ratio = {:.1f}", arguments.ratio);
  }
  static void log_complex(std::size_t) {
    STENO_INFO(
        "Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), took {:.1f} ms",
        arguments.receive_buffers, arguments.receive_mb, arguments.transmit_buffers, arguments.transmit_mb,
        arguments.took_ms);
  }
};

}  // namespace

std::unique_ptr<Peer> make_steno() {
  return std::make_unique<PeerOf<StenoAdapter>>();
}

}  // namespace steno::bench
