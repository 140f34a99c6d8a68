// The bytes of a file, read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "steno/status.h"

namespace steno {

// Maps a regular file; reads anything else (pipe, terminal, "-" for standard input) into memory. The size is the one at
// open: a file that grows afterwards is seen as it was, one that is mapped and truncated afterwards raises SIGBUS when
// read.
// Movable; the bytes keep their address.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Errors name the path: kNotFound, kPermissionDenied, kInvalidArgument (a directory), kIoError.
  // Regular files of that many bytes and fewer are read into memory, too.
  static Result<MappedFile> open(const std::string& path, std::size_t read_up_to = 0);
  // Maps an open regular file that is not empty, at any offset; `path` for errors. `fd` stays the caller's.
  static Result<MappedFile> of(int fd, const std::string& path);

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  bool map(int fd, std::size_t size);
  Status read_all(int fd, const std::string& path);
  void release();

  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
  std::unique_ptr<std::uint8_t[]> copy_;
};

}  // namespace steno
