#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <cstdio>
#include <memory>

#include "paper/server/statements.h"
#include "peers/flush_marker.h"
#include "peers/spdlog_messages.h"

namespace steno::bench {
namespace {

constexpr std::size_t kQueue = 8192;  // the paper's

class Spdlog final : public Statements {
 public:
  Spdlog(std::shared_ptr<spdlog::logger> logger, std::shared_ptr<FlushMarker> marker)
      : logger_(std::move(logger)), marker_(std::move(marker)) {
    logger_->set_pattern(kSpdlogPattern);
  }
  void Logv(const char* format, std::va_list arguments) override {
    char text[512];
    std::vsnprintf(text, sizeof text, format, arguments);
    SPDLOG_LOGGER_INFO(logger_, "{}", text);
  }
  void flush() override { marker_ ? marker_->flush_and_wait(*logger_) : logger_->flush(); }
#define BENCH_SPDLOG(...) SPDLOG_LOGGER_INFO(logger_, __VA_ARGS__)
  BENCH_SERVER_STATEMENTS(BENCH_SPDLOG)
#undef BENCH_SPDLOG

 private:
  std::shared_ptr<spdlog::logger> logger_;
  std::shared_ptr<FlushMarker> marker_;
};

}  // namespace

Statements* spdlog_statements(const char* path) {
  return new Spdlog(spdlog::basic_logger_st("server", path, true), nullptr);
}

Statements* spdlog_async_statements(const char* path) {
  spdlog::init_thread_pool(kQueue, 1);
  auto marker = std::make_shared<FlushMarker>();
  const spdlog::sinks_init_list sinks = {std::make_shared<spdlog::sinks::basic_file_sink_st>(path, true), marker};
  return new Spdlog(std::make_shared<spdlog::async_logger>("server", sinks, spdlog::thread_pool(),
                                                           spdlog::async_overflow_policy::block),
                    marker);
}

}  // namespace steno::bench
