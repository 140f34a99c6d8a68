// Functions of the program that messages go to (steno/glog.h).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "steno/glog/logging.h"

#include "steno/detail/begin.h"

namespace google {

// When a message was logged.
struct LogMessageTime {
  LogMessageTime() : LogMessageTime(std::chrono::system_clock::now()) {}
  explicit LogMessageTime(std::chrono::system_clock::time_point now)
      : time_(std::chrono::system_clock::to_time_t(now)),
        usec_(static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
                               1'000'000)) {
    localtime_r(&time_, &tm_);
  }

  std::time_t timestamp() const { return time_; }
  int sec() const { return tm_.tm_sec; }
  int usec() const { return usec_; }
  int min() const { return tm_.tm_min; }
  int hour() const { return tm_.tm_hour; }
  int day() const { return tm_.tm_mday; }
  int month() const { return tm_.tm_mon; }
  int year() const { return tm_.tm_year; }
  int dayOfWeek() const { return tm_.tm_wday; }
  int dayInYear() const { return tm_.tm_yday; }
  int dst() const { return tm_.tm_isdst; }
  long gmtoff() const { return tm_.tm_gmtoff; }
  const std::tm& tm() const { return tm_; }

 private:
  std::time_t time_;
  int usec_;
  std::tm tm_{};
};

// Called by the thread that logs, in the call, after the message is in the log. `message` has no line end.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void send(LogSeverity severity, const char* full_filename, const char* base_filename, int line,
                    const LogMessageTime& time, const char* message, std::size_t message_len) {
    send(severity, full_filename, base_filename, line, &time.tm(), message, message_len);
  }
  // The send() of glog before 0.5.
  virtual void send(LogSeverity, const char*, const char*, int, const std::tm*, const char*, std::size_t) {}
  virtual void WaitTillSent() {}

  static std::string ToString(LogSeverity severity, const char* file, int line, const LogMessageTime& time,
                              const char* message, std::size_t message_len) {
    char begin[64];
    const int size =
        std::snprintf(begin, sizeof begin, "%c%04d%02d%02d %02d:%02d:%02d.%06d %5d ",
                      "IWEF"[std::clamp(severity, GLOG_INFO, GLOG_FATAL)], time.year() + 1900, time.month() + 1,
                      time.day(), time.hour(), time.min(), time.sec(), time.usec(), static_cast<int>(gettid()));
    return std::string(begin, static_cast<std::size_t>(size)) + file + ':' + std::to_string(line) + "] " +
           std::string(message, message_len);
  }
};

namespace detail {

// How many sends this thread is in: a sink may log.
inline thread_local int sending = 0;

class LogSinks {
 public:
  void add(LogSink* sink) {
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    sinks_.push_back(sink);
    count_.store(sinks_.size(), std::memory_order_relaxed);
  }
  // Returns when no other thread is in it.
  void remove(LogSink* sink) {
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    sinks_.erase(std::remove(sinks_.begin(), sinks_.end(), sink), sinks_.end());
    count_.store(sinks_.size(), std::memory_order_relaxed);
  }
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  template <class Call>
  void each(const Call& call) {
    std::shared_lock<std::shared_mutex> lock(mutex_, std::defer_lock);
    if (sending == 0) lock.lock();
    ++sending;
    for (std::size_t i = 0; i < sinks_.size(); ++i) call(*sinks_[i]);
    --sending;
  }

 private:
  std::shared_mutex mutex_;
  std::vector<LogSink*> sinks_;
  std::atomic<std::size_t> count_{0};
};
// Never destroyed: destructors may log.
inline LogSinks& log_sinks() {
  static auto* const one = new LogSinks;
  return *one;
}

inline void send_to(LogSink& sink, LogSeverity severity, const char* file, int line, std::string_view text) {
  const char* const slash = std::strrchr(file, '/');
  sink.send(severity, file, slash != nullptr ? slash + 1 : file, line, LogMessageTime(), text.data(), text.size());
  sink.WaitTillSent();
}
inline void send_to_all(LogSeverity severity, const char* file, int line, std::string_view text) {
  if (log_sinks().empty()) return;
  log_sinks().each([&](LogSink& sink) { send_to(sink, severity, file, line, text); });
}

}  // namespace detail

inline void AddLogSink(LogSink* sink) {
  detail::log_sinks().add(sink);
}
inline void RemoveLogSink(LogSink* sink) {
  detail::log_sinks().remove(sink);
}

}  // namespace google

#include "steno/detail/end.h"
