// Messages that are made by streams (steno/glog.h).
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "steno/glog/log_sink.h"
#include "steno/glog/logging.h"
#include "steno/log.h"
#include "steno/stream.h"

#include "steno/detail/begin.h"

namespace google {
namespace detail {

// Logs a text as a message of one place, and shows it to sinks.
struct Write {
  void (*log)(std::string_view text);
  const char* file;
  int line;

  void operator()(LogSeverity severity, std::string_view text) const {
    logging().need();
    log(text);
    send_to_all(severity, file, line, text);
  }
};

inline bool is_on(LogSeverity severity) {
  return severity >= FLAGS_minloglevel || severity >= GLOG_FATAL;
}

[[noreturn]] inline void die(std::string_view text) {
  if (!steno::flush().ok()) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  if (void (*const fail)() = logging().fail.load()) fail();
  std::abort();
}

}  // namespace detail

// A message that is being made; logged when it goes.
class LogMessage {
 public:
  LogMessage(LogSeverity severity, detail::Write write) : severity_(severity), write_(write) {}
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage() {
    if (!detail::is_on(severity_)) return;
    const int error = errno;
    write_(severity_, stream_.text());
    errno = error;
  }
  std::ostream& stream() { return stream_; }

 protected:
  steno::StackStream<> stream_;

 private:
  const LogSeverity severity_;
  const detail::Write write_;
};

// The process ends when it goes.
class LogMessageFatal {
 public:
  explicit LogMessageFatal(detail::Write write, std::string_view begin = {}) : write_(write) { stream_ << begin; }
  LogMessageFatal(const LogMessageFatal&) = delete;
  LogMessageFatal& operator=(const LogMessageFatal&) = delete;
  [[noreturn]] ~LogMessageFatal() {
    write_(GLOG_FATAL, stream_.text());
    detail::die(stream_.text());
  }
  std::ostream& stream() { return stream_; }

 protected:
  steno::StackStream<> stream_;

 private:
  const detail::Write write_;
};

// One that goes to a place of the program's own, too: a sink, or a string. `log`: whether it is logged.
template <class Put>
class LogMessageTo {
 public:
  LogMessageTo(LogSeverity severity, detail::Write write, bool log, Put put)
      : severity_(severity), write_(write), log_(log), put_(std::move(put)) {}
  LogMessageTo(const LogMessageTo&) = delete;
  LogMessageTo& operator=(const LogMessageTo&) = delete;
  ~LogMessageTo() {
    if (!detail::is_on(severity_)) return;
    const int error = errno;
    if (log_) write_(severity_, stream_.text());
    put_(severity_, write_, stream_.text());
    if (severity_ >= GLOG_FATAL) detail::die(stream_.text());
    errno = error;
  }
  std::ostream& stream() { return stream_; }

 private:
  const LogSeverity severity_;
  const detail::Write write_;
  const bool log_;
  const Put put_;
  steno::StackStream<> stream_;
};

namespace detail {

inline auto to_sink(LogSink* sink) {
  return [sink](LogSeverity severity, const Write& write, std::string_view text) {
    if (sink != nullptr) send_to(*sink, severity, write.file, write.line, text);
  };
}
inline auto to_string(std::string* to) {
  return [to](LogSeverity, const Write&, std::string_view text) {
    if (to != nullptr) to->assign(text);
  };
}
inline auto to_list(std::vector<std::string>* to) {
  return [to](LogSeverity, const Write&, std::string_view text) {
    if (to != nullptr) to->emplace_back(text);
  };
}
template <class Put>
LogMessageTo<Put> message_to(LogSeverity severity, Write write, bool log, Put put) {
  return LogMessageTo<Put>(severity, write, log, std::move(put));
}

}  // namespace detail

inline std::string StrError(int error) {
  char buffer[256];
  return strerror_r(error, buffer, sizeof buffer);  // GNU's
}

namespace detail {

// With what errno says after the message.
template <class Message>
class WithErrno : public Message {
 public:
  template <class... A>
  explicit WithErrno(A&&... arguments) : Message(std::forward<A>(arguments)...), error_(errno) {}
  ~WithErrno() { this->stream_ << ": " << StrError(error_) << " [" << error_ << ']'; }

 private:
  const int error_;
};

}  // namespace detail

// Makes nothing of a stream.
struct LogMessageVoidify {
  void operator&(std::ostream&) {}
};

}  // namespace google

#include "steno/detail/end.h"
