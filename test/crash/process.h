// Processes that are to be killed, and what they say.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace steno::crash {

struct End {
  bool signalled = false;
  int code = -1;  // exit status, or the signal
  bool ok() const { return !signalled && code == 0; }
  bool killed() const;  // by SIGKILL
  std::string text() const;
};

// A child process. One that is not waited for is killed.
class Process {
 public:
  // `arguments` start with the program's path. Its output and errors go to `output`; `environment` (NAME=value) stands
  // before the caller's own. Throws std::runtime_error.
  Process(std::vector<std::string> arguments, std::vector<std::string> environment, const std::string& output);
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();

  pid_t pid() const { return pid_; }
  void kill();
  // Waits for its end; after `seconds` without one it is killed, and the End says so.
  End wait(int seconds = 30);

 private:
  pid_t pid_ = -1;
};

std::string read_text(const std::string& path);
// Sleeps; most calls wake within 100 µs of it.
void sleep_us(std::int64_t us);

}  // namespace steno::crash
