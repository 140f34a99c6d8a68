// Levels and options (steno/quill.h).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steno/detail/fmt_argument.h"
#include "steno/level.h"

#include "steno/detail/begin.h"

#if STENO_DETAIL_HAS_FMT
namespace fmtquill = fmt;
#endif

namespace quill {

enum class LogLevel : std::uint8_t {
  TraceL3,
  TraceL2,
  TraceL1,
  Debug,
  Info,
  Notice,
  Warning,
  Error,
  Critical,
  Backtrace,
  None
};
inline constexpr std::size_t LogLevelCount = 11;

class QuillError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Timezone : std::uint8_t { LocalTime, GmtTime };
enum class ClockSourceType : std::uint8_t { Tsc, System, User };
enum class QueueType { UnboundedBlocking, UnboundedDropping, BoundedBlocking, BoundedDropping };
enum class HugePagesPolicy { Never, Always, Try };

namespace detail {

struct LevelName {
  const char* name;
  const char* code;
};
inline constexpr LevelName kLevelNames[] = {
    {"TRACE_L3", "T3"}, {"TRACE_L2", "T2"}, {"TRACE_L1", "T1"}, {"DEBUG", "D"},      {"INFO", "I"}, {"NOTICE", "N"},
    {"WARNING", "W"},   {"ERROR", "E"},     {"CRITICAL", "C"},  {"BACKTRACE", "BT"}, {"NONE", "_"},
};

// The backtrace is what is below all else (Recorder::below).
constexpr steno::Level level_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return steno::Level::kDebug;
    case LogLevel::Info:
      return steno::Level::kInfo;
    case LogLevel::Notice:
      return steno::Level::kNotice;
    case LogLevel::Warning:
      return steno::Level::kWarn;
    case LogLevel::Error:
      return steno::Level::kError;
    case LogLevel::Critical:
      return steno::Level::kCritical;
    case LogLevel::None:
      return steno::kLevelOff;
    default:
      return steno::Level::kTrace;
  }
}
constexpr LogLevel level_of(steno::Level level) {
  constexpr LogLevel kLevels[] = {LogLevel::TraceL1, LogLevel::Debug, LogLevel::Info,    LogLevel::Notice,
                                  LogLevel::Warning, LogLevel::Error, LogLevel::Critical};
  return level < steno::kLevelOff ? kLevels[static_cast<int>(level)] : LogLevel::None;
}

}  // namespace detail

inline std::string_view loglevel_to_string(LogLevel level) {
  return detail::kLevelNames[static_cast<std::size_t>(level)].name;
}
// "tracel3", "debug", "info" and so on. Throws QuillError.
inline LogLevel loglevel_from_string(std::string name) {
  constexpr const char* kNames[] = {"tracel3", "tracel2", "tracel1",  "debug",     "info", "notice",
                                    "warning", "error",   "critical", "backtrace", "none"};
  std::string small;
  for (const char c : name) {
    if (c != '_') small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (std::size_t i = 0; i < LogLevelCount; ++i) {
    if (small == kNames[i]) return static_cast<LogLevel>(i);
  }
  throw QuillError("no log level \"" + name + '"');
}

// The contents of a line. timestamp_pattern, the suffix and what is said of source locations are not asked.
class PatternFormatterOptions {
 public:
  static constexpr char NO_SUFFIX = static_cast<char>(-1);

  explicit PatternFormatterOptions(
      std::string pattern =
          "%(time) [%(thread_id)] %(short_source_location:<28) LOG_%(log_level:<9) %(logger:<12) "
          "%(message)%(mdc)",
      std::string time_pattern = "%H:%M:%S.%Qns", Timezone zone = Timezone::LocalTime, bool metadata = true,
      char suffix = '\n')
      : format_pattern(std::move(pattern)),
        timestamp_pattern(std::move(time_pattern)),
        timestamp_timezone(zone),
        add_metadata_to_multi_line_logs(metadata),
        pattern_suffix(suffix) {}

  bool operator==(const PatternFormatterOptions& other) const {
    return format_pattern == other.format_pattern && timestamp_timezone == other.timestamp_timezone;
  }
  bool operator!=(const PatternFormatterOptions& other) const { return !(*this == other); }
  bool operator<(const PatternFormatterOptions& other) const {
    return std::pair(format_pattern, timestamp_timezone) < std::pair(other.format_pattern, other.timestamp_timezone);
  }

  std::string format_pattern;
  std::string timestamp_pattern;
  std::string source_location_path_strip_prefix;
  std::string_view (*process_function_name)(const char*) = nullptr;
  Timezone timestamp_timezone;
  bool add_metadata_to_multi_line_logs;
  bool source_location_remove_relative_paths = false;
  char pattern_suffix;
};

// Two of these are asked: the first of cpu_affinity, where steno's scribes run, and error_notifier, which hears of
// warnings.
struct BackendOptions {
  std::string thread_name = "QuillBackend";
  bool enable_yield_when_idle = false;
  std::chrono::nanoseconds sleep_duration = std::chrono::microseconds{100};
  std::uint32_t transit_event_buffer_initial_capacity = 256;
  std::size_t transit_events_soft_limit = 8192;
  std::size_t transit_events_hard_limit = 65536;
  std::chrono::microseconds log_timestamp_ordering_grace_period{5};
  bool ensure_monotonic_output_timestamps = false;
  bool wait_for_queues_to_empty_before_exit = true;
  std::vector<std::uint16_t> cpu_affinity;
  std::function<void(const std::string&)> error_notifier;  // none: standard error
  std::function<void()> backend_worker_on_poll_begin;
  std::function<void()> backend_worker_on_poll_end;
  std::chrono::milliseconds rdtsc_resync_interval{500};
  std::chrono::milliseconds sink_min_flush_interval{200};
  std::function<bool(char)> check_printable_char;
  std::array<std::string, LogLevelCount> log_level_descriptions;
  std::array<std::string, LogLevelCount> log_level_short_codes;
  std::string mdc_format_pattern;
  bool check_backend_singleton_instance = true;
};

// A dropping queue drops what finds no room in a thread's ring, a bounded one has rings of initial_queue_capacity.
struct FrontendOptions {
  static constexpr QueueType queue_type = QueueType::UnboundedBlocking;
  static constexpr std::size_t initial_queue_capacity = 128u * 1024u;
  static constexpr std::uint32_t blocking_queue_retry_interval_ns = 800;
  static constexpr std::size_t unbounded_queue_max_capacity = 2ull * 1024u * 1024u * 1024u;
  static constexpr HugePagesPolicy huge_pages_policy = HugePagesPolicy::Never;
};

// With any, the log gets a crash record (steno/session.h) of a fault; signals that are none are left alone.
struct SignalHandlerOptions {
  std::vector<int> catchable_signals;
  std::uint32_t timeout_seconds = 20;
  std::string logger_name;
  std::vector<std::string> excluded_logger_substrings;
  LogLevel log_level = LogLevel::Critical;
};

// How values of a type are carried over to a backend thread: here they are formatted in the call.
template <class T, class = void>
struct Codec {};
template <class T>
struct DeferredFormatCodec {};
template <class T>
struct DirectFormatCodec {};

}  // namespace quill

#include "steno/detail/end.h"
