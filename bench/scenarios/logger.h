// One face for every logger of the scenarios. All log the same statement, with a request's numbers and texts for
// arguments, from any number of threads.
//
// A logger is an adapter of static functions in a file of its own, made a Logger by LoggerOf, so that its statement
// inlines into the loop around it as it would in a program.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/request.h"

namespace steno::bench {

// The number of messages that a queue holds, of loggers that count by messages: as many as both mini-async-log's and
// Log4j 2's own comparisons gave them.
inline constexpr std::size_t kQueue = 262'144;

class Logger {
 public:
  virtual ~Logger() = default;
  virtual const char* name() const = 0;
  // Opens the log, a file at `path`. Ends the process if it cannot.
  virtual void start(const std::string& path) = 0;
  // Logs the requests of these numbers. Thread-safe.
  virtual void log(unsigned thread, std::size_t first, std::size_t count) = 0;
  // Returns when everything logged is on file.
  virtual void flush() = 0;
  virtual void stop() = 0;
  // Messages in the file, once stopped.
  virtual std::size_t messages_on_file(const std::string& path) const = 0;
};

// Lines of a file that are messages of ours.
std::size_t message_lines(const std::string& path);

// Adapter: kName, start(path), log(thread, i, request), flush(), stop(), messages_on_file(path).
template <class Adapter>
class LoggerOf final : public Logger {
 public:
  const char* name() const override { return Adapter::kName; }
  void start(const std::string& path) override { Adapter::start(path); }
  void log(unsigned thread, std::size_t first, std::size_t count) override {
    for (std::size_t i = first; i < first + count; ++i) Adapter::log(thread, i, request(i));
  }
  void flush() override { Adapter::flush(); }
  void stop() override { Adapter::stop(); }
  std::size_t messages_on_file(const std::string& path) const override { return Adapter::messages_on_file(path); }
};

using Loggers = std::vector<std::unique_ptr<Logger>>;

// Each defined in a file of its own; CMake says by STENO_PEER_... which are there.
void add_steno(Loggers* loggers);
void add_spdlog(Loggers* loggers);
void add_glog(Loggers* loggers);
void add_boost_log(Loggers* loggers);

// All that were compiled in, steno first.
Loggers make_loggers();
// Logs nothing: what the loops, their timing and the scheduler take.
std::unique_ptr<Logger> make_no_logger();

}  // namespace steno::bench
