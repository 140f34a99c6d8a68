#include "scenarios/logger.h"

#include <fstream>

#include "common/harness.h"

namespace steno::bench {

namespace {

struct NoLogger {
  static constexpr const char* kName = "no log";
  static void start(const std::string&) {}
  static void log(unsigned, std::size_t, const Request& request) {
    asm volatile("" : : "r"(&request));
    forget_registers();
  }
  static void flush() {}
  static void stop() {}
  static std::size_t messages_on_file(const std::string&) { return 0; }
};

}  // namespace

std::size_t message_lines(const std::string& path) {
  std::ifstream file(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) lines += line.ends_with(" bytes");
  return lines;
}

Loggers make_loggers() {
  Loggers loggers;
  add_steno(&loggers);
#ifdef STENO_PEER_SPDLOG
  add_spdlog(&loggers);
#endif
#ifdef STENO_PEER_GLOG
  add_glog(&loggers);
#endif
#ifdef STENO_PEER_BOOST_LOG
  add_boost_log(&loggers);
#endif
  return loggers;
}

std::unique_ptr<Logger> make_no_logger() {
  return std::make_unique<LoggerOf<NoLogger>>();
}

}  // namespace steno::bench
