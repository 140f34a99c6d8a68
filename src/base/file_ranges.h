// Ranges of bytes of a file, as a whole: calls that signals interrupt, or that do a part, go on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno {

// How many bytes came: fewer than `size` where the file ends, or cannot be read.
std::size_t read_up_to(int fd, std::uint64_t offset, std::size_t size, void* to);
// False: not all of them are there.
inline bool read_at(int fd, std::uint64_t offset, std::size_t size, void* to) {
  return read_up_to(fd, offset, size, to) == size;
}
// 0, or an error's number; a part may be written then.
int write_at(int fd, std::uint64_t offset, std::size_t size, const void* bytes);

}  // namespace steno
