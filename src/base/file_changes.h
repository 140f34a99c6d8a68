// Hears that a file has been written and closed, or that another has taken its place: from the kernel (inotify), of the
// directory that the file is in.
//
// For one thread, but for end(). Changes that come while nobody waits are heard by the next wait().
#pragma once

#include <chrono>
#include <string>

namespace steno {

class FileChanges {
 public:
  enum class Heard {
    kNothing,
    kDirectory,  // a file has been moved into the directory: what a link leads to may be another one now
    kFile,
  };

  // Watches the file at `path`, which need not be there; its directory must.
  explicit FileChanges(const std::string& path);
  ~FileChanges();
  FileChanges(const FileChanges&) = delete;
  FileChanges& operator=(const FileChanges&) = delete;

  // False: nothing can be heard, because the directory is not there (any more), the user has no inotify instance left,
  // or the program closed the descriptor.
  bool listening() const { return listening_; }
  // Returns when something has been heard and then nothing for 2 ms, at most 6 ms later; or after `most`.
  Heard wait(std::chrono::milliseconds most);
  // Lets a wait() return. Nothing is heard any more. From any thread.
  void end();

 private:
  Heard read_events();
  // False: the program closed the descriptor. Then nothing is heard any more.
  bool is_ours() const;

  const std::string name_;  // in its directory
  const int fd_;
  const int watch_;
  bool listening_;
};

}  // namespace steno
