// steno in C: the statements of <steno/log.h>, by the same names and in both syntaxes, and the functions of
// <steno/session.h> that start, stop and configure. C99 and C11, GCC and Clang. In C++ this header provides
// <steno/log.h> and these functions, so a C header that logs can be included from both.
//
//   steno_start("app.steno", NULL);                                  // STENO_PATH in the environment starts it too
//   STENO_INFO("filled {qty} @ {price:.2f} for {client}", qty, price, client);
//   STENO_INFOF("took %0.1lf ms, %d retries", ms, retries);
//   STENO_LOG_TO(logger, WARN, "…"), STENO_LOGF_TO(logger, WARN, "…"), STENO_LOG(NOTICE, "…"), STENO_LOGF(NOTICE, "…")
//   if (!STENO_TRY_INFO("paid {amount}", amount)) ++unlogged;        // each of them as an expression
//   steno_stop();                                                    // optional: done at exit
//
// Statements
//   - Guarantees and cost are those of <steno/log.h>: arguments are evaluated once, in order, and not at all where the
//     statement is disabled; nothing is allocated; what has been logged survives the process.
//   - printf formats are checked by the compiler (-Wformat). Formats in braces are checked when the program starts. A
//     wrong one, or a printf format that steno does not support, is logged as plain text, after a warning at its first
//     call (which must then not be in a signal handler).
//   - Up to 32 arguments: bool, char, integers (of 128 bits too), float, double, long double, pointers, strings that
//     end with a NUL, and in braces steno_text(pointer, size) and arrays of bytes (uint8_t[6], int8_t[2]), which print
//     as numbers; in C23 those are also what u8"text" is. A null string prints "(null)". In C 'x' and `true` have
//     type int, and print as numbers in braces; an enum prints as its number; a bit-field needs a cast.
//   - steno_secret(x) is a value that readers show as `[redacted]` by default (<steno/secret.h>). Only in braces; x is
//     a string, a steno_text, an integer of up to 64 bits (which prints as a number), a float or a double.
//   - These take about 30 ns more than other statements: %.*s and %.5s, %m, %p of a string, %ls.
//
// Functions are thread-safe and return nothing that must be freed. Errors are a code (0: none) and a sentence.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef STENO_MIN_LEVEL
// The lowest level that is compiled, as in steno/log.h.
#define STENO_MIN_LEVEL 0
#endif

#include "steno/c_error.h"
#include "steno/detail/c_record.h"
#ifdef __cplusplus
#include "steno/detail/c_text.h"
#include "steno/log.h"
#include "steno/secret.h"
#else
#include "steno/detail/c_statement.h"

// Without a name of a level that is expanded on the way: DEBUG may well be a macro.
#define STENO_LOG(level, ...) STENO_DETAIL_AT_##level(steno_do, steno_brace, false, NULL, __VA_ARGS__)
#define STENO_LOGF(level, ...) STENO_DETAIL_AT_##level(steno_do, steno_printf, false, NULL, __VA_ARGS__)
#define STENO_LOG_TO(logger, level, ...) STENO_DETAIL_AT_##level(steno_do, steno_brace, true, logger, __VA_ARGS__)
#define STENO_LOGF_TO(logger, level, ...) STENO_DETAIL_AT_##level(steno_do, steno_printf, true, logger, __VA_ARGS__)

// Expressions of type bool that say whether a record was accepted (<steno/log.h>).
#define STENO_TRY_LOG(level, ...) STENO_DETAIL_AT_##level(steno_try, steno_brace, false, NULL, __VA_ARGS__)
#define STENO_TRY_LOGF(level, ...) STENO_DETAIL_AT_##level(steno_try, steno_printf, false, NULL, __VA_ARGS__)
#define STENO_TRY_LOG_TO(logger, level, ...) STENO_DETAIL_AT_##level(steno_try, steno_brace, true, logger, __VA_ARGS__)
#define STENO_TRY_LOGF_TO(logger, level, ...) \
  STENO_DETAIL_AT_##level(steno_try, steno_printf, true, logger, __VA_ARGS__)

#define STENO_TRACE(...) STENO_LOG(TRACE, __VA_ARGS__)
#define STENO_DEBUG(...) STENO_LOG(DEBUG, __VA_ARGS__)
#define STENO_INFO(...) STENO_LOG(INFO, __VA_ARGS__)
#define STENO_NOTICE(...) STENO_LOG(NOTICE, __VA_ARGS__)
#define STENO_WARN(...) STENO_LOG(WARN, __VA_ARGS__)
#define STENO_ERROR(...) STENO_LOG(ERROR, __VA_ARGS__)
#define STENO_CRITICAL(...) STENO_LOG(CRITICAL, __VA_ARGS__)

#define STENO_TRACEF(...) STENO_LOGF(TRACE, __VA_ARGS__)
#define STENO_DEBUGF(...) STENO_LOGF(DEBUG, __VA_ARGS__)
#define STENO_INFOF(...) STENO_LOGF(INFO, __VA_ARGS__)
#define STENO_NOTICEF(...) STENO_LOGF(NOTICE, __VA_ARGS__)
#define STENO_WARNF(...) STENO_LOGF(WARN, __VA_ARGS__)
#define STENO_ERRORF(...) STENO_LOGF(ERROR, __VA_ARGS__)
#define STENO_CRITICALF(...) STENO_LOGF(CRITICAL, __VA_ARGS__)

#define STENO_TRY_TRACE(...) STENO_TRY_LOG(TRACE, __VA_ARGS__)
#define STENO_TRY_DEBUG(...) STENO_TRY_LOG(DEBUG, __VA_ARGS__)
#define STENO_TRY_INFO(...) STENO_TRY_LOG(INFO, __VA_ARGS__)
#define STENO_TRY_NOTICE(...) STENO_TRY_LOG(NOTICE, __VA_ARGS__)
#define STENO_TRY_WARN(...) STENO_TRY_LOG(WARN, __VA_ARGS__)
#define STENO_TRY_ERROR(...) STENO_TRY_LOG(ERROR, __VA_ARGS__)
#define STENO_TRY_CRITICAL(...) STENO_TRY_LOG(CRITICAL, __VA_ARGS__)

#define STENO_TRY_TRACEF(...) STENO_TRY_LOGF(TRACE, __VA_ARGS__)
#define STENO_TRY_DEBUGF(...) STENO_TRY_LOGF(DEBUG, __VA_ARGS__)
#define STENO_TRY_INFOF(...) STENO_TRY_LOGF(INFO, __VA_ARGS__)
#define STENO_TRY_NOTICEF(...) STENO_TRY_LOGF(NOTICE, __VA_ARGS__)
#define STENO_TRY_WARNF(...) STENO_TRY_LOGF(WARN, __VA_ARGS__)
#define STENO_TRY_ERRORF(...) STENO_TRY_LOGF(ERROR, __VA_ARGS__)
#define STENO_TRY_CRITICALF(...) STENO_TRY_LOGF(CRITICAL, __VA_ARGS__)

// A string of `size` bytes, for statements in braces.
STENO_DETAIL_INLINE struct steno_text steno_text(const char* data, size_t size) {
  const struct steno_text text = {data, size};
  return text;
}
#endif

// A secret, as an argument of a statement in braces.
#ifdef __cplusplus
#define steno_secret(x) ::steno::secret(x)
#else
#define steno_secret(x) STENO_DETAIL_SECRET(x)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// A logger, for statements: the C form of steno::Logger.
typedef struct steno_logger steno_logger;
// A session in addition to the default one: the C form of steno::Session.
typedef struct steno_session steno_session;

// The options of <steno/session.h>, where each is explained. STENO_OPTIONS(options) sets the defaults. `size` tells
// which fields the program knows, so that programs and libraries of different versions work together. A field that the
// library does not know must be 0, else starting fails with STENO_UNSUPPORTED.
typedef struct steno_options {
  size_t size;
  const char* path;
  steno_level level;
  size_t ring_bytes;
  bool drop_when_full;               // WhenFull::kDrop
  signed char drop_when_full_at[7];  // by level: 1 drops, 0 blocks, -1 as drop_when_full
  int64_t block_at_most_ms;          // -1: for ever
  int clock;                         // enum steno_clock
  uint64_t (*user_clock)(void);
  int64_t flush_interval_ms;
  steno_level flush_level;
  int sync;  // enum steno_sync
  steno_level sync_level;
  int64_t sync_interval_ms;
  int zstd_level;
  bool no_scribe_thread;  // call steno_poll() often
  int scribe_cpu;
  const char* staging_directory;
  unsigned file_mode;
  void (*on_warning)(void* context, const char* text);
  void* warning_context;
  bool do_not_keep_up;      // Options::keep_up is false
  bool external_scribe;     // Options::scribe is Scribe::kExternal
  size_t staging_limit;     // 0: the default
  int console;              // enum steno_console: also print lines there; without `path`, only there
  const char* levels;       // rules, as steno_set_levels(); NULL: none
  uint64_t rotate_bytes;    // Rotation::max_bytes
  const char* rotate_when;  // and the others of <steno/rotation.h>; NULL: the default
  bool rotate_local_time;
  bool rotate_on_start;
  const char* rotate_name;
  uint32_t rotate_keep;
  int64_t rotate_keep_for_s;
  uint64_t rotate_keep_bytes;
  const char* config;          // a configuration file (Options::config); NULL: STENO_CONFIG, or none
  bool stop_does_not_wait;     // Options::stop_waits is false
  bool crash_record;           // Options::crash_record
  int scribe_wait;             // enum steno_scribe_wait
  steno_level recorder_below;  // Recorder::below, and the others of <steno/recorder.h>; TRACE: no flight recorder
  size_t recorder_bytes;       // 0: the default
  steno_level recorder_trigger;
  uint64_t recorder_records;
  int64_t recorder_time_ms;
  int scribe_nice;
} steno_options;

// Clock of <steno/session.h>.
enum steno_clock { STENO_CLOCK_BEST = 0, STENO_CLOCK_WALL = 1, STENO_CLOCK_COARSE = 2, STENO_CLOCK_USER = 3 };
// Console of <steno/sink.h>.
enum steno_console { STENO_CONSOLE_NONE = 0, STENO_CONSOLE_STDERR = 1, STENO_CONSOLE_STDOUT = 2 };
// ScribeWait of <steno/session.h>.
enum steno_scribe_wait {
  STENO_SCRIBE_BLOCKS = 0,
  STENO_SCRIBE_SLEEPS = 1,
  STENO_SCRIBE_YIELDS = 2,
  STENO_SCRIBE_SPINS = 3
};
// Sync of <steno/session.h>.
enum steno_sync { STENO_SYNC_NEVER = 0, STENO_SYNC_EACH_BLOCK = 1, STENO_SYNC_ON_LEVEL = 2, STENO_SYNC_INTERVAL = 3 };

// Sets `options->size` to `size` and all fields within to their defaults.
STENO_EXPORT void steno_options_init(steno_options* options, size_t size);
#define STENO_OPTIONS(options) steno_options_init((options), sizeof(steno_options))

// Stats of <steno/session.h>, where each is explained.
typedef struct steno_stats {
  uint64_t records;
  uint64_t bytes;
  uint64_t blocks;
  uint64_t dropped;
  uint64_t scribe_cpu_ns;
  uint64_t quick_blocks;
  uint64_t staging_bytes;
  uint64_t stalls;
  uint64_t longest_stall_ns;
  uint64_t backlog_bytes;
  uint64_t most_backlog_bytes;
  uint64_t lag_ns;
  uint64_t longest_lag_ns;
  uint64_t discarded;
} steno_stats;

// Starts the default session, which serves statements that name no logger. `path` NULL: that of the options, or
// STENO_PATH; `options` NULL: the defaults. steno_start() also prints errors on stderr.
STENO_EXPORT steno_code steno_start(const char* path, const steno_options* options);
STENO_EXPORT steno_code steno_try_start(const char* path, const steno_options* options, steno_error* error);
// Returns when everything logged before, by any thread, is in the file; or why it cannot be written.
STENO_EXPORT steno_code steno_flush(steno_error* error);
// Does what steno_flush() does, and also writes the contents of the flight recorder (<steno/recorder.h>).
STENO_EXPORT steno_code steno_dump_recorder(steno_error* error);
// Does what steno_flush() does, and continues the log in a new file.
STENO_EXPORT steno_code steno_rotate(steno_error* error);
// Writes what is due, in a session without a scribe thread (Session::poll). True: there was something to do.
STENO_EXPORT bool steno_poll(void);
// Writes everything and an end mark, and closes the file. No effect if the session is not running.
STENO_EXPORT void steno_stop(void);
// The counters of the session. `size`: of *stats.
STENO_EXPORT void steno_get_stats(steno_stats* stats, size_t size);

// The level of the default session: of statements that name no logger, and of loggers without a level of their own.
// Takes effect at once.
STENO_EXPORT void steno_set_level(steno_level level);
STENO_EXPORT steno_level steno_get_level(void);
// Rules for loggers, files, lines and texts: "info,net.http=debug,storage.cc:120=trace,retry*=off". <steno/session.h>
// has their grammar and precedence. A malformed rule is ignored and is an error; the others hold.
STENO_EXPORT steno_code steno_set_levels(const char* rules, steno_error* error);
// "TRACE" … "CRITICAL", "OFF".
STENO_EXPORT const char* steno_level_name(steno_level level);

// A logger of the default session, the same for the same name. Until its level is set, it has that of the loggers above
// it ("net" is above "net.http"), or the session's. It never dangles. NULL in a statement:
// the default session's nameless one.
STENO_EXPORT steno_logger* steno_get_logger(const char* name);
// These do what Logger::set_level, Logger::level and Logger::enabled do.
STENO_EXPORT void steno_logger_set_level(steno_logger* logger, steno_level level);
STENO_EXPORT steno_level steno_logger_get_level(const steno_logger* logger);
STENO_EXPORT bool steno_logger_enabled(const steno_logger* logger, steno_level level);

// Opens a session in addition to the default one. NULL: it cannot be opened, and `error` says why.
// steno_session_close() stops and frees it; NULL is ignored.
STENO_EXPORT steno_session* steno_session_open(const char* path, const steno_options* options, steno_error* error);
// Does what steno_set_levels() does. Rules for loggers apply to this session, rules for statements to the process.
STENO_EXPORT steno_code steno_session_set_levels(steno_session* session, const char* rules, steno_error* error);
// The following functions are those of the default session without `session_` in the name.
STENO_EXPORT steno_logger* steno_session_logger(steno_session* session, const char* name);
STENO_EXPORT steno_code steno_session_flush(steno_session* session, steno_error* error);
STENO_EXPORT steno_code steno_session_dump_recorder(steno_session* session, steno_error* error);
STENO_EXPORT steno_code steno_session_rotate(steno_session* session, steno_error* error);
STENO_EXPORT bool steno_session_poll(steno_session* session);
STENO_EXPORT void steno_session_get_stats(const steno_session* session, steno_stats* stats, size_t size);
STENO_EXPORT steno_code steno_session_close(steno_session* session, steno_error* error);

// Names the calling thread in all logs from now on (up to 255 bytes).
STENO_EXPORT void steno_set_thread_name(const char* name);
// Gives the calling thread its ring now, so that its first log call costs the same as later ones.
STENO_EXPORT void steno_prepare_thread(void);

// Context: named values that are attached to all records of the calling thread, from the call until
// steno_context_clear(). <steno/context.h> has the limits; in C++ steno::ScopedContext does the same.
//
//   STENO_CONTEXT("request_id", id);                                       // until the end of the enclosing block
//   const steno_context_scope scope = steno_context_set("user", name);     // until
//   steno_context_clear(scope);
//
// In C both take a bool, an integer of up to 64 bits, a float, a double, a string or a steno_text; integers are stored
// with 64 bits. `name`: 1 to 63 characters, which must stay valid, as a literal does; strings are copied. A field that
// does not fit is ignored. Stored once per change. Not for signal handlers.
typedef struct steno_context_scope {
  unsigned before;  // number of fields before
} steno_context_scope;

// A field that is true or false, until steno_context_clear().
STENO_EXPORT steno_context_scope steno_context_set_bool(const char* name, bool value);
// An integer.
STENO_EXPORT steno_context_scope steno_context_set_integer(const char* name, int64_t value);
// One that is never negative.
STENO_EXPORT steno_context_scope steno_context_set_unsigned(const char* name, uint64_t value);
// A number with a fraction.
STENO_EXPORT steno_context_scope steno_context_set_real(const char* name, double value);
// A string that ends with a NUL; NULL: a null string.
STENO_EXPORT steno_context_scope steno_context_set_string(const char* name, const char* value);
// A string of `size` bytes; `data` NULL: a null string.
STENO_EXPORT steno_context_scope steno_context_set_bytes(const char* name, const char* data, size_t size);
// Removes the field that this call set, and all that the thread has set after it. Call in the same thread, inner scopes
// first.
STENO_EXPORT void steno_context_clear(steno_context_scope scope);

#ifndef __cplusplus
#include "steno/detail/c_context.h"
#define steno_context_set(name, value) STENO_DETAIL_CONTEXT_SETTER(value)((name), (value))
#define STENO_CONTEXT(name, value)                                     \
  const steno_context_scope STENO_DETAIL_CAT(steno_context_, __LINE__) \
      __attribute__((__cleanup__(steno_detail_end_context), __unused__)) = steno_context_set((name), (value))
#endif

// Formats known only at run time (<steno/logf.h>). `logger` NULL: the default session's nameless one.
//   steno_logf(STENO_LEVEL_INFO, format, …), steno_vlogf(STENO_LEVEL_INFO, format, arguments), and …_to(logger, …)
STENO_EXPORT void steno_logf_at(const steno_logger* logger, steno_level level, const char* file, unsigned line,
                                const char* function, const char* format, ...)
    __attribute__((__format__(__printf__, 6, 7)));
STENO_EXPORT void steno_vlogf_at(const steno_logger* logger, steno_level level, const char* file, unsigned line,
                                 const char* function, const char* format, va_list arguments)
    __attribute__((__format__(__printf__, 6, 0)));
// How many formats may become statements in this process, as set_most_formats() of <steno/logf.h>. Default: 1,000.
STENO_EXPORT void steno_set_most_formats(size_t most);
// These do what steno_logf_at() does, with the place of the call; those without a logger log to the default session's
// nameless one.
#define steno_logf(level, ...) steno_logf_at(NULL, (level), __FILE__, __LINE__, __func__, __VA_ARGS__)
#define steno_vlogf(level, format, arguments) \
  steno_vlogf_at(NULL, (level), __FILE__, __LINE__, __func__, (format), (arguments))
#define steno_logf_to(logger, level, ...) steno_logf_at((logger), (level), __FILE__, __LINE__, __func__, __VA_ARGS__)
#define steno_vlogf_to(logger, level, format, arguments) \
  steno_vlogf_at((logger), (level), __FILE__, __LINE__, __func__, (format), (arguments))

#ifdef __cplusplus
}
#endif
