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
// Differences (docs/moving.md)
//   - A logger's sinks, their levels and patterns are those when it logs first. Sinks wait for nobody: flush() does.
//   - Patterns are translated: %v %n %l %t %P %s %g %# %! %@ and text; times are steno's; alignment is ignored.
//   - Formats are those of statements (spec/types.md, "Text"). What does not fit its arguments is logged as it stands,
//   with these after it.
//   - No backtrace ring, no formatters of your own, no error handlers: calls are there and do nothing.
//   - Types that {fmt} formats are text, made in the call, where <fmt/format.h> is there.
#pragma once

#include "steno/spdlog/common.h"
#include "steno/spdlog/logger.h"
#include "steno/spdlog/pattern.h"
#include "steno/spdlog/registry.h"
#include "steno/spdlog/sinks.h"

namespace spdlog {

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
