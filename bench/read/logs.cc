#include "read/logs.h"

#include <sched.h>
#include <steno/session.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "common/six_messages.h"

namespace steno::bench {
namespace {

constexpr std::size_t kTurn = 8;  // messages that a thread logs before another has its turn

void log(Message message, std::size_t times) {
  for_each_message([&](auto statement, int m) {
    if (m != static_cast<int>(message)) return;
    for (std::size_t i = 0; i < times; ++i) statement(i);
  });
}

void log_in_turns(Message message, std::size_t times) {
  for (std::size_t done = 0; done < times; done += kTurn) {
    log(message, std::min(kTurn, times - done));
    sched_yield();
  }
}

}  // namespace

std::size_t write_log(const std::string& path, Message message, std::size_t messages, std::size_t threads) {
  Options options;
  options.path = path;
  if (threads > 64) options.ring_bytes = std::size_t{1} << 16;
  std::filesystem::remove(path);
  if (!steno::start(options)) std::exit(1);
  if (threads == 1) {
    log(message, messages);
  } else {
    std::vector<std::thread> loggers;
    for (std::size_t t = 0; t < threads; ++t) {
      const std::size_t share = messages * (t + 1) / threads - messages * t / threads;
      loggers.emplace_back([message, share] { log_in_turns(message, share); });
    }
    for (std::thread& logger : loggers) logger.join();
  }
  steno::stop();
  return std::filesystem::file_size(path);
}

}  // namespace steno::bench
