#include "query/text_tools.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <limits>

#include "common/harness.h"
#include "query/commands.h"

namespace steno::bench {
namespace {

constexpr const char* kAwkProgram =
    "/Hello World # / { n = $NF; s += n; c++; if (c == 1 || n < l) l = n; if (n > g) g = n } END { if (c) print l, s / "
    "c, g }";

constexpr const char* kPythonProgram =
    "import re, sys\n"
    "find = re.compile(rb\"Hello World # (\\d+)\")\n"
    "low, high, total, count = 1 << 62, -1, 0, 0\n"
    "for line in open(sys.argv[1], \"rb\"):\n"
    "    m = find.search(line)\n"
    "    if m:\n"
    "        n = int(m.group(1)); total += n; count += 1\n"
    "        low = min(low, n); high = max(high, n)\n"
    "print(low, total / max(count, 1), high)\n";

// The whole program; there is no process to start.
double seconds_of_memmem(const std::string& path) {
  static constexpr char kPattern[] = "Hello World # ";
  const double begin = seconds_now();
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (fd < 0 || ::fstat(fd, &facts) != 0 || facts.st_size == 0) return std::numeric_limits<double>::infinity();
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  ::close(fd);
  if (mapped == MAP_FAILED) return std::numeric_limits<double>::infinity();
  const char* p = static_cast<const char*>(mapped);
  const char* const end = p + size;
  long least = LONG_MAX;
  long greatest = LONG_MIN;
  long sum = 0;
  long count = 0;
  while (const void* found = ::memmem(p, static_cast<std::size_t>(end - p), kPattern, sizeof kPattern - 1)) {
    p = static_cast<const char*>(found) + sizeof kPattern - 1;
    long value = 0;
    while (p < end && *p >= '0' && *p <= '9') value = value * 10 + (*p++ - '0');
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    sum += value;
    ++count;
  }
  const double seconds = seconds_now() - begin;
  ::munmap(mapped, size);
  asm volatile("" : : "r"(least), "r"(greatest), "r"(sum), "r"(count));
  return seconds;
}

// The whole file, to no use.
double seconds_of_reading(const std::string& path) {
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<char> piece(kPiece);
  const double begin = seconds_now();
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::numeric_limits<double>::infinity();
  while (::read(fd, piece.data(), piece.size()) > 0) forget_registers();
  ::close(fd);
  return seconds_now() - begin;
}

// The least of `rounds`.
double least_seconds(double (*seconds_of_one)(const std::string& path), const std::string& path, int rounds) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) best = std::min(best, seconds_of_one(path));
  return best;
}

}  // namespace

std::vector<std::pair<std::string, double>> ask_text_tools(const std::string& text, const std::string& empty,
                                                           double factor, int rounds) {
  std::vector<std::pair<std::string, double>> results;
  if (have("awk")) {
    const auto awk = [](const std::string& file) { return "awk " + quoted(kAwkProgram) + " " + quoted(file); };
    results.emplace_back(kAwk, scaled_seconds(awk, text, empty, factor, 1));
  }
  if (have("python3")) {
    const auto python = [](const std::string& file) {
      return "python3 -c " + quoted(kPythonProgram) + " " + quoted(file);
    };
    results.emplace_back(kPython, scaled_seconds(python, text, empty, factor, 1));
  }
  results.emplace_back(kMemmem, factor * least_seconds(seconds_of_memmem, text, rounds));
  results.emplace_back(kSimpleRead, factor * least_seconds(seconds_of_reading, text, rounds));
  if (have("rg")) {
    const auto rg = [](const std::string& file) { return "rg -c 'Hello World # ' " + quoted(file) + " || [ $? = 1 ]"; };
    results.emplace_back(kRipgrep, scaled_seconds(rg, text, empty, factor, rounds));
  } else {
    std::printf("ripgrep is not installed: its row is left out\n");
  }
  return results;
}

}  // namespace steno::bench
