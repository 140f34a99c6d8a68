// The directory that a log file is in, reached by a way that nobody else could have bent.
#pragma once

#include <sys/types.h>

#include <string>

#include "steno/status.h"

namespace steno::logfile {

// Resolves a path, following only trusted links. Opening `name()` in `directory_fd()` with `flags()` opens exactly the
// file that was found, not one that has replaced it since.
//
// A link is another's if it belongs neither to us nor to whom the directory belongs to. Where everybody may make files
// (/tmp) others' are not followed, as the kernel does where its fs.protected_symlinks is on. Root follows no link of
// another user anywhere, nor does a program with more rights than its caller: it would make files where that user
// cannot. Movable.
class LogPlace {
 public:
  // On failure, `*error` is the error number of the system call (the status then has no reason), or 0 if a link is not
  // trusted (the status names its owner).
  static Result<LogPlace> find(const std::string& path, int* error);

  LogPlace(LogPlace&& other) noexcept { *this = static_cast<LogPlace&&>(other); }
  LogPlace& operator=(LogPlace&& other) noexcept;
  ~LogPlace();

  int directory_fd() const { return fd_; }
  const std::string& name() const { return name_; }
  int flags() const { return flags_; }

  // Returns whether a file at this place that belongs to `user` may be one that we write to. Where everybody may make
  // files, only our own are, and those of the directory's owner.
  bool takes(uid_t user) const;

 private:
  friend class LinkWalk;
  LogPlace() = default;

  int fd_ = -1;
  std::string name_;
  int flags_ = 0;
};

}  // namespace steno::logfile
