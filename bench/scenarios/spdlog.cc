#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "peers/flush_marker.h"
#include "scenarios/logger.h"

namespace steno::bench {

namespace {

struct SpdlogBase {
  static inline std::shared_ptr<spdlog::logger> logger;

  static void log(unsigned thread, std::size_t i, const Request& r) {
    SPDLOG_LOGGER_INFO(logger, "worker {} request {}: {} {} {} in {:.1f} us, {} bytes", thread, i, r.status, r.method,
                       r.path, r.us, r.bytes);
  }
  static void set_pattern() { logger->set_pattern("%Y-%m-%d %H:%M:%S.%F %s:%# %l[%t]: %v"); }
  static void stop() {
    logger.reset();
    spdlog::shutdown();
  }
  static std::size_t messages_on_file(const std::string& path) { return message_lines(path); }
};

struct SpdlogSync : SpdlogBase {
  static constexpr const char* kName = "spdlog sync";
  static void start(const std::string& path) {
    logger = spdlog::basic_logger_mt("sync", path, true);
    set_pattern();
  }
  static void flush() { logger->flush(); }
};

// Waits where its queue is full, as it does by default.
struct SpdlogAsync : SpdlogBase {
  static constexpr const char* kName = "spdlog async";
  static inline std::shared_ptr<FlushMarker> marker;

  static void start(const std::string& path) {
    spdlog::init_thread_pool(kQueue, 1);
    marker = std::make_shared<FlushMarker>();
    const spdlog::sinks_init_list sinks = {std::make_shared<spdlog::sinks::basic_file_sink_st>(path, true), marker};
    logger = std::make_shared<spdlog::async_logger>("async", sinks, spdlog::thread_pool(),
                                                    spdlog::async_overflow_policy::block);
    set_pattern();
  }
  static void flush() { marker->flush_and_wait(*logger); }
};

}  // namespace

void add_spdlog(Loggers* loggers) {
  loggers->push_back(std::make_unique<LoggerOf<SpdlogSync>>());
  loggers->push_back(std::make_unique<LoggerOf<SpdlogAsync>>());
}

}  // namespace steno::bench
