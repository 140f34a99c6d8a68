// spdlog's interface over steno: programs written for spdlog 1.x compile with it, as C++17 and later.
//
//   #include <steno/spdlog.h>             // in place of "spdlog/spdlog.h" and its sinks; or leave those lines as they
//                                         // are and compile with -I…/include/steno/compat, which has them
//   spdlog::info("took {} ms", ms);
//   auto log = spdlog::basic_logger_mt("net", "logs/net.txt");
//   log->warn("{} of {} peers", up, all);
//
// A call is a record with typed arguments, as a statement of <steno/log.h> is; its format becomes a statement when it
// comes first, with the file and line of the call. Lines are made and written by threads of the sinks. Loggers that
// have the same sinks share a session, at most 62 in a process. Where a log is wanted that can be asked, and survives
// the process: a steno sink,
//
//   spdlog::default_logger()->sinks().push_back(std::make_shared<spdlog::sinks::steno_sink>("app.steno"));
//
// or STENO_PATH in the environment, of the default logger.
//
// What differs (docs/moving.md)
//   - A logger's sinks, their levels and patterns are those when it logs first. Sinks wait for nobody: flush() does.
//   - Patterns are translated: %v %n %l %t %P %s %g %# %! %@ and text; times are steno's; alignment is ignored.
//   - Formats are those of {fmt} 9. What does not fit its arguments is logged as it stands, with these behind it.
//   - No backtrace ring, no formatters of your own, no error handlers: calls are there and do nothing.
//   - Types that {fmt} formats are text, made in the call, where <fmt/format.h> is there.
#pragma once

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "steno/chrono.h"
#include "steno/containers.h"
#include "steno/detail/brace_call.h"
#include "steno/log.h"
#include "steno/session.h"
#include "steno/sink.h"
#include "steno/std_types.h"

#if __has_include(<fmt/format.h>)
#if !defined(FMT_HEADER_ONLY) && !defined(FMT_VERSION)
#define FMT_HEADER_ONLY 1
#endif
#include <fmt/format.h>
#define STENO_DETAIL_HAS_FMT 1
#else
#define STENO_DETAIL_HAS_FMT 0
#endif

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
// What has no such name: off.
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

// spdlog's pattern as steno's. `named`: %n has something to show.
inline std::string pattern_of(const std::string& pattern, bool named) {
  const std::string flags = pattern == "%+" || pattern.empty() ? "[%Y] [%n] [%l] %v" : pattern;
  std::string out;
  bool time = false;    // the last field was one of a time
  std::string between;  // text behind it, which goes if another one follows
  const auto text = [&](char c) {
    std::string& to = time ? between : out;
    to += c;
    if (c == '{' || c == '}') to += c;
  };
  const auto field = [&](std::string_view name) {
    out += std::exchange(between, "");
    time = false;
    out += name;
  };
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != '%') {
      text(flags[i]);
      continue;
    }
    while (++i < flags.size() && std::string_view("-=!0123456789").find(flags[i]) != std::string_view::npos &&
           !(flags[i] == '!' && (i + 1 == flags.size() || flags[i + 1] < '0' || flags[i + 1] > '9'))) {
    }
    if (i >= flags.size()) break;
    switch (flags[i]) {
      case 'v':
        field("{message}");
        break;
      case 'n':
        if (named) {
          field("{logger}");
        } else if (i >= 2 && i + 2 < flags.size() && flags[i - 2] == '[' && flags.compare(i + 1, 2, "] ") == 0) {
          std::string& to = time ? between : out;  // "[%n] "
          to.pop_back();
          i += 2;
        }
        break;
      case 'l':
      case 'L':
        field("{level}");
        break;
      case 't':
        field("{tid}");
        break;
      case 'P':
        field("{pid}");
        break;
      case 's':
        field("{basename}");
        break;
      case 'g':
        field("{file}");
        break;
      case '#':
        field("{line}");
        break;
      case '!':
        field("{function}");
        break;
      case '@':
        field("{basename}:{line}");
        break;
      case '^':
      case '$':
        break;
      case '%':
        text('%');
        break;
      default:  // of the time
        if (!time) field("{time}");
        between.clear();
        time = true;
        break;
    }
  }
  return out + between;
}

inline std::string& global_pattern() {
  static std::string pattern = "%+";
  return pattern;
}

}  // namespace details

// Taken, and not asked: lines are made by patterns.
class formatter {
 public:
  virtual ~formatter() = default;
  virtual void format(const details::log_msg& message, memory_buf_t& out) { out.append(message.payload); }
  virtual std::unique_ptr<formatter> clone() const { return std::make_unique<formatter>(); }
};
class custom_flag_formatter {
 public:
  virtual ~custom_flag_formatter() = default;
  virtual void format(const details::log_msg& message, const std::tm& time, memory_buf_t& out) = 0;
  virtual std::unique_ptr<custom_flag_formatter> clone() const = 0;
};
class pattern_formatter : public formatter {
 public:
  explicit pattern_formatter(std::string pattern = "%+") : pattern_(std::move(pattern)) {}
  template <class Flag, class... Args>
  pattern_formatter& add_flag(char, Args&&...) {
    return *this;
  }
  void set_pattern(std::string pattern) { pattern_ = std::move(pattern); }
  const std::string& pattern() const { return pattern_; }
  std::unique_ptr<formatter> clone() const override { return std::make_unique<pattern_formatter>(pattern_); }

 private:
  std::string pattern_;
};

namespace sinks {

// Where lines go; a description, which the session of a logger is made with.
class sink {
 public:
  virtual ~sink() = default;
  // Called once, when a logger with this sink logs first.
  virtual void add_to(steno::Options& options, bool named) const = 0;

  void set_level(level::level_enum level) { level_ = level; }
  level::level_enum level() const { return level_; }
  bool should_log(level::level_enum level) const { return level >= level_; }
  void set_pattern(const std::string& pattern) { pattern_ = pattern; }
  void set_formatter(std::unique_ptr<spdlog::formatter> made) {
    if (const auto* by_pattern = dynamic_cast<const pattern_formatter*>(made.get())) pattern_ = by_pattern->pattern();
  }
  virtual void flush() {}

 protected:
  steno::SinkOptions line_options(bool named) const {
    steno::SinkOptions options;
    options.level = details::level_of(level_);
    options.pattern = details::pattern_of(pattern_.empty() ? details::global_pattern() : pattern_, named);
    options.local_time = true;
    return options;
  }

 private:
  level::level_enum level_ = level::trace;
  std::string pattern_;
};

// Made with a mutex type, which nothing here needs.
namespace described {

class console : public sink {
 public:
  console(steno::Console to, steno::Colour colour) : console_(to), colour_(colour) {}
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.console = console_;
    one.colour = colour_;
    options.sinks.push_back(std::move(one));
  }
  template <class Colour>
  void set_color(level::level_enum, Colour) {}
  void set_color_mode(color_mode mode) {
    colour_ = mode == color_mode::always  ? steno::Colour::kAlways
              : mode == color_mode::never ? steno::Colour::kNever
                                          : steno::Colour::kAuto;
  }

 private:
  steno::Console console_;
  steno::Colour colour_;
};

class file : public sink {
 public:
  explicit file(filename_t name, bool truncate) : name_(std::move(name)) {
    const std::filesystem::path directory = std::filesystem::path(name_).parent_path();
    std::error_code error;
    if (!directory.empty()) std::filesystem::create_directories(directory, error);
    std::FILE* const opened = std::fopen(name_.c_str(), truncate ? "wb" : "ab");
    if (opened == nullptr) throw_spdlog_ex("Failed opening file " + name_ + " for writing");
    std::fclose(opened);
  }
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.path = name_;
    one.rotation = rotation_;
    options.sinks.push_back(std::move(one));
  }
  const filename_t& filename() const { return name_; }

 protected:
  steno::Rotation rotation_;

 private:
  filename_t name_;
};

class callback : public sink {
 public:
  using Function = std::function<void(const details::log_msg&)>;
  explicit callback(Function function) : function_(std::move(function)) {}
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.pattern = "{message}";
    one.callback = [function = function_](const steno::Line& line) {
      details::log_msg message;
      message.logger_name = line.logger;
      message.level = details::level_of(line.level);
      message.time = log_clock::time_point(
          std::chrono::duration_cast<log_clock::duration>(std::chrono::nanoseconds(line.time_ns)));
      message.payload = line.text;
      function(message);
    };
    options.sinks.push_back(std::move(one));
  }

 private:
  Function function_;
};

}  // namespace described

template <class Mutex>
struct stdout_color_sink : described::console {
  explicit stdout_color_sink(color_mode = color_mode::automatic)
      : console(steno::Console::kStdout, steno::Colour::kAuto) {}
};
template <class Mutex>
struct stderr_color_sink : described::console {
  explicit stderr_color_sink(color_mode = color_mode::automatic)
      : console(steno::Console::kStderr, steno::Colour::kAuto) {}
};
template <class Mutex>
struct stdout_sink : described::console {
  stdout_sink() : console(steno::Console::kStdout, steno::Colour::kNever) {}
};
template <class Mutex>
struct stderr_sink : described::console {
  stderr_sink() : console(steno::Console::kStderr, steno::Colour::kNever) {}
};
template <class Mutex>
struct basic_file_sink : described::file {
  explicit basic_file_sink(filename_t name, bool truncate = false, const file_event_handlers& = {})
      : file(std::move(name), truncate) {}
};
template <class Mutex>
struct rotating_file_sink : described::file {
  rotating_file_sink(filename_t name, std::size_t most_bytes, std::size_t most_files, bool on_open = false,
                     const file_event_handlers& = {})
      : file(std::move(name), false) {
    rotation_.max_bytes = most_bytes < 4096 ? 4096 : most_bytes;
    rotation_.keep = static_cast<std::uint32_t>(most_files);
    rotation_.on_start = on_open;
    rotation_.name = "{stem}.{n}{ext}";
  }
};
template <class Mutex>
struct daily_file_sink : described::file {
  daily_file_sink(filename_t name, int hour, int minute, bool truncate = false, std::uint16_t most_files = 0,
                  const file_event_handlers& = {})
      : file(std::move(name), truncate) {
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59)
      throw_spdlog_ex("daily_file_sink: Invalid rotation time in ctor");
    char when[32];
    std::snprintf(when, sizeof when, "daily %02d:%02d", hour, minute);
    rotation_.when = when;
    rotation_.local_time = true;
    rotation_.keep = most_files;
    rotation_.name = "{stem}_{date}{ext}";
  }
};
template <class Mutex>
struct callback_sink : described::callback {
  using callback::callback;
};
using custom_log_callback = described::callback::Function;
template <class Mutex>
struct null_sink : sink {
  void add_to(steno::Options&, bool) const override {}
};
template <class Mutex>
struct syslog_sink : sink {
  syslog_sink(std::string ident, int = 0, int facility = 1 << 3, bool = false)
      : ident_(std::move(ident)), facility_(facility) {}
  void add_to(steno::Options& options, bool named) const override {
    steno::SinkOptions one = line_options(named);
    one.pattern.clear();
    one.syslog.address = "local";
    one.syslog.app_name = ident_;
    one.syslog.facility = static_cast<steno::Facility>(facility_ >> 3);
    options.sinks.push_back(std::move(one));
  }

 private:
  std::string ident_;
  int facility_;
};

// A sink of the program's own: sink_it_() is called by a thread of the session's, one message at a time. formatter_
// gives the message's text.
template <class Mutex>
class base_sink : public sink {
 public:
  void add_to(steno::Options& options, bool named) const override {
    auto* const self = const_cast<base_sink*>(this);  // it outlives the session: its loggers have it
    described::callback([self](const details::log_msg& message) { self->sink_it_(message); }).add_to(options, named);
    options.sinks.back().level = details::level_of(level());
  }

 protected:
  virtual void sink_it_(const details::log_msg& message) = 0;
  virtual void flush_() = 0;

  Mutex mutex_;
  std::unique_ptr<spdlog::formatter> formatter_ = std::make_unique<spdlog::formatter>();
};

struct udp_sink_config {
  std::string server_host;
  std::uint16_t server_port;

  udp_sink_config(std::string host, std::uint16_t port) : server_host(std::move(host)), server_port(port) {}
};
// A datagram a message, to a numeric address.
template <class Mutex>
class udp_sink : public described::callback {
 public:
  explicit udp_sink(const udp_sink_config& to) : callback(sender(to)) {}

 private:
  struct Socket {
    int descriptor = -1;
    ~Socket() {
      if (descriptor >= 0) close(descriptor);
    }
  };
  static Function sender(const udp_sink_config& to) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    auto made = std::make_shared<Socket>();
    if (getaddrinfo(to.server_host.c_str(), std::to_string(to.server_port).c_str(), &hints, &found) == 0) {
      made->descriptor = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
      const bool connected = made->descriptor >= 0 && connect(made->descriptor, found->ai_addr, found->ai_addrlen) == 0;
      freeaddrinfo(found);
      if (connected) {
        return [made](const details::log_msg& message) {
          (void)send(made->descriptor, message.payload.data(), message.payload.size(), MSG_NOSIGNAL);
        };
      }
    }
    throw_spdlog_ex("udp_sink: no address " + to.server_host);
  }
};

// steno's own: the log as a file that `steno` reads. A logger has one at most.
class steno_sink : public sink {
 public:
  explicit steno_sink(std::string path) : path_(std::move(path)) {}
  void add_to(steno::Options& options, bool) const override { options.path = path_; }

 private:
  std::string path_;
};

using stdout_color_sink_mt = stdout_color_sink<std::mutex>;
using stdout_color_sink_st = stdout_color_sink<details::null_mutex>;
using stderr_color_sink_mt = stderr_color_sink<std::mutex>;
using stderr_color_sink_st = stderr_color_sink<details::null_mutex>;
using stdout_sink_mt = stdout_sink<std::mutex>;
using stdout_sink_st = stdout_sink<details::null_mutex>;
using stderr_sink_mt = stderr_sink<std::mutex>;
using stderr_sink_st = stderr_sink<details::null_mutex>;
using basic_file_sink_mt = basic_file_sink<std::mutex>;
using basic_file_sink_st = basic_file_sink<details::null_mutex>;
using rotating_file_sink_mt = rotating_file_sink<std::mutex>;
using rotating_file_sink_st = rotating_file_sink<details::null_mutex>;
using daily_file_sink_mt = daily_file_sink<std::mutex>;
using daily_file_sink_st = daily_file_sink<details::null_mutex>;
using callback_sink_mt = callback_sink<std::mutex>;
using callback_sink_st = callback_sink<details::null_mutex>;
using udp_sink_mt = udp_sink<std::mutex>;
using udp_sink_st = udp_sink<details::null_mutex>;
using null_sink_mt = null_sink<std::mutex>;
using null_sink_st = null_sink<details::null_mutex>;
using syslog_sink_mt = syslog_sink<std::mutex>;
using syslog_sink_st = syslog_sink<details::null_mutex>;

}  // namespace sinks

using sink_ptr = std::shared_ptr<sinks::sink>;
using sinks_init_list = std::initializer_list<sink_ptr>;
using err_handler = std::function<void(const std::string&)>;

// Time since it was made, as a number of seconds.
class stopwatch {
 public:
  std::chrono::duration<double> elapsed() const { return std::chrono::steady_clock::now() - start_; }
  std::chrono::milliseconds elapsed_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(elapsed());
  }
  void reset() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <class Range>
std::string to_hex(const Range& range, std::size_t = 32) {
  return steno::hex(&*std::begin(range), static_cast<std::size_t>(std::distance(std::begin(range), std::end(range))));
}
template <class It>
std::string to_hex(It begin, It end, std::size_t = 32) {
  return begin == end ? std::string() : steno::hex(&*begin, static_cast<std::size_t>(std::distance(begin, end)));
}

namespace details {

// Where a call is; nothing converts to it, which would take an argument for a file's name.
class call_place {
 public:
  static constexpr call_place current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                      const char* function = __builtin_FUNCTION()) {
    return call_place(file, line, function);
  }
  steno::Origin origin(steno::Level level) const { return {level, file_, static_cast<unsigned>(line_), function_}; }

 private:
  constexpr call_place(const char* file, int line, const char* function)
      : file_(file), line_(line), function_(function) {}

  const char* file_;
  int line_;
  const char* function_;
};

// A format and where the call is.
struct call_format {
  std::string_view text;
  steno::Origin origin;

  template <class T, class = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>>
  call_format(const T& format, const char* file = __builtin_FILE(), int line = __builtin_LINE(),  // NOLINT
              const char* function = __builtin_FUNCTION())
      : text(format), origin(steno::Level::kInfo, file, static_cast<unsigned>(line), function) {}
#if STENO_DETAIL_HAS_FMT
  call_format(decltype(fmt::runtime(std::string_view())) format, const char* file = __builtin_FILE(),  // NOLINT
              int line = __builtin_LINE(), const char* function = __builtin_FUNCTION())
      : text(format.str.data(), format.str.size()),
        origin(steno::Level::kInfo, file, static_cast<unsigned>(line), function) {}
#endif
};

// An argument as a statement takes it: what it does not take is formatted here.
template <class T>
decltype(auto) loggable(const T& value) {
  if constexpr (std::is_same_v<T, stopwatch>) {
    return value.elapsed().count();
  } else if constexpr (steno::detail::letter_of<steno::detail::Bare<T>>() != '?') {
    return (value);
#if STENO_DETAIL_HAS_FMT
  } else if constexpr (fmt::is_formattable<T>::value) {
    return fmt::format("{}", value);
#endif
  } else {
    return steno::formatted(value);
  }
}

inline steno::Origin origin_of(const source_loc& where, level::level_enum level) {
  return {level_of(level), where.filename != nullptr ? where.filename : "", static_cast<unsigned>(where.line),
          where.funcname != nullptr ? where.funcname : ""};
}

// A session for each combination of sinks, which ends with its last logger.
inline std::shared_ptr<steno::Session> session_of(const std::vector<sink_ptr>& sinks, bool named, bool is_default) {
  using Key = std::pair<std::vector<sink_ptr>, bool>;
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<steno::Session>> sessions;
  const std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<steno::Session>& known = sessions[{sinks, named}];
  if (auto session = known.lock()) return session;
  steno::Options options;
  options.level = steno::Level::kTrace;
  for (const sink_ptr& one : sinks) one->add_to(options, named);
  const char* const path = std::getenv("STENO_PATH");
  if (is_default && options.path.empty() && path != nullptr) options.path = path;
  if (options.sinks.empty() && options.path.empty()) return nullptr;
  auto opened = steno::Session::open(options);
  if (!opened.ok()) {
    std::fprintf(stderr, "steno: %s\n", opened.status().message().c_str());
    return nullptr;
  }
  auto session = std::make_shared<steno::Session>(std::move(opened).value());
  known = session;
  return session;
}

}  // namespace details

template <class...>
using format_string_t = details::call_format;

class logger {
 public:
  explicit logger(std::string name) : name_(std::move(name)) {}
  logger(std::string name, sink_ptr one) : name_(std::move(name)), sinks_{std::move(one)} {}
  logger(std::string name, sinks_init_list sinks) : name_(std::move(name)), sinks_(sinks) {}
  template <class It>
  logger(std::string name, It begin, It end) : name_(std::move(name)), sinks_(begin, end) {}
  virtual ~logger() = default;
  logger(const logger& other) : name_(other.name_), sinks_(other.sinks_), level_(other.level()) {}
  logger& operator=(const logger&) = delete;

  const std::string& name() const { return name_; }
  std::vector<sink_ptr>& sinks() { return sinks_; }
  const std::vector<sink_ptr>& sinks() const { return sinks_; }
  void set_level(level::level_enum level) { level_.store(level, std::memory_order_relaxed); }
  level::level_enum level() const { return static_cast<level::level_enum>(level_.load(std::memory_order_relaxed)); }
  bool should_log(level::level_enum level) const { return level >= level_.load(std::memory_order_relaxed); }
  bool should_backtrace() const { return false; }
  void flush_on(level::level_enum level) { flush_level_.store(level, std::memory_order_relaxed); }
  level::level_enum flush_level() const {
    return static_cast<level::level_enum>(flush_level_.load(std::memory_order_relaxed));
  }
  void flush() {
    if (is_open_.load(std::memory_order_acquire) && session_ != nullptr) (void)session_->flush();
  }
  void set_pattern(const std::string& pattern, pattern_time_type = pattern_time_type::local) {
    for (const sink_ptr& one : sinks_) one->set_pattern(pattern);
  }
  void set_formatter(std::unique_ptr<formatter> made) {
    for (const sink_ptr& one : sinks_) one->set_formatter(made->clone());
  }
  void set_error_handler(err_handler) {}
  void enable_backtrace(std::size_t) {}
  void disable_backtrace() {}
  void dump_backtrace() {}
  std::shared_ptr<logger> clone(std::string name) {
    auto made = std::make_shared<logger>(*this);
    made->name_ = std::move(name);
    return made;
  }

  template <class First, class... A>
  void log(source_loc where, level::level_enum level, details::call_format format, const First& first,
           const A&... args) {
    if (!should_log(level)) return;
    write(details::origin_of(where, level), format.text, details::loggable(first), details::loggable(args)...);
  }
  template <class T>
  void log(source_loc where, level::level_enum level, const T& message) {
    if (should_log(level)) write(details::origin_of(where, level), "{message}", details::loggable(message));
  }
  template <class First, class... A>
  void log(level::level_enum level, details::call_format format, const First& first, const A&... args) {
    if (!should_log(level)) return;
    format.origin.level = details::level_of(level);
    write(format.origin, format.text, details::loggable(first), details::loggable(args)...);
  }
  // A message as it is, whatever braces are in it.
  template <class T>
  void log(level::level_enum level, const T& message, details::call_place where = details::call_place::current()) {
    if (!should_log(level)) return;
    write(where.origin(details::level_of(level)), "{message}", details::loggable(message));
  }

#define STENO_DETAIL_SPDLOG_LEVEL(name)                                                     \
  template <class First, class... A>                                                        \
  void name(details::call_format format, const First& first, const A&... args) {            \
    log(level::name, format, first, args...);                                               \
  }                                                                                         \
  template <class T>                                                                        \
  void name(const T& message, details::call_place where = details::call_place::current()) { \
    log(level::name, message, where);                                                       \
  }
  STENO_DETAIL_SPDLOG_LEVEL(trace)
  STENO_DETAIL_SPDLOG_LEVEL(debug)
  STENO_DETAIL_SPDLOG_LEVEL(info)
  STENO_DETAIL_SPDLOG_LEVEL(warn)
  STENO_DETAIL_SPDLOG_LEVEL(critical)
#undef STENO_DETAIL_SPDLOG_LEVEL
  template <class First, class... A>
  void error(details::call_format format, const First& first, const A&... args) {
    log(level::err, format, first, args...);
  }
  template <class T>
  void error(const T& message, details::call_place where = details::call_place::current()) {
    log(level::err, message, where);
  }

 private:
  template <class... A>
  void write(const steno::Origin& origin, std::string_view format, const A&... args) {
    if (!is_open_.load(std::memory_order_acquire)) open();
    if (session_ == nullptr) return;
    steno::detail::log_braces(steno_, origin, format, args...);
    if (origin.level >= details::level_of(flush_level())) (void)session_->flush();
  }
  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_open_.load(std::memory_order_relaxed)) return;
    session_ = details::session_of(sinks_, !name_.empty(), name_.empty());
    if (session_ != nullptr) steno_ = session_->logger(name_);
    is_open_.store(true, std::memory_order_release);
  }

  std::string name_;
  std::vector<sink_ptr> sinks_;
  std::atomic<int> level_{level::info};
  std::atomic<int> flush_level_{level::off};
  std::mutex mutex_;
  std::atomic<bool> is_open_{false};
  std::shared_ptr<steno::Session> session_;
  steno::Logger steno_;
};

namespace details {

struct registry {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<logger>> loggers;
  std::shared_ptr<logger> main;
  level::level_enum level = level::info;
  std::unordered_map<std::string, level::level_enum> levels;  // of names
  level::level_enum flush_level = level::off;
  bool automatic = true;

  static registry& instance() {
    static registry one;
    return one;
  }
  registry() : main(std::make_shared<logger>("", std::make_shared<sinks::stdout_color_sink_mt>())) {
    loggers[""] = main;
  }

  void prepare(logger& made) {
    const auto own = levels.find(made.name());
    made.set_level(own != levels.end() ? own->second : level);
    made.flush_on(flush_level);
  }
  void add(const std::shared_ptr<logger>& made) {
    if (!loggers.emplace(made->name(), made).second)
      throw_spdlog_ex("logger with name '" + made->name() + "' already exists");
  }
  template <class Visit>
  void each(const Visit& visit) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [name, one] : loggers) visit(one);
  }
};

}  // namespace details

struct synchronous_factory {
  template <class Sink, class... Args>
  static std::shared_ptr<logger> create(std::string name, Args&&... args) {
    auto made = std::make_shared<logger>(std::move(name), std::make_shared<Sink>(std::forward<Args>(args)...));
    details::registry& all = details::registry::instance();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.prepare(*made);
    if (all.automatic) all.add(made);
    return made;
  }
};
// The same: no call waits for a sink.
using default_factory = synchronous_factory;
using async_factory = synchronous_factory;
using async_factory_nonblock = synchronous_factory;
using async_logger = logger;
struct thread_pool {};
inline void init_thread_pool(std::size_t, std::size_t) {}
inline std::shared_ptr<thread_pool> thread_pool_instance() {
  static const auto one = std::make_shared<thread_pool>();
  return one;
}

template <class Sink, class... Args>
std::shared_ptr<logger> create(std::string name, Args&&... args) {
  return synchronous_factory::create<Sink>(std::move(name), std::forward<Args>(args)...);
}
template <class Sink, class... Args>
std::shared_ptr<logger> create_async(std::string name, Args&&... args) {
  return create<Sink>(std::move(name), std::forward<Args>(args)...);
}

#define STENO_DETAIL_SPDLOG_MAKE(name, sink)                                                \
  template <class Factory = synchronous_factory, class... Args>                             \
  std::shared_ptr<logger> name(const std::string& logger_name, Args&&... args) {            \
    return Factory::template create<sinks::sink>(logger_name, std::forward<Args>(args)...); \
  }
STENO_DETAIL_SPDLOG_MAKE(stdout_color_mt, stdout_color_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(stdout_color_st, stdout_color_sink_st)
STENO_DETAIL_SPDLOG_MAKE(stderr_color_mt, stderr_color_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(stderr_color_st, stderr_color_sink_st)
STENO_DETAIL_SPDLOG_MAKE(stdout_logger_mt, stdout_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(stdout_logger_st, stdout_sink_st)
STENO_DETAIL_SPDLOG_MAKE(stderr_logger_mt, stderr_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(stderr_logger_st, stderr_sink_st)
STENO_DETAIL_SPDLOG_MAKE(basic_logger_mt, basic_file_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(basic_logger_st, basic_file_sink_st)
STENO_DETAIL_SPDLOG_MAKE(rotating_logger_mt, rotating_file_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(rotating_logger_st, rotating_file_sink_st)
STENO_DETAIL_SPDLOG_MAKE(daily_logger_mt, daily_file_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(daily_logger_st, daily_file_sink_st)
STENO_DETAIL_SPDLOG_MAKE(callback_logger_mt, callback_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(callback_logger_st, callback_sink_st)
STENO_DETAIL_SPDLOG_MAKE(syslog_logger_mt, syslog_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(syslog_logger_st, syslog_sink_st)
STENO_DETAIL_SPDLOG_MAKE(udp_logger_mt, udp_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(udp_logger_st, udp_sink_st)
STENO_DETAIL_SPDLOG_MAKE(null_logger_mt, null_sink_mt)
STENO_DETAIL_SPDLOG_MAKE(null_logger_st, null_sink_st)
STENO_DETAIL_SPDLOG_MAKE(steno_logger, steno_sink)
#undef STENO_DETAIL_SPDLOG_MAKE

inline std::shared_ptr<logger> get(const std::string& name) {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.loggers.find(name);
  return found != all.loggers.end() ? found->second : nullptr;
}
inline std::shared_ptr<logger> default_logger() {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.main;
}
// Not locked: set_default_logger() is not to be called while others log to it.
inline logger* default_logger_raw() {
  return details::registry::instance().main.get();
}
inline void set_default_logger(std::shared_ptr<logger> made) {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (made != nullptr) all.loggers[made->name()] = made;
  all.main = std::move(made);
}
inline void register_logger(std::shared_ptr<logger> made) {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.add(made);
}
inline void initialize_logger(std::shared_ptr<logger> made) {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.prepare(*made);
  all.add(made);
}
inline void set_automatic_registration(bool automatic) {
  details::registry::instance().automatic = automatic;
}
inline void drop(const std::string& name) {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.main != nullptr && all.main->name() == name) all.main.reset();
  all.loggers.erase(name);
}
inline void drop_all() {
  details::registry& all = details::registry::instance();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.main.reset();
  all.loggers.clear();
}
inline void shutdown() {
  drop_all();
}
inline void apply_all(const std::function<void(const std::shared_ptr<logger>)>& visit) {
  details::registry::instance().each(visit);
}
inline void set_level(level::level_enum level) {
  details::registry& all = details::registry::instance();
  all.each([&](const std::shared_ptr<logger>& one) { one->set_level(level); });
  all.level = level;
}
inline level::level_enum get_level() {
  return default_logger_raw()->level();
}
inline bool should_log(level::level_enum level) {
  return default_logger_raw()->should_log(level);
}
inline void flush_on(level::level_enum level) {
  details::registry& all = details::registry::instance();
  all.each([&](const std::shared_ptr<logger>& one) { one->flush_on(level); });
  all.flush_level = level;
}
// Sinks write by themselves, within 0.1 s.
template <class Rep, class Period>
void flush_every(std::chrono::duration<Rep, Period>) {}
inline void set_pattern(std::string pattern, pattern_time_type = pattern_time_type::local) {
  details::registry& all = details::registry::instance();
  all.each([&](const std::shared_ptr<logger>& one) { one->set_pattern(pattern); });
  details::global_pattern() = std::move(pattern);
}
inline void set_formatter(std::unique_ptr<formatter> made) {
  details::registry::instance().each([&](const std::shared_ptr<logger>& one) { one->set_formatter(made->clone()); });
}
inline void set_error_handler(err_handler) {}
inline void enable_backtrace(std::size_t) {}
inline void disable_backtrace() {}
inline void dump_backtrace() {}

namespace cfg {
// "info,net=debug".
inline void load_levels(const std::string& text) {
  details::registry& all = details::registry::instance();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string entry = text.substr(at, end - at);
    const std::size_t equals = entry.find('=');
    const std::string name = equals == std::string::npos ? "" : entry.substr(0, equals);
    const level::level_enum level = level::from_str(equals == std::string::npos ? entry : entry.substr(equals + 1));
    if (equals == std::string::npos) {
      set_level(level);
    } else {
      const std::lock_guard<std::mutex> lock(all.mutex);
      all.levels[name] = level;
      if (const auto known = all.loggers.find(name); known != all.loggers.end()) known->second->set_level(level);
    }
    at = end + 1;
  }
}
inline void load_env_levels(const char* variable = "SPDLOG_LEVEL") {
  if (const char* const text = std::getenv(variable)) load_levels(text);
}
}  // namespace cfg

template <class First, class... A>
void log(source_loc where, level::level_enum level, details::call_format format, const First& first, const A&... args) {
  default_logger_raw()->log(where, level, format, first, args...);
}
template <class T>
void log(source_loc where, level::level_enum level, const T& message) {
  default_logger_raw()->log(where, level, message);
}
template <class First, class... A>
void log(level::level_enum level, details::call_format format, const First& first, const A&... args) {
  default_logger_raw()->log(level, format, first, args...);
}
template <class T>
void log(level::level_enum level, const T& message, details::call_place where = details::call_place::current()) {
  default_logger_raw()->log(level, message, where);
}

#define STENO_DETAIL_SPDLOG_FUNCTION(name)                                                  \
  template <class First, class... A>                                                        \
  void name(details::call_format format, const First& first, const A&... args) {            \
    default_logger_raw()->name(format, first, args...);                                     \
  }                                                                                         \
  template <class T>                                                                        \
  void name(const T& message, details::call_place where = details::call_place::current()) { \
    default_logger_raw()->name(message, where);                                             \
  }
STENO_DETAIL_SPDLOG_FUNCTION(trace)
STENO_DETAIL_SPDLOG_FUNCTION(debug)
STENO_DETAIL_SPDLOG_FUNCTION(info)
STENO_DETAIL_SPDLOG_FUNCTION(warn)
STENO_DETAIL_SPDLOG_FUNCTION(error)
STENO_DETAIL_SPDLOG_FUNCTION(critical)
#undef STENO_DETAIL_SPDLOG_FUNCTION

}  // namespace spdlog

#define SPDLOG_LOGGER_CALL(logger, level, ...) \
  (logger)->log(::spdlog::source_loc{__FILE__, __LINE__, __func__}, level, __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_TRACE
#define SPDLOG_LOGGER_TRACE(logger, ...) SPDLOG_LOGGER_CALL(logger, ::spdlog::level::trace, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_TRACE(logger, ...) static_cast<void>(0)
#endif
#define SPDLOG_TRACE(...) SPDLOG_LOGGER_TRACE(::spdlog::default_logger_raw(), __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_DEBUG
#define SPDLOG_LOGGER_DEBUG(logger, ...) SPDLOG_LOGGER_CALL(logger, ::spdlog::level::debug, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_DEBUG(logger, ...) static_cast<void>(0)
#endif
#define SPDLOG_DEBUG(...) SPDLOG_LOGGER_DEBUG(::spdlog::default_logger_raw(), __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_INFO
#define SPDLOG_LOGGER_INFO(logger, ...) SPDLOG_LOGGER_CALL(logger, ::spdlog::level::info, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_INFO(logger, ...) static_cast<void>(0)
#endif
#define SPDLOG_INFO(...) SPDLOG_LOGGER_INFO(::spdlog::default_logger_raw(), __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_WARN
#define SPDLOG_LOGGER_WARN(logger, ...) SPDLOG_LOGGER_CALL(logger, ::spdlog::level::warn, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_WARN(logger, ...) static_cast<void>(0)
#endif
#define SPDLOG_WARN(...) SPDLOG_LOGGER_WARN(::spdlog::default_logger_raw(), __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_ERROR
#define SPDLOG_LOGGER_ERROR(logger, ...) SPDLOG_LOGGER_CALL(logger, ::spdlog::level::err, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_ERROR(logger, ...) static_cast<void>(0)
#endif
#define SPDLOG_ERROR(...) SPDLOG_LOGGER_ERROR(::spdlog::default_logger_raw(), __VA_ARGS__)

#if SPDLOG_ACTIVE_LEVEL <= SPDLOG_LEVEL_CRITICAL
#define SPDLOG_LOGGER_CRITICAL(logger, ...) SPDLOG_LOGGER_CALL(logger, ::spdlog::level::critical, __VA_ARGS__)
#else
#define SPDLOG_LOGGER_CRITICAL(logger, ...) static_cast<void>(0)
#endif
#define SPDLOG_CRITICAL(...) SPDLOG_LOGGER_CRITICAL(::spdlog::default_logger_raw(), __VA_ARGS__)
