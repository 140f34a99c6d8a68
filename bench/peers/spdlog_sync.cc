#include <spdlog/sinks/basic_file_sink.h>

#include "peers/spdlog_messages.h"

namespace steno::bench {

namespace {

struct SpdlogSync : SpdlogMessages<SpdlogSync> {
  static constexpr const char* kName = "spdlog sync";
  static inline std::shared_ptr<spdlog::logger> logger;

  static void start(const std::string& path) {
#ifdef STENO_PEERS_OF_MANY_THREADS
    logger = spdlog::basic_logger_mt("sync", path, true);
#else
    // _st: one producer, no lock; the best case.
    logger = spdlog::basic_logger_st("sync", path, true);
#endif
    logger->set_pattern(kSpdlogPattern);
  }
  static void flush() {
    logger->flush();
  }
  static void stop() {
    logger.reset();
    spdlog::shutdown();
  }
};

}  // namespace

std::unique_ptr<Peer> make_spdlog_sync() {
  return std::make_unique<PeerOf<SpdlogSync>>();
}

}  // namespace steno::bench
