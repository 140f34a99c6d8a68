#include "query/commands.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "common/harness.h"

namespace steno::bench {

double seconds_of(const std::string& line, int rounds, std::string* output) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double begin = seconds_now();
    FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return std::numeric_limits<double>::infinity();
    std::string text;
    std::array<char, 4096> chunk{};
    while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe)) text.append(chunk.data(), n);
    if (::pclose(pipe) != 0) {
      std::fprintf(stderr, "failed: %s\n", line.c_str());
      return std::numeric_limits<double>::infinity();
    }
    best = std::min(best, seconds_now() - begin);
    if (output != nullptr) *output = text;
  }
  return best;
}

bool have(const std::string& command) {
  return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
}

std::size_t take_number(int* argc, char** argv, const char* name, std::size_t fallback) {
  for (int i = 1; i + 1 < *argc; ++i) {
    if (std::strcmp(argv[i], name) != 0) continue;
    const std::size_t value = std::strtoull(argv[i + 1], nullptr, 10);
    std::copy(argv + i + 2, argv + *argc, argv + i);
    *argc -= 2;
    return value != 0 ? value : fallback;
  }
  return fallback;
}

}  // namespace steno::bench
