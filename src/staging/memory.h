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

// Whether a ring may take `more` bytes of the file system that `fd` lies in.
bool leaves_room(int fd, std::uint64_t more);

// Has pages that are there mapped, so that stores into them do not fault; as far as the system can do that ahead.
void populate(std::byte* memory, std::size_t size);

}  // namespace steno::staging
