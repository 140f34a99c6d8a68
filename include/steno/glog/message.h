// Messages that are made by streams (steno/glog.h).
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include "steno/glog/logging.h"
#include "steno/log.h"
#include "steno/stream.h"

namespace google {
namespace detail {

// Logs a text as a message of one place.
using Write = void (*)(std::string_view text);

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
    detail::logging().need();
    write_(stream_.text());
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
    detail::logging().need();
    write_(stream_.text());
    detail::die(stream_.text());
  }
  std::ostream& stream() { return stream_; }

 protected:
  steno::StackStream<> stream_;

 private:
  const detail::Write write_;
};

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
