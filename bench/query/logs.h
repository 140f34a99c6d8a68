// Logs that the query benchmarks ask, and the same rows as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace steno::bench {

// Arguments of 31 bits: they count up, or are random, or random of a few thousand.
enum class Numbers { kCounting, kRandom, kFew };

// Writes `messages` messages, of which `percent` in a hundred are "Hello World # {}" and the others "UnrelatedLog #{}",
// as in the paper's figure 7.
void write_hello_log(const std::string& path, std::size_t messages, unsigned percent, Numbers numbers);

// The place of the rare word: an argument among few that are repeated, so in dictionaries; an argument among texts that
// are all different; the format of a statement of its own.
enum class Place { kDictionary, kRaw, kFormat };
inline constexpr const char* kRareWord = "xylophone";

// Writes a log of mixed messages with strings, in which the word comes `rare` times.
void write_word_log(const std::string& path, std::size_t messages, std::size_t rare, Place place);

// Writes the output of `steno cat --no-sort` into a file. Runs the command. Returns its size; 0: it failed.
std::uint64_t write_text(const std::string& steno, const std::string& log, const std::string& text);

}  // namespace steno::bench
