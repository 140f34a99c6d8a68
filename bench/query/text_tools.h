// Measures awk, python, ripgrep and a C++ program of one page with figure 7's question on the text of a log, and
// reading the text.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace steno::bench {

// Each tool's name and seconds, for `factor` times the rows of the file; tools that are not installed are left out.
// `empty` is a file without a byte.
std::vector<std::pair<std::string, double>> ask_text_tools(const std::string& text, const std::string& empty,
                                                           double factor, int rounds);

inline constexpr const char* kAwk = "awk on the text";
inline constexpr const char* kPython = "python on the text";
inline constexpr const char* kMemmem = "C++, mmap and memmem on the text";
inline constexpr const char* kSimpleRead = "simple read of the text";
inline constexpr const char* kRipgrep = "ripgrep -c on the text (counts only)";

}  // namespace steno::bench
