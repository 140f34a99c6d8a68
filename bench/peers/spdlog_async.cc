#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <atomic>
#include <thread>

#include "peers/spdlog_messages.h"

namespace steno::bench {

namespace {

// Tells when the backend has flushed: an asynchronous flush() of spdlog 1.10 returns at once. Sees no message itself.
class FlushMarker final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  FlushMarker() { set_level(spdlog::level::off); }
  std::atomic<unsigned> flushes{0};

 protected:
  void sink_it_(const spdlog::details::log_msg&) override {}
  void flush_() override { flushes.fetch_add(1, std::memory_order_release); }
};

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
  static void flush() {
    const unsigned before = marker->flushes.load(std::memory_order_acquire);
    logger->flush();
    while (marker->flushes.load(std::memory_order_acquire) == before) std::this_thread::yield();
  }
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
