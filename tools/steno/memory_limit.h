// How much memory the command may take.
#pragma once

#include <cstdint>
#include <string>

namespace steno::cli {

// From now on, what goes beyond three quarters of the machine's memory (or of the control group's) is std::bad_alloc,
// before the kernel ends this process, or another one, for it: a small hostile file can ask for any amount. 256 MiB are
// always allowed, and files that are mapped do not count. A limit that is set already (`ulimit -d`) stays as it is.
// Threads that start from now on have stacks of 2 MiB. Call once, before threads.
void limit_memory();

// What a block took is kept for the next one, up to 64 MiB: where each block's memory went back to the kernel, most of
// a short command's time went into pages that it hands out again, zeroed. Call once, before threads.
void keep_freed_memory();

// What a command may take for files of that many bytes, once they are open: so much for any, so much a byte, so much a
// thread. Records that repeat cost a file next to nothing, and some commands hold them all: ordinary logs of ordinary
// programs stay a factor of two and more below. `asked_for`: what the user has allowed on top (--memory). A limit of
// the user's own is left alone, and never more is allowed than by limit_memory().
inline constexpr std::uint64_t kMemoryOfAnyInput = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMemoryPerByte = 64;
inline constexpr std::uint64_t kMemoryPerThread = std::uint64_t{64} << 20;
void bound_memory(std::uint64_t input_bytes, std::uint64_t asked_for = 0);

// "out of memory: ...", with the limit and what takes less.
std::string out_of_memory_text();

}  // namespace steno::cli
