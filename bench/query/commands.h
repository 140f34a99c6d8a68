// Commands, timed from outside: start, work and end, as a user waits for them.
#pragma once

#include <string>

namespace steno::bench {

// Seconds that `line` takes in a shell, the least of `rounds`; its output goes to `output` if that is not nullptr.
// Infinite if it fails.
double seconds_of(const std::string& line, int rounds, std::string* output = nullptr);
// Whether there is such a command.
bool have(const std::string& command);

// The value of `--NAME VALUE`, taken out of the arguments; `fallback` if it is not there.
std::size_t take_number(int* argc, char** argv, const char* name, std::size_t fallback);

}  // namespace steno::bench
