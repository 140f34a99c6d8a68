// A named source of messages. Made by Session::logger() or steno::logger() (<steno/session.h>).
//
// Names are hierarchical: "net.http" is below "net". A logger has the level that was given for its name, by set_level()
// or a rule (steno::set_levels), else that of the nearest one above it that was given one, else its session's.
#pragma once

#include <cstdint>
#include <type_traits>

#include "steno/detail/config.h"
#include "steno/level.h"

struct steno_logger;

namespace steno {

namespace detail {

struct LoggerState {
  std::uint8_t threshold;  // atomic by builtins
  bool closed;             // its session has ended; likewise
  std::uint16_t id;
  std::uint32_t slot;  // its session's
};

extern STENO_EXPORT LoggerState root_logger;  // of the default session, id 0

STENO_EXPORT STENO_COLD void set_logger_level(const LoggerState* logger, Level level);

}  // namespace detail

// A handle, as cheap to copy as a pointer. Never dangles: after its session ended it refuses everything.
// Thread-safe. Default-constructed: the default session's own, nameless logger.
class Logger {
 public:
  constexpr Logger() : state_(&detail::root_logger) {}
  // For steno itself.
  explicit constexpr Logger(detail::LoggerState* state) : state_(state) {}
  // One of <steno/c.h>, which is the same in C; null: as default-constructed. Implicit, so that one statement serves
  // both languages.
  template <class T, class = std::enable_if_t<std::is_same_v<T, steno_logger>>>
  Logger(T* logger)  // NOLINT
      : state_(logger != nullptr ? reinterpret_cast<detail::LoggerState*>(logger) : &detail::root_logger) {}

  // Whether a message of this level passes the threshold. One load. A rule for a file, a line or a text comes before
  // that, for the statements that it is about.
  bool enabled(Level level) const {
    return static_cast<std::uint8_t>(level) >= __atomic_load_n(&state_->threshold, __ATOMIC_RELAXED);
  }
  // Messages below `level` are not logged from now on; kLevelOff: none. It is the rule NAME=level: holds for the
  // loggers below it too, but those that were given one of their own. Of the nameless logger: the session's level.
  // Thread-safe, at once; not for signal handlers. Without effect once its session has ended.
  void set_level(Level level) { detail::set_logger_level(state_, level); }
  // The lowest level that is logged; kLevelOff: none is. One load.
  Level level() const { return static_cast<Level>(__atomic_load_n(&state_->threshold, __ATOMIC_RELAXED)); }

  // Whether its session has not ended.
  bool is_open() const { return !__atomic_load_n(&state_->closed, __ATOMIC_RELAXED); }

  // For steno itself.
  const detail::LoggerState* state() const { return state_; }

 private:
  detail::LoggerState* state_;
};

}  // namespace steno
