// Marks who writes a file and who is about to rename it, by locks on bytes beyond the end of any file (file.md §14).
// The locks belong to the open file and end with it. On a file system without locks nobody is seen.
#pragma once

namespace steno::logfile {

// Says that this file is written to until it is closed. Requires that it is open for writing. False: it has no name any
// more, or somebody is removing it: what is written there is lost.
bool mark_written(int fd);
// Whether another open file holds the mark.
bool is_written_by_others(int fd);
// Where nobody does: nobody can any more, until it is closed. Requires that it is open for writing.
bool mark_removed(int fd);

// Marks as mark_removed() does, but is false also on a file system without locks, where nobody is seen.
bool mark_surely_removed(int fd);

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
