// Levels, places and messages (steno/spdlog.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "steno/level.h"

#define SPDLOG_VER_MAJOR 1
#define SPDLOG_VER_MINOR 15
#define SPDLOG_VER_PATCH 0
#define SPDLOG_VERSION (SPDLOG_VER_MAJOR * 10000 + SPDLOG_VER_MINOR * 100 + SPDLOG_VER_PATCH)

#define SPDLOG_LEVEL_TRACE 0
#define SPDLOG_LEVEL_DEBUG 1
#define SPDLOG_LEVEL_INFO 2
#define SPDLOG_LEVEL_WARN 3
#define SPDLOG_LEVEL_ERROR 4
#define SPDLOG_LEVEL_CRITICAL 5
#define SPDLOG_LEVEL_OFF 6
#ifndef SPDLOG_ACTIVE_LEVEL
#define SPDLOG_ACTIVE_LEVEL SPDLOG_LEVEL_INFO
#endif

namespace spdlog {

using string_view_t = std::string_view;
using filename_t = std::string;
using memory_buf_t = std::string;
using log_clock = std::chrono::system_clock;

namespace level {
enum level_enum : int {
  trace = SPDLOG_LEVEL_TRACE,
  debug = SPDLOG_LEVEL_DEBUG,
  info = SPDLOG_LEVEL_INFO,
  warn = SPDLOG_LEVEL_WARN,
  err = SPDLOG_LEVEL_ERROR,
  critical = SPDLOG_LEVEL_CRITICAL,
  off = SPDLOG_LEVEL_OFF,
  n_levels
};

inline string_view_t to_string_view(level_enum level) {
  constexpr string_view_t kNames[] = {"trace", "debug", "info", "warning", "error", "critical", "off"};
  return level >= trace && level <= off ? kNames[level] : "off";
}
inline const char* to_short_c_str(level_enum level) {
  constexpr const char* kNames[] = {"T", "D", "I", "W", "E", "C", "O"};
  return level >= trace && level <= off ? kNames[level] : "O";
}
// Returns the level that has this name; off: there is none.
inline level_enum from_str(const std::string& name) {
  for (int level = trace; level < off; ++level) {
    if (name == to_string_view(static_cast<level_enum>(level))) return static_cast<level_enum>(level);
  }
  return name == "warn" ? warn : name == "err" ? err : off;
}
}  // namespace level

class spdlog_ex : public std::runtime_error {
 public:
  explicit spdlog_ex(const std::string& what) : std::runtime_error(what) {}
};
[[noreturn]] inline void throw_spdlog_ex(const std::string& what) {
  throw spdlog_ex(what);
}

struct source_loc {
  const char* filename = "";
  int line = 0;
  const char* funcname = "";

  constexpr source_loc() = default;
  constexpr source_loc(const char* file, int line_, const char* function)
      : filename(file), line(line_), funcname(function) {}
  constexpr bool empty() const { return line <= 0; }
};

enum class pattern_time_type { local, utc };
enum class color_mode { always, automatic, never };
enum class async_overflow_policy { block, overrun_oldest, discard_new };

// Never called.
struct file_event_handlers {
  std::function<void(const filename_t&)> before_open;
  std::function<void(const filename_t&, std::FILE*)> after_open;
  std::function<void(const filename_t&, std::FILE*)> before_close;
  std::function<void(const filename_t&)> after_close;
};

namespace details {

// A message, as sinks of the program's own see it.
struct log_msg {
  string_view_t logger_name;
  level::level_enum level = level::off;
  log_clock::time_point time;
  std::size_t thread_id = 0;
  source_loc source;
  string_view_t payload;
};

struct null_mutex {
  void lock() {}
  void unlock() {}
};

template <class T, class... Args>
std::unique_ptr<T> make_unique(Args&&... args) {
  return std::make_unique<T>(std::forward<Args>(args)...);
}

inline steno::Level level_of(level::level_enum level) {
  constexpr steno::Level kLevels[] = {steno::Level::kTrace, steno::Level::kDebug, steno::Level::kInfo,
                                      steno::Level::kWarn,  steno::Level::kError, steno::Level::kCritical,
                                      steno::kLevelOff};
  return level >= level::trace && level <= level::off ? kLevels[level] : steno::kLevelOff;
}
inline level::level_enum level_of(steno::Level level) {
  switch (level) {
    case steno::Level::kTrace:
      return level::trace;
    case steno::Level::kDebug:
      return level::debug;
    case steno::Level::kInfo:
    case steno::Level::kNotice:
      return level::info;
    case steno::Level::kWarn:
      return level::warn;
    case steno::Level::kError:
      return level::err;
    default:
      return level::critical;
  }
}

}  // namespace details
}  // namespace spdlog
