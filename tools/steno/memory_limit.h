// How much memory the command may take.
#pragma once

#include <cstdint>
#include <string>

namespace steno::cli {

// From now on, allocating more than three quarters of the memory of the machine (or of the control group) throws
// std::bad_alloc. Without that, a small hostile file could ask for any amount, and the kernel would kill this process
// or another one. 256 MiB are always allowed, and mapped files do not count. A limit that the user has set (`ulimit
// -d`) is kept. Threads that start from now on have stacks of 2 MiB. Call once, before threads.
void limit_memory();

// Keeps up to 64 MiB of freed memory for the next block. If each block's memory were returned to the kernel, a short
// command would spend most of its time on fresh, zeroed pages. Call once, before threads start.
void keep_freed_memory();

// Sets the limit to what a command should need for files of that many bytes, once they are open: a fixed amount, and
// some for each byte and each thread. Ordinary logs need less than half of it. A limit is needed because repeated
// records take next to nothing in a file, while some commands keep all of them in memory. `asked_for`: what the user
// allows on top
// (--memory). A limit that the user has set is kept, and the one of limit_memory() is never exceeded.
inline constexpr std::uint64_t kMemoryOfAnyInput = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMemoryPerByte = 64;
inline constexpr std::uint64_t kMemoryPerThread = std::uint64_t{64} << 20;
void bound_memory(std::uint64_t input_bytes, std::uint64_t asked_for = 0);
// Undoes that: while more files are opened, only the limit of limit_memory() holds.
void unbound_memory();

// The memory that a command may take: three quarters of the memory of the machine or its control group, at least 256
// MiB.
std::uint64_t memory_of_machine();

// "out of memory: ...", with the limit and what takes less.
std::string out_of_memory_text();

}  // namespace steno::cli
