// Logs that the query benchmarks ask, and the same rows as text.
#pragma once

#include <cstdint>
#include <string>

namespace steno::bench {

// Writes `messages` messages, of which `percent` in a hundred are "Hello World # {}" and the others "UnrelatedLog #{}",
// as in the paper's figure 7. The arguments are random, of 31 bits, unless `counting`: then they count up.
void write_hello_log(const std::string& path, std::size_t messages, unsigned percent, bool counting);

// Writes a log of mixed messages with strings, in which "xylophone" comes `rare` times as an argument.
void write_word_log(const std::string& path, std::size_t messages, std::size_t rare);

// What `steno cat --no-sort` prints of it, into a file. Runs the command. Returns its size; 0: it failed.
std::uint64_t write_text(const std::string& steno, const std::string& log, const std::string& text);

}  // namespace steno::bench
