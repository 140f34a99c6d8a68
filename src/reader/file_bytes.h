// The bytes of a log file: mapped, or read by copy, for a file that somebody may cut short or change meanwhile; or
// those of a ByteSource.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "steno/byte_source.h"
#include "steno/status.h"

namespace steno::reader {

// The size is that at open. Mapped, it raises SIGBUS when the file has become shorter. By copy, small files are read
// whole at once; of larger ones a part is read when it is asked for, and keeps its address. Such a file keeps its
// descriptor; where few are left (of the process's soft limit), it is mapped.
//
// A source is like a file that is read by copy, but in smaller chunks, and reading can fail: failure().
class FileBytes {
 public:
  enum class Access { kMap, kCopy };
  // Unpacks what is compressed, and returns all else as it is. `path` is for errors.
  using Unpack = Result<MappedFile> (*)(const std::string& path, MappedFile packed);
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  FileBytes() = default;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  // Once. Errors as MappedFile::open, and as `unpack`, which only mapped files are given to.
  Status open(const std::string& path, Access access, Unpack unpack = nullptr);
  Status open(std::shared_ptr<ByteSource> source);
  // Goes on with a mapping. kExhausted: it has a source.
  Status map();

  // False: all bytes are there, and at() costs nothing.
  bool is_copied() const { return !copy_.empty(); }
  // Returns whether each read may be a round trip.
  bool is_remote() const { return source_ != nullptr && is_copied(); }
  std::size_t size() const { return all().size(); }
  // In a file that is read by copy, only what load() or at() were called for has its bytes.
  std::span<const std::uint8_t> all() const {
    return is_copied() ? copy_ : source_ != nullptr ? std::span(whole_) : mapped_.bytes();
  }

  // Requires a part of the file; what the file no longer has is zeros. Thread-safe.
  std::span<const std::uint8_t> at(std::uint64_t offset, std::uint64_t size) const {
    load(offset, size);
    return all().subspan(offset, size);
  }
  void load(std::uint64_t offset, std::uint64_t size) const {
    if (is_copied() && size != 0) load_chunks({{offset, size}});
  }
  // Loads several parts likewise, those of a source at once.
  void load(const std::vector<Piece>& pieces) const {
    if (is_copied()) load_chunks(pieces);
  }
  // Reads these parts anew. Fails if the file no longer has all of them. Thread-safe. Requires is_copied().
  Status read(std::span<const ByteSource::Range> ranges) const;
  // Gives back the memory of what lies in that part; not while others read it.
  void drop(std::uint64_t offset, std::uint64_t size);

  // Where the file ended when more was wanted; size(): it has not become shorter, as far as is known.
  std::uint64_t end_found() const { return end_found_.load(std::memory_order_relaxed); }
  // The first failure of load() or at() with a source; what they were called for may be zeros.
  Status failure() const;

 private:
  bool open_copy();
  bool reserve(std::uint64_t size, std::uint64_t chunk);
  void load_chunks(const std::vector<Piece>& pieces) const;
  void load_chunk(std::uint64_t chunk) const;
  std::vector<Piece> missing_chunks(const std::vector<Piece>& pieces) const;
  void fetch_chunks(const std::vector<Piece>& wanted) const;
  Status read_source(std::span<const ByteSource::Range> ranges) const;
  void release_copy();

  MappedFile mapped_;
  std::shared_ptr<ByteSource> source_;
  std::vector<std::uint8_t> whole_;  // a small source
  std::string path_;
  std::uint64_t chunk_ = 0;  // bytes that are read together
  int fd_ = -1;
  std::span<std::uint8_t> copy_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<std::atomic<bool>[]> loaded_;  // by chunk
  mutable std::atomic<std::uint64_t> end_found_{0};
  mutable Status failure_;  // guarded by mutex_
};

}  // namespace steno::reader
