// NanoLog's interface over steno: programs written for NanoLog (Yang, Park and Ousterhout, USENIX ATC '18) compile with
// it unchanged, as C++17 and later.
//
//   #include <steno/nanolog.h>            // in place of "NanoLogCpp17.h" or "NanoLog.h"; or leave those lines as they
//                                         // are and compile with -I…/include/steno/compat, which has both
//   NanoLog::setLogFile("app.steno");
//   NANO_LOG(NOTICE, "took %0.2lf ms", ms);
//
// As with NanoLog, a program logs into "compressedLog" in its working directory until setLogFile() names another file,
// and DEBUG is off until setLogLevel(DEBUG). Differences:
//   - The file is steno's: `steno cat` prints it, no decompressor is built. A file of NanoLog's own is refused.
//   - A program that dies loses nothing that was logged, sync() or not.
//   - STENO_PATH, STENO_LEVEL and STENO_CONSOLE in the environment have their say (steno/session.h).
//   - In the log WARNING is WARN. Strings of any kind are arguments of %s, std::string too.
// The rest of <steno/session.h> goes together with this header: it is about the default session.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ios>
#include <mutex>
#include <string>

#include "steno/log.h"
#include "steno/session.h"

#include "steno/detail/begin.h"

// `severity`: DEBUG, NOTICE, WARNING or ERROR, or one of these as NanoLog::DEBUG or LogLevels::DEBUG. The format is a
// literal in printf syntax. A statement as STENO_LOGF is.
#define NANO_LOG(severity, ...) STENO_DETAIL_LOG(STENO_DETAIL_PRINTF, STENO_DETAIL_NANOLOG_##severity, __VA_ARGS__)

#define STENO_DETAIL_NANOLOG_DEBUG "DEBUG"
#define STENO_DETAIL_NANOLOG_NOTICE "NOTICE"
#define STENO_DETAIL_NANOLOG_WARNING "WARN"
#define STENO_DETAIL_NANOLOG_ERROR "ERROR"

// A name before `::` becomes one of these types.
struct STENO_DETAIL_NANOLOG_LogLevel {
  static constexpr const char* DEBUG = "DEBUG";
  static constexpr const char* NOTICE = "NOTICE";
  static constexpr const char* WARNING = "WARN";
  static constexpr const char* ERROR = "ERROR";
};
struct STENO_DETAIL_NANOLOG_LogLevels : STENO_DETAIL_NANOLOG_LogLevel {
  using LogLevel = STENO_DETAIL_NANOLOG_LogLevel;
};
struct STENO_DETAIL_NANOLOG_NanoLog : STENO_DETAIL_NANOLOG_LogLevels {
  using LogLevels = STENO_DETAIL_NANOLOG_LogLevels;
};

namespace NanoLog {

namespace LogLevels {
enum LogLevel { SILENT_LOG_LEVEL = 0, ERROR, WARNING, NOTICE, DEBUG, NUM_LOG_LEVELS };
}  // namespace LogLevels
using namespace LogLevels;

namespace detail {

// The default session, from before main on: nothing waits for a setLogFile() that may never come.
class LogFile {
 public:
  LogFile() {
    const char* const path = secure_getenv("STENO_PATH");
    path_ = path != nullptr && *path != '\0' ? path : "compressedLog";
    is_new_ = access(path_.c_str(), F_OK) != 0;
    steno::start(path_);
  }

  void change(const char* path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    (void)steno::flush();
    const bool unused = is_new_ && steno::stats().records == 0;
    steno::stop();
    const steno::Status status = begin(path);
    if (!status.ok()) {
      (void)begin(path_);  // as before
      throw std::ios_base::failure("steno: " + status.message());
    }
    if (unused && path_ != path) std::remove(path_.c_str());
    path_ = path;
    is_new_ = false;
  }

  std::string path() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return path_;
  }

 private:
  static steno::Status begin(const std::string& path) {
    steno::Options options;
    options.path = path;
    options.level = steno::level();
    return steno::try_start(options);
  }

  mutable std::mutex mutex_;
  std::string path_;
  bool is_new_ = false;  // made by us, and nothing was to be logged there yet
};
inline LogFile log_file;

// The processor on which a thread of this process ran last; -1 if there is none of the name.
inline int last_cpu_of(const char* thread_name) {
  int cpu = -1;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return cpu;
  while (const dirent* const task = readdir(tasks)) {
    std::FILE* const file = std::fopen((std::string("/proc/self/task/") + task->d_name + "/stat").c_str(), "r");
    if (file == nullptr) continue;
    char text[1024] = {};
    const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    // 2 (name) 3 …; the processor is the 39th field.
    const char* const name = std::strchr(text, '(');
    const char* at = std::strrchr(text, ')');
    if (size == 0 || name == nullptr || at == nullptr) continue;
    if (std::string(name + 1, at) != thread_name) continue;
    for (int field = 2; field < 39 && at != nullptr; ++field) at = std::strchr(at + 1, ' ');
    if (at != nullptr) cpu = std::atoi(at);
  }
  closedir(tasks);
  return cpu;
}

}  // namespace detail

// Makes what the calling thread needs to log, so that its first NANO_LOG costs what the others do.
inline void preallocate() {
  steno::prepare_thread();
}

// Messages that are logged from now on go into this file, which is appended to if it is a log of steno's. Throws
// std::ios_base::failure if that cannot be, and goes on in the file before. Waits until everything logged so far is
// written. Thread-safe.
inline void setLogFile(const char* filename) {
  detail::log_file.change(filename);
}

// Statements less severe are left out; SILENT_LOG_LEVEL: all are. Does what steno::set_level() does. Thread-safe.
inline void setLogLevel(LogLevel level) {
  steno::set_level(level <= SILENT_LOG_LEVEL ? steno::kLevelOff
                   : level == ERROR          ? steno::Level::kError
                   : level == WARNING        ? steno::Level::kWarn
                   : level == NOTICE         ? steno::Level::kNotice
                                             : steno::Level::kDebug);
}

inline LogLevel getLogLevel() {
  const steno::Level level = steno::level();
  return level == steno::kLevelOff       ? SILENT_LOG_LEVEL
         : level >= steno::Level::kError ? ERROR
         : level == steno::Level::kWarn  ? WARNING
         : level >= steno::Level::kInfo  ? NOTICE
                                         : DEBUG;
}

// Returns when everything logged before, by any thread, is in the file.
inline void sync() {
  (void)steno::flush();
}

// Returns what was logged so far, for people: a line a number.
inline std::string getStats() {
  const steno::Stats stats = steno::stats();
  const auto line = [](const char* what, unsigned long long value) {
    return std::string(what) + ": " + std::to_string(value) + "\n";
  };
  return line("records in the file", stats.records) + line("bytes in the file", stats.bytes) +
         line("blocks of data", stats.blocks) + line("records dropped by full buffers", stats.dropped) +
         line("bytes of buffers", stats.staging_bytes) + line("CPU time of the scribe in ns", stats.scribe_cpu_ns);
}

// Prints what the session was started with to standard output.
inline void printConfig() {
  const steno::Options options;
  std::printf("log file: %s\nlevel: %s\nbytes of a thread's buffer, at most: %zu\nbytes of all buffers, at most: %zu\n",
              detail::log_file.path().c_str(), steno::level_name(steno::level()), options.ring_bytes,
              options.staging_limit);
}

// The processor on which the thread that writes the file ran last; -1 if there is none.
inline int getCoreIdOfBackgroundThread() {
  return detail::last_cpu_of("steno-scribe");
}

}  // namespace NanoLog

#include "steno/detail/end.h"
