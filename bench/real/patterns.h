// Patterns that people look for in the log of the service, in that of the demo server and in lines of daemons: fifty
// each.
#pragma once

#include <string>
#include <vector>

namespace steno::bench {

struct Pattern {
  const char* kind;  // "a word in a format"
  std::string text;
  double bar = 1;  // how much faster than ripgrep on the text it is to be
  bool ignore_case = false;
};

// `messages` is a file with the messages of the log: texts that are there once are taken from it.
std::vector<Pattern> service_patterns(const std::string& messages);
std::vector<Pattern> demo_patterns(const std::string& messages);
std::vector<Pattern> lines_patterns(const std::string& messages);

}  // namespace steno::bench
