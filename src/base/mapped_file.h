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
// open: a file that grows afterwards is seen as it was, one that is truncated afterwards raises SIGBUS when read.
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
  static Result<MappedFile> open(const std::string& path);

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  Status read_all(int fd, const std::string& path);
  void release();

  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
  std::unique_ptr<std::uint8_t[]> copy_;
};

}  // namespace steno
