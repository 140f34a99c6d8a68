// The files and the memory of staging. The functions keep no state; several threads may be in them at once.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "steno/status.h"

namespace steno::staging {

// A status for an errno: kExhausted where room of some kind is missing, else kIoError.
Status failed(const std::string& what, int error);

// Modes are exact, whatever the umask is: if its own user could not open the staging, nobody could recover it.
bool set_mode(int fd, mode_t mode);

// A new file, for us alone. `access`: O_RDWR or O_WRONLY. -1 with errno.
int make_file(int directory_fd, const char* name, int access);

// Gives the first `size` bytes of a file their pages. An error number, or 0.
int allocate_pages(int fd, std::size_t size);

// `size` bytes of a file whose pages exist, mapped shared. The pages must exist: a store into a hole of a full tmpfs is
// SIGBUS. Addresses are there for `most` bytes; `populated` do not fault either. Closes the file.
Result<void*> map_pages(int fd, const char* name, std::size_t size, std::size_t most, std::size_t populated);
// A new file, likewise.
Result<void*> make_mapped(int directory_fd, const char* name, std::size_t size, std::size_t most,
                          std::size_t populated);
// Memory of no file, likewise.
Result<void*> make_private(std::size_t most, std::size_t populated);

// Returns whether a ring may take `more` bytes of the file system that `fd` lies in.
bool leaves_room(int fd, std::uint64_t more);

// The pages of this machine: 4, 16 or 64 KiB. Memory is taken, and given back, by whole ones.
std::size_t page_bytes();
// For tests: pages are of this size, a power of two, no less than they are; 0: as they are.
void assume_page_bytes(std::size_t bytes);
// The memory that `bytes` from the begin of a file or a mapping take.
std::uint64_t whole_pages(std::uint64_t bytes);

// Has pages that are there mapped, so that stores into them do not fault; as far as the system can do that ahead: those
// of bytes [begin, end) of a mapping.
void populate(std::byte* mapping, std::size_t begin, std::size_t end);
// Gives pages of private memory back: those that begin within bytes [begin, end) of a mapping, behind which nothing is
// used. Returns how many bytes; they are zeros if they are read again.
std::size_t give_back(std::byte* mapping, std::size_t begin, std::size_t end);

}  // namespace steno::staging
