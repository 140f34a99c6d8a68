// Loggers (steno/spdlog.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "steno/detail/brace_call.h"
#include "steno/detail/fmt_argument.h"
#include "steno/log.h"
#include "steno/session.h"
#include "steno/spdlog/sinks.h"
#include "steno/std_types.h"

#include "steno/detail/begin.h"

namespace spdlog {

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

using call_place = steno::detail::CallPlace;
using call_format = steno::detail::CallFormat;

template <class T>
decltype(auto) loggable(const T& value) {
  if constexpr (std::is_same_v<T, stopwatch>) {
    return value.elapsed().count();
  } else {
    return steno::detail::as_argument(value);
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

}  // namespace spdlog

#include "steno/detail/end.h"
