#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>

#include "peers/flush_marker.h"
#include "peers/spdlog_messages.h"

namespace steno::bench {

namespace {

struct SpdlogAsync : SpdlogMessages<SpdlogAsync> {
  static constexpr const char* kName = "spdlog async";
  static constexpr std::size_t kQueue = 8192;  // the paper's
  static inline std::shared_ptr<spdlog::async_logger> logger;
  static inline std::shared_ptr<FlushMarker> marker;

  static void start(const std::string& path) {
    spdlog::init_thread_pool(kQueue, 1);
    marker = std::make_shared<FlushMarker>();
    const spdlog::sinks_init_list sinks = {std::make_shared<spdlog::sinks::basic_file_sink_st>(path, true), marker};
    logger = std::make_shared<spdlog::async_logger>("async", sinks, spdlog::thread_pool(),
                                                    spdlog::async_overflow_policy::block);
    logger->set_pattern(kSpdlogPattern);
  }
  static void flush() { marker->flush_and_wait(*logger); }
  static void stop() {
    logger.reset();
    spdlog::shutdown();
  }
};

}  // namespace

std::unique_ptr<Peer> make_spdlog_async() {
  return std::make_unique<PeerOf<SpdlogAsync>>();
}

}  // namespace steno::bench
