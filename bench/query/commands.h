// Commands, timed from outside: start, work and end, as a user waits for them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

#include "common/harness.h"

namespace steno::bench {

// Seconds that `line` takes in a shell, the least of `rounds`; its output goes to `output` if that is not nullptr.
// Infinite if it fails.
double seconds_of(const std::string& line, int rounds, std::string* output = nullptr);
// Measures a tool on a part of the rows that steno reads, and returns its seconds for `factor` times as many. The time
// for `empty` is its start, which does not grow. `line` makes the command for a file.
double scaled_seconds(const std::function<std::string(const std::string&)>& line, const std::string& file,
                      const std::string& empty, double factor, int rounds);
// Seconds from the start of `line` to the first byte of its output, the least of `rounds`; the rest is not read.
double seconds_to_first_byte(const std::string& line, int rounds);
// Runs `work` in a process of its own, and ends the program if that fails. Logs are written so: while the process that
// logged lives, readers look into its staging too.
void in_child(const std::function<void()>& work);
// Returns whether there is such a command.
bool have(const std::string& command);
// Quotes a word for the shell.
std::string quoted(const std::string& word);

// parse_flags() with /dev/shm, where there is one, in place of the temporary directory: the logs are large, and the
// disk is not what is measured.
Flags parse_flags_in_memory(int argc, char** argv);

// Memory that a child shares, all zeros. Never given back. Ends the program where there is none.
void* shared_with_children(std::size_t bytes);

// in_child() with a result.
template <class T, class F>
T result_of_child(F&& work) {
  static_assert(std::is_trivially_copyable_v<T>);
  T* const result = static_cast<T*>(shared_with_children(sizeof(T)));
  in_child([&] { *result = work(); });
  return *result;
}

}  // namespace steno::bench
