// Waits for spdlog's asynchronous logger: its flush() of version 1.10 returns at once.
#pragma once

#include <spdlog/async_logger.h>
#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <thread>

namespace steno::bench {

// A sink that sees no message, after the one that writes: counts the flushes of the thread behind the queue.
class FlushMarker final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  FlushMarker() { set_level(spdlog::level::off); }

  // Returns when what `logger`, of which this is a sink, was given before is written.
  void flush_and_wait(spdlog::logger& logger) {
    const unsigned before = flushes_.load(std::memory_order_acquire);
    logger.flush();
    while (flushes_.load(std::memory_order_acquire) == before) std::this_thread::yield();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg&) override {}
  void flush_() override { flushes_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<unsigned> flushes_{0};
};

}  // namespace steno::bench
