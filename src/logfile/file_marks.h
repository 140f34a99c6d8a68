// Marks who writes a file and who is about to rename it, by locks on bytes beyond the end of any file (file.md §14).
// The locks belong to the open file and end with it. A file system without locks shows nobody.
#pragma once

namespace steno::logfile {

// Says that this file is written to until it is closed. Requires that it is open for writing. False: it has no name any
// more, or somebody is removing it: what is written there is lost.
bool mark_written(int fd);
// Returns whether another open file holds the mark.
bool is_written_by_others(int fd);
enum class Writers {
  kNone,  // and nobody can become one any more, until the file is closed
  kSome,
  kUnknown,  // the file system has no locks, or they fail
};
// For who is about to remove the file. Requires that it is open for writing.
Writers mark_removed(int fd);

// The right to rename a file. At most one is held.
class RenameLock {
 public:
  explicit RenameLock(int fd);
  ~RenameLock();
  RenameLock(const RenameLock&) = delete;
  RenameLock& operator=(const RenameLock&) = delete;
  bool held() const { return held_; }

 private:
  const int fd_;
  bool held_ = false;
};

}  // namespace steno::logfile
