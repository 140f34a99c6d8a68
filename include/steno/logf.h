// Log statements whose printf format is known only when they run: for wrappers that are handed a format and its
// arguments, as LevelDB's `Logger::Logv` or Redis's `serverLog` are.
//
//   void Logv(const char* format, std::va_list arguments) override {
//     steno::vlogf(steno::Level::kInfo, format, arguments);
//   }
//
// Where the format is a literal, STENO_INFOF (log.h) checks it when it is compiled, and costs a quarter.
//
// Formats
//   - What glibc's printf takes. A format is read when it comes for the first time, known again by its text (the buffer
//     may be another), and is from then on a statement like those of log.h: its arguments are columns of the log.
//   - What no printf could print safely is logged as it stands, without its arguments: an unknown conversion, %n,
//     arguments left out by %2$d. That the arguments are those of the format is the caller's business, as with printf.
//   - Of more formats (and places) than set_most_formats() says, which programs have that put data into them, the rest
//     is formatted in the call and logged as text, after a warning; so are formats of more than 4 KiB.
//
// Guarantees: those of log.h; but what a format costs when it comes first (about a microsecond, an allocation, a lock)
// is not for signal handlers. errno is left as it was. Cost: that of log.h's statements and 25 to 45 ns; formatting in
// the call costs what vsnprintf does. A message that is not enabled costs a comparison with the format's text, to a
// logger a load.
#pragma once

#include <cstdarg>
#include <cstddef>

#include "steno/detail/config.h"
#include "steno/level.h"
#include "steno/logger.h"

namespace steno {

// The level of a message, and where it comes from. A level alone: from where the call is written.
struct Origin {
  Level level;
  const char* file;
  unsigned line;
  const char* function;

  // Of the place where it is written, if only the level is given. Implicit, so that a level is one.
  constexpr Origin(Level level_, const char* file_ = __builtin_FILE(), unsigned line_ = __builtin_LINE(),  // NOLINT
                   const char* function_ = __builtin_FUNCTION())
      : level(level_), file(file_), line(line_), function(function_) {}
};

// Logs the message to the default session's nameless logger. `format` must not be null. Thread-safe.
STENO_EXPORT void logf(Origin origin, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
STENO_EXPORT void vlogf(Origin origin, const char* format, std::va_list arguments) noexcept
    __attribute__((format(printf, 2, 0)));
// The same to a logger.
STENO_EXPORT void logf(Logger logger, Origin origin, const char* format, ...) noexcept
    __attribute__((format(printf, 3, 4)));
STENO_EXPORT void vlogf(Logger logger, Origin origin, const char* format, std::va_list arguments) noexcept
    __attribute__((format(printf, 3, 0)));

// How many formats, each counted once for every place and level that it comes from, may become statements in this
// process; those that have stay. Default: 1,000. Thread-safe.
STENO_EXPORT void set_most_formats(std::size_t most);

}  // namespace steno
