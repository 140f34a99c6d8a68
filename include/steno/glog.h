// glog's interface over steno: programs written for Google's glog compile with it, as C++17 and later.
//
//   #include <steno/glog.h>               // in place of <glog/logging.h>; or leave that line as it is and compile with
//                                         // -I…/include/steno/compat, which has it
//   google::InitGoogleLogging(argv[0]);
//   LOG(INFO) << "took " << ms << " ms";
//   CHECK_EQ(used, size) << "of " << name;
//
// LOG, LOG_IF, LOG_EVERY_N, LOG_IF_EVERY_N, LOG_FIRST_N, LOG_EVERY_T, VLOG with its kin and FLAGS_vmodule, PLOG,
// SYSLOG, RAW_LOG, DLOG; LogSink, LOG_TO_SINK, LOG_TO_STRING, LOG_STRING; containers in <<, for who includes
// stl_logging.h; CHECK, CHECK_EQ and so on, CHECK_NOTNULL, CHECK_STREQ, CHECK_NEAR, PCHECK, DCHECK; the flags in common
// use, as variables and from GLOG_… in the environment.
//
// Each place is a statement of steno's (its level and rules, file and line), whose message is one text made in the
// call. Where values are to be columns, STENO_INFO("took {ms} ms", ms) goes beside these.
//
// Differences (docs/moving.md)
//   - The log is one file of steno's, DIRECTORY/PROGRAM.steno (FLAGS_log_dir, else TMPDIR, else /tmp; or STENO_PATH),
//     from InitGoogleLogging() on; without that, lines on standard error. A session that the program has started itself
//     is used as it is.
//   - Lines on standard error are steno's, made by its thread; what is flushed, and what is FATAL, is there.
//   - WARNING is WARN in the log, FATAL is CRITICAL; VLOG is INFO, as in glog.
//   - LOG is evaluated whatever its level is, as in glog; VLOG, LOG_IF and so on are not.
//   - A LogSink is called after the message is in the log, by the thread that logs, whatever FLAGS_log_dir says.
//   - Prefixes of one's own are not there; flags are plain variables, not gflags'.
#pragma once

#include <strings.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "steno/glog/logging.h"
#include "steno/glog/message.h"
#include "steno/glog/vmodule.h"
#include "steno/limit.h"
#include "steno/log.h"
#include "steno/session.h"

namespace google {

// ---- Starting and ending

inline void InitGoogleLogging(const char* program) {
  detail::logging().init(program);
}
inline bool IsGoogleLoggingInitialized() {
  return detail::logging().is_initialized();
}
inline void ShutdownGoogleLogging() {
  detail::logging().shut_down();
}
inline void FlushLogFiles(LogSeverity) {
  (void)steno::flush();
}
inline void FlushLogFilesUnsafe(LogSeverity) {
  (void)steno::flush();
}
// The file of all severities: `base` with ".steno" after it. An empty name changes nothing.
inline void SetLogDestination(LogSeverity, const char* base) {
  std::string path = base != nullptr ? base : "";
  if (path.empty()) return;
  if (path.back() == '.') path.pop_back();
  detail::logging().set_path(path + ".steno");
}
inline void SetStderrLogging(LogSeverity least) {
  FLAGS_stderrthreshold = least;
  detail::logging().renew();
}
inline void LogToStderr() {
  FLAGS_logtostderr = true;
  detail::logging().renew();
}
// Crashes are in the log, with their stack: steno::Options::crash_record.
inline void InstallFailureSignalHandler() {
  detail::logging().record_crashes();
}
// Sets the function that FATAL calls in place of std::abort(). It must not return.
inline void InstallFailureFunction(void (*fail)()) {
  detail::logging().fail.store(fail);
}
inline const char* GetLogSeverityName(LogSeverity severity) {
  constexpr const char* kNames[] = {"INFO", "WARNING", "ERROR", "FATAL"};
  return severity >= GLOG_INFO && severity <= GLOG_FATAL ? kNames[severity] : "?";
}

// ---- Checks

namespace detail {

using Failure = std::unique_ptr<std::string>;  // what is said; nullptr: it holds

template <class T>
void print(std::ostream& out, const T& value) {
  if constexpr (std::is_null_pointer_v<T>) {
    out << "nullptr";
  } else if constexpr (std::is_enum_v<T>) {
    out << static_cast<long long>(value);
  } else {
    out << value;
  }
}

template <class A, class B>
Failure failure(const A& a, const B& b, const char* spelled) {
  steno::StackStream<> text;
  text << "Check failed: " << spelled << " (";
  print(text, a);
  text << " vs. ";
  print(text, b);
  text << ") ";
  return std::make_unique<std::string>(text.text());
}

#define STENO_DETAIL_GLOG_CHECK_FUNCTION(name, op)                        \
  template <class A, class B>                                             \
  Failure check_##name(const A& a, const B& b, const char* spelled) {     \
    return STENO_LIKELY(a op b) ? nullptr : failure(a, b, spelled);       \
  }                                                                       \
  /* Literals such as 0 and sizes are compared as numbers of one kind. */ \
  inline Failure check_##name(int a, int b, const char* spelled) {        \
    return STENO_LIKELY(a op b) ? nullptr : failure(a, b, spelled);       \
  }
STENO_DETAIL_GLOG_CHECK_FUNCTION(EQ, ==)
STENO_DETAIL_GLOG_CHECK_FUNCTION(NE, !=)
STENO_DETAIL_GLOG_CHECK_FUNCTION(LE, <=)
STENO_DETAIL_GLOG_CHECK_FUNCTION(LT, <)
STENO_DETAIL_GLOG_CHECK_FUNCTION(GE, >=)
STENO_DETAIL_GLOG_CHECK_FUNCTION(GT, >)

inline Failure check_text(const char* a, const char* b, bool same, bool cased, const char* spelled) {
  const bool equal = a == b || (a != nullptr && b != nullptr && (cased ? std::strcmp(a, b) : strcasecmp(a, b)) == 0);
  if (STENO_LIKELY(equal == same)) return nullptr;
  const auto shown = [](const char* text) { return text != nullptr ? text : ""; };
  return std::make_unique<std::string>(std::string(spelled) + " (" + shown(a) + " vs. " + shown(b) + ")");
}

}  // namespace detail

template <class T>
T CheckNotNull(detail::Write write, const char* spelled, T&& value) {
  if (STENO_UNLIKELY(value == nullptr)) (void)LogMessageFatal(write, spelled);
  return std::forward<T>(value);
}

// ---- Streams of statements that come too often

namespace detail {

// How often the statement of a LOG_EVERY_N has come.
inline thread_local long long occurrences = 0;

inline bool every_n(std::atomic<long long>& calls, long long n) {
  const long long call = calls.fetch_add(1, std::memory_order_relaxed);
  if (n > 1 && call % n != 0) return false;
  occurrences = call + 1;
  return true;
}
inline bool first_n(std::atomic<long long>& calls, long long n) {
  if (calls.load(std::memory_order_relaxed) >= n) return false;
  const long long call = calls.fetch_add(1, std::memory_order_relaxed);
  occurrences = call + 1;
  return call < n;
}
inline bool every_t(std::atomic<long long>& next, double seconds) {
  const long long now = steno::detail::limit_clock();
  long long due = next.load(std::memory_order_relaxed);
  return now >= due && next.compare_exchange_strong(due, now + static_cast<long long>(seconds * 1e9));
}

}  // namespace detail

enum PRIVATE_Counter { COUNTER };
inline std::ostream& operator<<(std::ostream& out, PRIVATE_Counter) {
  return out << detail::occurrences;
}

}  // namespace google

// A place's statement, as a function.
#define STENO_DETAIL_GLOG_WRITE(level)                                                                             \
  ::google::detail::Write {                                                                                        \
    [](::std::string_view steno_text_) { STENO_DETAIL_LOG(STENO_DETAIL_BRACE, level, "{message}", steno_text_); }, \
        __FILE__, __LINE__                                                                                         \
  }

// Messages by severity. `as`: what is made of their class.
#define STENO_DETAIL_GLOG_PLAIN(message) message
#define STENO_DETAIL_GLOG_WITH_ERRNO(message) ::google::detail::WithErrno<message>
#define STENO_DETAIL_GLOG_INFO(as) as(::google::LogMessage)(GLOG_INFO, STENO_DETAIL_GLOG_WRITE("INFO"))
#define STENO_DETAIL_GLOG_WARNING(as) as(::google::LogMessage)(GLOG_WARNING, STENO_DETAIL_GLOG_WRITE("WARN"))
#define STENO_DETAIL_GLOG_ERROR(as) as(::google::LogMessage)(GLOG_ERROR, STENO_DETAIL_GLOG_WRITE("ERROR"))
#define STENO_DETAIL_GLOG_FATAL(as) as(::google::LogMessageFatal)(STENO_DETAIL_GLOG_WRITE("CRITICAL"))
#ifdef NDEBUG
#define STENO_DETAIL_GLOG_DFATAL(as) STENO_DETAIL_GLOG_ERROR(as)
#else
#define STENO_DETAIL_GLOG_DFATAL(as) STENO_DETAIL_GLOG_FATAL(as)
#endif

#define STENO_DETAIL_GLOG_IF(condition, stream) \
  !(condition) ? static_cast<void>(0) : ::google::LogMessageVoidify() & stream
#define STENO_DETAIL_GLOG_STATE                      \
  (*[] {                                             \
    static ::std::atomic<long long> steno_state_{0}; \
    return &steno_state_;                            \
  }())

#define LOG(severity) STENO_DETAIL_GLOG_##severity(STENO_DETAIL_GLOG_PLAIN).stream()
#define PLOG(severity) STENO_DETAIL_GLOG_##severity(STENO_DETAIL_GLOG_WITH_ERRNO).stream()
#define SYSLOG(severity) LOG(severity)
// To a sink, or a string, or the end of a list of these, besides the log or in place of it.
#define STENO_DETAIL_GLOG_TO(severity, log, put) \
  ::google::detail::message_to(GLOG_##severity, STENO_DETAIL_GLOG_WRITE_##severity, log, put).stream()
#define STENO_DETAIL_GLOG_WRITE_INFO STENO_DETAIL_GLOG_WRITE("INFO")
#define STENO_DETAIL_GLOG_WRITE_WARNING STENO_DETAIL_GLOG_WRITE("WARN")
#define STENO_DETAIL_GLOG_WRITE_ERROR STENO_DETAIL_GLOG_WRITE("ERROR")
#define STENO_DETAIL_GLOG_WRITE_FATAL STENO_DETAIL_GLOG_WRITE("CRITICAL")
#define LOG_TO_SINK(sink, severity) STENO_DETAIL_GLOG_TO(severity, true, ::google::detail::to_sink(sink))
#define LOG_TO_SINK_BUT_NOT_TO_LOGFILE(sink, severity) \
  STENO_DETAIL_GLOG_TO(severity, false, ::google::detail::to_sink(sink))
#define LOG_TO_STRING(severity, string) STENO_DETAIL_GLOG_TO(severity, true, ::google::detail::to_string(string))
#define LOG_STRING(severity, list) STENO_DETAIL_GLOG_TO(severity, (list) == nullptr, ::google::detail::to_list(list))
#define LOG_IF(severity, condition) STENO_DETAIL_GLOG_IF(condition, LOG(severity))
#define PLOG_IF(severity, condition) STENO_DETAIL_GLOG_IF(condition, PLOG(severity))
#define SYSLOG_IF(severity, condition) LOG_IF(severity, condition)
#define LOG_EVERY_N(severity, n) LOG_IF(severity, ::google::detail::every_n(STENO_DETAIL_GLOG_STATE, n))
#define LOG_IF_EVERY_N(severity, condition, n) \
  LOG_IF(severity, (condition) && ::google::detail::every_n(STENO_DETAIL_GLOG_STATE, n))
#define PLOG_EVERY_N(severity, n) PLOG_IF(severity, ::google::detail::every_n(STENO_DETAIL_GLOG_STATE, n))
#define LOG_FIRST_N(severity, n) LOG_IF(severity, ::google::detail::first_n(STENO_DETAIL_GLOG_STATE, n))
#define LOG_EVERY_T(severity, seconds) LOG_IF(severity, ::google::detail::every_t(STENO_DETAIL_GLOG_STATE, seconds))
#define LOG_ASSERT(condition) LOG_IF(FATAL, !(condition)) << "Assert failed: " #condition
#define RAW_LOG(severity, ...) STENO_DETAIL_GLOG_RAW_##severity(__VA_ARGS__)
#define STENO_DETAIL_GLOG_RAW_INFO(...) STENO_INFOF(__VA_ARGS__)
#define STENO_DETAIL_GLOG_RAW_WARNING(...) STENO_WARNF(__VA_ARGS__)
#define STENO_DETAIL_GLOG_RAW_ERROR(...) STENO_ERRORF(__VA_ARGS__)
#define STENO_DETAIL_GLOG_RAW_FATAL(...)     \
  do {                                       \
    STENO_CRITICALF(__VA_ARGS__);            \
    ::google::detail::die("RAW_LOG(FATAL)"); \
  } while (false)

#define VLOG(level) LOG_IF(INFO, VLOG_IS_ON(level))
#define VLOG_IF(level, condition) LOG_IF(INFO, (condition) && VLOG_IS_ON(level))
#define VLOG_EVERY_N(level, n) LOG_IF_EVERY_N(INFO, VLOG_IS_ON(level), n)
#define VLOG_IF_EVERY_N(level, condition, n) LOG_IF_EVERY_N(INFO, (condition) && VLOG_IS_ON(level), n)

#define CHECK(condition)            \
  STENO_DETAIL_GLOG_IF(             \
      STENO_UNLIKELY(!(condition)), \
      ::google::LogMessageFatal(STENO_DETAIL_GLOG_WRITE("CRITICAL"), "Check failed: " #condition " ").stream())
#define PCHECK(condition) PLOG_IF(FATAL, STENO_UNLIKELY(!(condition))) << "Check failed: " #condition " "
#define STENO_DETAIL_GLOG_CHECK(failure)                           \
  while (const ::google::detail::Failure steno_failure_ = failure) \
  ::google::LogMessageFatal(STENO_DETAIL_GLOG_WRITE("CRITICAL"), *steno_failure_).stream()
#define STENO_DETAIL_GLOG_CHECK_OP(name, op, a, b) \
  STENO_DETAIL_GLOG_CHECK(::google::detail::check_##name(a, b, #a " " #op " " #b))
#define CHECK_EQ(a, b) STENO_DETAIL_GLOG_CHECK_OP(EQ, ==, a, b)
#define CHECK_NE(a, b) STENO_DETAIL_GLOG_CHECK_OP(NE, !=, a, b)
#define CHECK_LE(a, b) STENO_DETAIL_GLOG_CHECK_OP(LE, <=, a, b)
#define CHECK_LT(a, b) STENO_DETAIL_GLOG_CHECK_OP(LT, <, a, b)
#define CHECK_GE(a, b) STENO_DETAIL_GLOG_CHECK_OP(GE, >=, a, b)
#define CHECK_GT(a, b) STENO_DETAIL_GLOG_CHECK_OP(GT, >, a, b)
#define STENO_DETAIL_GLOG_CHECK_TEXT(name, a, b, op, same, cased) \
  STENO_DETAIL_GLOG_CHECK(::google::detail::check_text(a, b, same, cased, name " failed: " #a " " op " " #b))
#define CHECK_STREQ(a, b) STENO_DETAIL_GLOG_CHECK_TEXT("CHECK_STREQ", a, b, "==", true, true)
#define CHECK_STRNE(a, b) STENO_DETAIL_GLOG_CHECK_TEXT("CHECK_STRNE", a, b, "!=", false, true)
#define CHECK_STRCASEEQ(a, b) STENO_DETAIL_GLOG_CHECK_TEXT("CHECK_STRCASEEQ", a, b, "==", true, false)
#define CHECK_STRCASENE(a, b) STENO_DETAIL_GLOG_CHECK_TEXT("CHECK_STRCASENE", a, b, "!=", false, false)
#define CHECK_NOTNULL(value) \
  ::google::CheckNotNull(STENO_DETAIL_GLOG_WRITE("CRITICAL"), "'" #value "' Must be non NULL", (value))
#define CHECK_NEAR(a, b, margin)   \
  do {                             \
    CHECK_LE((a), (b) + (margin)); \
    CHECK_GE((a), (b) - (margin)); \
  } while (false)
#define CHECK_DOUBLE_EQ(a, b) CHECK_NEAR(a, b, 0.000000000000001L)
#define CHECK_INDEX(index, container) CHECK((index) < (container).size())
#define CHECK_BOUND(bound, container) CHECK((bound) <= (container).size())

// Those that begin with D are compiled and never run where NDEBUG is defined.
#ifdef NDEBUG
#define DLOG_IS_ON() false
#define STENO_DETAIL_GLOG_DEBUG(check) \
  while (false) check
#else
#define DLOG_IS_ON() true
#define STENO_DETAIL_GLOG_DEBUG(check) check
#endif
#define DLOG(severity) LOG_IF(severity, DLOG_IS_ON())
#define DVLOG(level) LOG_IF(INFO, DLOG_IS_ON() && VLOG_IS_ON(level))
#define DLOG_IF(severity, condition) LOG_IF(severity, DLOG_IS_ON() && (condition))
#define DLOG_EVERY_N(severity, n) LOG_IF_EVERY_N(severity, DLOG_IS_ON(), n)
#define DCHECK(condition) STENO_DETAIL_GLOG_DEBUG(CHECK(condition))
#define DCHECK_EQ(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_EQ(a, b))
#define DCHECK_NE(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_NE(a, b))
#define DCHECK_LE(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_LE(a, b))
#define DCHECK_LT(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_LT(a, b))
#define DCHECK_GE(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_GE(a, b))
#define DCHECK_GT(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_GT(a, b))
#define DCHECK_STREQ(a, b) STENO_DETAIL_GLOG_DEBUG(CHECK_STREQ(a, b))
#ifdef NDEBUG
#define DCHECK_NOTNULL(value) (value)
#else
#define DCHECK_NOTNULL(value) CHECK_NOTNULL(value)
#endif
