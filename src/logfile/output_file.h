// The log file as the scribe writes it: whole blocks at the end, never a byte of others rewritten.
//
// When a write fails, the unwritten rest is kept, and retry() continues there: the file gets exactly the given bytes,
// in order, however often writes fail.
//
// A file that somebody makes shorter than what we wrote takes nothing more: what comes next would lie there without
// what is needed to read it. Every write looks for that, before and after, and is refused then, until the file is
// opened again. When the path comes to name another file (a rotation, a deletion), we do not notice by ourselves:
//
//   if (file.moved()) {  // which a truncated one is, too
//     OutputFile old;
//     if (Status status = file.reopen(&old); status.ok()) {
//       old.write(end block); old.sync();    // or, if old.stuck(): old.cut(id), and write those records again
//       file.write(session block); ...       // a new session: dictionaries start anew
//     }                                      // else all is as before: go on in the old file, try again later
//   }
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/file_identity.h"
#include "logfile/file_calls.h"
#include "ring/log_identity.h"
#include "steno/status.h"

namespace steno::logfile {

// Movable; a moved-from object is closed. Not thread-safe. Several processes may append to one file, each through its
// own OutputFile. Never raises SIGXFSZ: reaching RLIMIT_FSIZE is a failed write like any other.
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  // Makes the file, or opens it to append if it is a steno file of our version. Says precisely what is wrong otherwise.
  // Symbolic links are followed where others could not have put them (log_place.h); pipes and devices are taken as they
  // are.
  Status open(const std::string& path, unsigned mode);
  // Writes whole blocks, after the rest of an earlier failure. After a failure the rest is kept, and retry() continues
  // there. If another process appends in between, the interrupted blocks are torn: they are then written again as a
  // whole, and readers skip the torn part. kFailedPrecondition: truncated(); bytes that were written before that was
  // noticed have been turned into padding (file.md §1), unless that write failed too.
  Status write(const ByteBuffer& bytes);
  // Writes what failed writes left. Ok when nothing is left. Fails as write() does.
  Status retry();
  bool stuck() const { return !pending_.empty(); }
  // Gives up what failed writes left: for a file that moved() while stuck(), whose records will be written elsewhere.
  // The part of it that is in the file becomes padding of the session (file.md §1), in place, whether or not others
  // have written after it: the file is never made shorter, because between a look at its end and that somebody could
  // append. A part that is too short to be a block stays pending, with what makes it one. Best effort: where the system
  // refuses, or the file was truncated, the part stays, as a torn tail.
  void cut(std::uint64_t session_id);
  Status sync();
  void close();

  // True if the path no longer leads to what this object writes: it names another file or none, or the file has been
  // truncated below the last write. False for pipes and devices, and if the check fails (no search permission for the
  // directory, EIO). Costs two or three system calls. Requires is_open().
  bool moved() const;
  // Returns whether the file was made shorter than what we wrote, even if others have written there since. False for
  // pipes and devices, and while we have written nothing. Costs one system call, or two where others write to the file.
  // Requires is_open().
  bool truncated() const { return look_at_end() == End::kTruncated; }
  // Returns whether the file has no name any more: nobody will read it, and its space is free when it is closed.
  bool unlinked() const;
  // Returns whether both are the same file, as after a truncation.
  bool same_file(const OutputFile& other) const { return identity_.is_same_file(other.identity_); }
  // Returns whether the file has these bytes at `at`. Requires is_open(). Costs a system call for each 4096 of them.
  bool has(std::uint64_t at, const std::uint8_t* bytes, std::size_t size) const;
  // Opens the path again, as open() did, but accepts only a regular file. If that fails and the file was truncated,
  // starts again in the truncated file. Ok: this object is the new file, with bytes_written() 0, and *old is the former
  // one, still open, with its pending bytes. On failure nothing has changed, including *old. Requires is_open().
  Status reopen(OutputFile* old);

  bool is_open() const { return opened_.known(); }
  int descriptor() const { return fd_; }
  const std::string& path() const { return path_; }
  // Unknown for pipes and devices.
  const ring::LogIdentity& identity() const { return identity_; }
  // After the last byte that we wrote, or that we found; 0: the file has no positions (a pipe).
  std::uint64_t end() const { return end_; }
  // After the last byte that the file has now, whoever wrote it; 0: as end(). Costs a system call.
  std::uint64_t current_end() const;
  // Since open() or reopen(), by us.
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  enum class End { kOurs, kOthers, kTruncated, kLost };  // what lies after what we wrote last
  // The last blocks that we wrote as a whole.
  struct Last {
    std::uint64_t at = 0;
    std::size_t size = 0;                 // of their beginning; 0: there are none
    std::array<std::uint8_t, 16> head{};  // that
  };

  // Opens path_; `ours`: a file that needs no look at its start.
  Status open_path(bool regular_only, const OutputFile* ours);
  Status open_once(bool regular_only, struct stat* st);
  std::size_t write_once(const std::uint8_t* bytes, std::size_t size, Status* status);
  Status write_all(const std::uint8_t* bytes, std::size_t size);
  Status align();
  bool overwrite(std::uint64_t at, const std::uint8_t* bytes, std::size_t size) const;
  bool pad_over(std::uint64_t at, const std::uint8_t* bytes, std::size_t size, std::uint64_t session_id,
                ByteBuffer* padding) const;
  End look_at_end() const;
  bool has_last() const;
  Status refuse(std::uint64_t start, const std::uint8_t* bytes, std::size_t size);
  Status begin_in_same(const OutputFile& other);
  Status write_some(const ByteBuffer& bytes, std::size_t* done);
  Status take_back();

  std::string path_;
  unsigned mode_ = 0;
  int fd_ = -1;
  FileIdentity opened_;  // what fd_ led to: others may have closed it, and have its number by now
  bool regular_ = false;
  ring::LogIdentity identity_;
  std::uint64_t end_ = 0;   // after the last byte that we wrote, or that we found
  bool truncated_ = false;  // below that, meanwhile
  std::uint64_t bytes_written_ = 0;
  Last last_;
  ByteBuffer pending_;    // of writes that failed, from the start of the first of them; empty: nothing is left
  std::size_t done_ = 0;  // how much of it is out
};

}  // namespace steno::logfile
