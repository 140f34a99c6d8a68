// The registry, and the functions that make loggers and set what all have (steno/spdlog.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "steno/spdlog/logger.h"

#include "steno/detail/begin.h"

namespace spdlog {

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
// All factories are this one: no call waits for a sink.
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

}  // namespace spdlog

#include "steno/detail/end.h"
