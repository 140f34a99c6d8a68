// Which file a descriptor led to when we opened it. Programs close descriptors that they do not know, and the next file
// that anybody opens gets the number: before it is used, it is asked whether it is still ours.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace steno {

class FileIdentity {
 public:
  FileIdentity() = default;
  // The identity of what `fd` leads to now; of nothing if that is no open descriptor. Costs a system call, as holds()
  // does.
  static FileIdentity of(int fd) {
    FileIdentity identity;
    struct stat st {};
    if (fd < 0 || fstat(fd, &st) != 0) return identity;
    identity.device_ = st.st_dev;
    identity.inode_ = st.st_ino;
    identity.known_ = true;
    return identity;
  }
  static FileIdentity of(const struct stat& st) {
    FileIdentity identity;
    identity.device_ = st.st_dev;
    identity.inode_ = st.st_ino;
    identity.known_ = true;
    return identity;
  }

  bool known() const { return known_; }
  bool is(const struct stat& st) const { return known_ && st.st_dev == device_ && st.st_ino == inode_; }
  // Returns whether `fd` leads to this file. False: it was closed, or is somebody else's by now. Then it is not to be
  // touched.
  bool holds(int fd) const {
    struct stat st {};
    return fd >= 0 && fstat(fd, &st) == 0 && is(st);
  }
  // Closes `fd`, unless it is somebody else's by now.
  void close(int fd) const {
    if (holds(fd)) ::close(fd);
  }

 private:
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool known_ = false;
};

}  // namespace steno
