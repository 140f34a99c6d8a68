// Log statements whose printf format is known only at run time, for wrappers that receive a format and its arguments,
// such as LevelDB's `Logger::Logv` or Redis's `serverLog`.
//
//   void Logv(const char* format, std::va_list arguments) override {
//     steno::vlogf(steno::Level::kInfo, format, arguments);
//   }
//
// If the format is a literal, use STENO_INFOF (log.h): it is checked at compile time and costs a quarter.
//
// Formats
//   - All formats of glibc's printf. A format is parsed at its first use and recognised by its text later (in whatever
//     buffer). From then on it is a statement like those of log.h: its arguments are columns of the log.
//   - A format that cannot be printed safely (an unknown conversion, %n, arguments skipped by %2$d) is logged as plain
//     text, without its arguments. As with printf, the caller must pass arguments that match the format.
//   - After more formats (and places) than set_most_formats() allows, which happens in programs that put data into
//     formats, further messages are formatted in the call and logged as text, after a warning. So are formats of more
//     than 4 KiB.
//
// Guarantees: those of log.h, except that the first use of a format (about a microsecond, an allocation, a lock) must
// not happen in a signal handler. errno is preserved. Cost: 25 to 45 ns more than statements of log.h; formatting in
// the call costs as much as vsnprintf. A disabled message costs a comparison with the format's text; to a logger, one
// load.
#pragma once

#include <cstdarg>
#include <cstddef>

#include "steno/detail/config.h"
#include "steno/level.h"
#include "steno/logger.h"

namespace steno {

// The level of a message and its place in the source. From a level alone: the place of the call.
struct Origin {
  Level level;
  const char* file;
  unsigned line;
  const char* function;

  // With only a level, the place is that of the call. Implicit, so that a level can be passed.
  constexpr Origin(Level level_, const char* file_ = __builtin_FILE(), unsigned line_ = __builtin_LINE(),
                   const char* function_ = __builtin_FUNCTION())
      : level(level_), file(file_), line(line_), function(function_) {}
};

// Logs the message to the default session's nameless logger. `format` must not be null. Thread-safe.
STENO_EXPORT void logf(Origin origin, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
STENO_EXPORT void vlogf(Origin origin, const char* format, std::va_list arguments) noexcept
    __attribute__((format(printf, 2, 0)));
// Logs the message to a logger, as logf() above does.
STENO_EXPORT void logf(Logger logger, Origin origin, const char* format, ...) noexcept
    __attribute__((format(printf, 3, 4)));
STENO_EXPORT void vlogf(Logger logger, Origin origin, const char* format, std::va_list arguments) noexcept
    __attribute__((format(printf, 3, 0)));

// How many formats may become statements in this process, each counted once per place and level. Existing ones stay.
// Default: 1,000. Thread-safe.
STENO_EXPORT void set_most_formats(std::size_t most);

}  // namespace steno
