// Severities, flags, and the session of the process (steno/glog.h).
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "steno/log.h"
#include "steno/session.h"

#include "steno/detail/begin.h"

namespace google {
using LogSeverity = int;
}
const int GLOG_INFO = 0;
const int GLOG_WARNING = 1;
const int GLOG_ERROR = 2;
const int GLOG_FATAL = 3;
const int NUM_SEVERITIES = 4;

namespace google {

#ifndef GLOG_NO_ABBREVIATED_SEVERITIES
const int INFO = GLOG_INFO;
const int WARNING = GLOG_WARNING;
const int ERROR = GLOG_ERROR;
const int FATAL = GLOG_FATAL;
#endif

namespace detail {

// These return the value of an environment variable, GLOG_…, or `otherwise` if it is not set.
inline const char* text_from_environment(const char* name, const char* otherwise) {
  const char* const text = secure_getenv(name);
  return text != nullptr ? text : otherwise;
}
inline int number_from_environment(const char* name, int otherwise) {
  const char* const text = secure_getenv(name);
  return text != nullptr && *text != '\0' ? std::atoi(text) : otherwise;
}
inline bool is_set_in_environment(const char* name, bool otherwise) {
  const char* const text = secure_getenv(name);
  return text == nullptr ? otherwise : *text != '\0' && std::strchr("tTyY1", *text) != nullptr;
}

}  // namespace detail
}  // namespace google

// ---- Flags

// Plain variables. May be changed at any time; those about where lines go, before InitGoogleLogging().
inline bool FLAGS_logtostderr = google::detail::is_set_in_environment("GLOG_logtostderr", false);
inline bool FLAGS_alsologtostderr = google::detail::is_set_in_environment("GLOG_alsologtostderr", false);
inline bool FLAGS_colorlogtostderr = google::detail::is_set_in_environment("GLOG_colorlogtostderr", false);
inline int FLAGS_stderrthreshold = google::detail::number_from_environment("GLOG_stderrthreshold", GLOG_ERROR);
inline int FLAGS_minloglevel = google::detail::number_from_environment("GLOG_minloglevel", GLOG_INFO);
inline int FLAGS_v = google::detail::number_from_environment("GLOG_v", 0);
inline std::string FLAGS_log_dir = google::detail::text_from_environment("GLOG_log_dir", "");

namespace google {
namespace detail {

inline steno::Level level_of(LogSeverity severity) {
  constexpr steno::Level kLevels[] = {steno::Level::kInfo, steno::Level::kWarn, steno::Level::kError,
                                      steno::Level::kCritical};
  return severity < GLOG_INFO ? steno::Level::kInfo : severity > GLOG_FATAL ? steno::kLevelOff : kLevels[severity];
}

// The default session, as the flags want it.
class Logging {
 public:
  // Before a message: lines go to standard error if nobody has started anything.
  void need() {
    if (begun_.load(std::memory_order_acquire)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!begun_.load(std::memory_order_relaxed)) start({});
  }
  void init(const char* program) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const char* const slash = program != nullptr ? std::strrchr(program, '/') : nullptr;
    program_ = slash != nullptr ? slash + 1 : program != nullptr ? program : "unknown";
    initialized_ = true;
    restart();
  }
  bool is_initialized() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return initialized_;
  }
  void set_path(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    path_ = path;
    if (begun_.load(std::memory_order_relaxed)) restart();
  }
  void record_crashes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    crash_record_ = true;
    if (begun_.load(std::memory_order_relaxed)) restart();
  }
  // With the flags as they are now.
  void renew() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (begun_.load(std::memory_order_relaxed)) restart();
  }
  void shut_down() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (own_) steno::stop();
    own_ = initialized_ = false;
    begun_.store(false, std::memory_order_release);
  }

  std::atomic<void (*)()> fail{nullptr};  // what FATAL calls

 private:
  void restart() {
    if (own_) steno::stop();
    own_ = false;
    start(path());
  }

  std::string path() const {
    if (!initialized_ || FLAGS_logtostderr) return {};
    if (!path_.empty()) return path_;
    const std::string directory = !FLAGS_log_dir.empty() ? FLAGS_log_dir : text_from_environment("TMPDIR", "/tmp");
    return directory + "/" + program_ + ".steno";
  }

  void start(const std::string& path) {
    begun_.store(true, std::memory_order_release);
    steno::Options options;
    const char* const given = secure_getenv("STENO_PATH");
    options.path = given != nullptr && *given != '\0' ? given : path;
    options.crash_record = crash_record_;
    steno::SinkOptions console;
    console.console = steno::Console::kStderr;
    if (FLAGS_colorlogtostderr) console.colour = steno::Colour::kAlways;
    if (!options.path.empty() && !FLAGS_alsologtostderr && !FLAGS_logtostderr)
      console.level = level_of(FLAGS_stderrthreshold);
    options.sinks.push_back(std::move(console));
    const steno::Status status = steno::try_start(options);
    own_ = status.ok();
    if (!own_ && status.code() != steno::StatusCode::kFailedPrecondition)
      std::fprintf(stderr, "steno: %s\n", status.message().c_str());
  }

  std::mutex mutex_;
  std::atomic<bool> begun_{false};
  bool own_ = false;  // the session is ours to end
  bool initialized_ = false;
  bool crash_record_ = false;
  std::string program_ = "unknown";
  std::string path_;
};
// Never destroyed: destructors may log.
inline Logging& logging() {
  static auto* const one = new Logging;
  return *one;
}

}  // namespace detail
}  // namespace google

#include "steno/detail/end.h"
