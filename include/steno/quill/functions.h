// Quill's functions, which log without macros: quill::info(logger, "took {} ms", ms). A format is looked up by its text
// in each call.
#pragma once

#include <string>
#include <string_view>

#include "steno/detail/fmt_argument.h"
#include "steno/quill/logger.h"

namespace quill {

// "#net #slow ", which goes before the message.
class Tags {
 public:
  template <class... Rest>
  explicit Tags(const char* first, Rest... rest) {
    add(first);
    (add(rest), ...);
  }
  const char* value() const { return text_.c_str(); }

 private:
  void add(const char* tag) { text_ += '#' + std::string(tag) + ' '; }
  std::string text_;
};

namespace detail {

template <class L, class... A>
void log_function(L* logger, LogLevel level, steno::detail::CallFormat format, const A&... args) {
  if (!logger->should_log_statement(level)) return;
  format.origin.level = level_of(level);
  logger->write_braces(format.origin, format.text, args...);
}
template <class L, class... A>
void log_function(L* logger, const Tags& tags, LogLevel level, const steno::detail::CallFormat& format,
                  const A&... args) {
  if (!logger->should_log_statement(level)) return;
  steno::Origin origin = format.origin;
  origin.level = level_of(level);
  logger->write_braces(origin, tags.value() + std::string(format.text), args...);
}

// LOG_DYNAMIC: of a level that is known when it runs.
template <class L, class... A>
void log_dynamic(L* logger, LogLevel level, const steno::detail::CallPlace& place, std::string_view format,
                 const A&... args) {
  if (logger->should_log_statement(level)) logger->write_braces(place.origin(level_of(level)), format, args...);
}

}  // namespace detail

#define STENO_DETAIL_QUILL_FUNCTION(name, level)                                                      \
  template <class L, class... A>                                                                      \
  void name(L* logger, steno::detail::CallFormat format, const A&... args) {                          \
    detail::log_function(logger, LogLevel::level, format, args...);                                   \
  }                                                                                                   \
  template <class L, class... A>                                                                      \
  void name(L* logger, const Tags& tags, const steno::detail::CallFormat& format, const A&... args) { \
    detail::log_function(logger, tags, LogLevel::level, format, args...);                             \
  }
STENO_DETAIL_QUILL_FUNCTION(tracel3, TraceL3)
STENO_DETAIL_QUILL_FUNCTION(tracel2, TraceL2)
STENO_DETAIL_QUILL_FUNCTION(tracel1, TraceL1)
STENO_DETAIL_QUILL_FUNCTION(debug, Debug)
STENO_DETAIL_QUILL_FUNCTION(info, Info)
STENO_DETAIL_QUILL_FUNCTION(notice, Notice)
STENO_DETAIL_QUILL_FUNCTION(warning, Warning)
STENO_DETAIL_QUILL_FUNCTION(error, Error)
STENO_DETAIL_QUILL_FUNCTION(critical, Critical)
STENO_DETAIL_QUILL_FUNCTION(backtrace, Backtrace)
#undef STENO_DETAIL_QUILL_FUNCTION

}  // namespace quill
