// A named source of messages. Made by Session::logger() or steno::logger() (<steno/session.h>).
//
// Names are hierarchical: "net.http" is below "net". A logger has the level set for its name, by set_level() or a rule
// (steno::set_levels); else that of the nearest logger above it that has one; else its session's.
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

// A handle, as cheap to copy as a pointer. It never dangles: after the end of its session it refuses all records.
// Thread-safe. Default-constructed: the nameless logger of the default session.
class Logger {
 public:
  constexpr Logger() : state_(&detail::root_logger) {}
  // For steno itself.
  explicit constexpr Logger(detail::LoggerState* state) : state_(state) {}
  // From a logger of <steno/c.h>, the same thing in C; null: as default-constructed. Implicit, so that a statement
  // compiles in both languages.
  template <class T, class = std::enable_if_t<std::is_same_v<T, steno_logger>>>
  Logger(T* logger)
      : state_(logger != nullptr ? reinterpret_cast<detail::LoggerState*>(logger) : &detail::root_logger) {}

  // Returns whether a message of this level passes the threshold. Cost: one load. A rule for a file, line or text
  // overrides this for its statements.
  bool enabled(Level level) const {
    return static_cast<std::uint8_t>(level) >= __atomic_load_n(&state_->threshold, __ATOMIC_RELAXED);
  }
  // From now on messages below `level` are not logged; kLevelOff: none are. Same as the rule NAME=level: it also
  // applies to loggers below this one that have no level of their own. For the nameless logger it sets the session's
  // level. Thread-safe; takes effect at once; not for signal handlers. No effect after the session has ended.
  void set_level(Level level) { detail::set_logger_level(state_, level); }
  // The lowest level that is logged; kLevelOff: none. Cost: one load.
  Level level() const { return static_cast<Level>(__atomic_load_n(&state_->threshold, __ATOMIC_RELAXED)); }

  // False once its session has ended.
  bool is_open() const { return !__atomic_load_n(&state_->closed, __ATOMIC_RELAXED); }

  // For steno itself.
  const detail::LoggerState* state() const { return state_; }

 private:
  detail::LoggerState* state_;
};

}  // namespace steno
