// The log file as the scribe writes it: whole blocks at the end, never a byte rewritten.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "steno/status.h"

namespace steno::scribe {

// Not thread-safe.
class OutputFile {
 public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Makes the file, or opens it to append if it is a steno file of our version. Says precisely what is wrong otherwise.
  Status open(const std::string& path, unsigned mode);
  // Writes all of it, behind what an earlier failure left. After a failure the rest is kept: retry() goes on where the
  // system stopped.
  Status write(const ByteBuffer& bytes);
  // Writes what a failed write left. Ok when nothing is left.
  Status retry();
  bool stuck() const { return done_ != pending_.size(); }
  Status sync();
  void close();

  bool is_open() const { return fd_ >= 0; }
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  Status write_some(const std::uint8_t* bytes, std::size_t size, std::size_t* done);

  std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_written_ = 0;
  ByteBuffer pending_;    // of a write that failed
  std::size_t done_ = 0;  // how much of it is out
};

}  // namespace steno::scribe
