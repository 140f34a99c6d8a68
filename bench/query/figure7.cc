// The paper's figure 7: minimum, mean and maximum of the argument of "Hello World # {}" among many messages, at 100, 50,
// 10 and 1 % matching. Beside us awk, python and C++ with mmap and memmem on the text.
//
//   figure7 [--messages N] [--text-messages N] ...      defaults: 100 and 5 million
//
// Text takes long to make and to read, so it has fewer messages; its times are scaled to ours. (There is no DuckDB among
// Debian's packages, so it is not among the rows.)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include "common/harness.h"
#include "query/commands.h"
#include "query/logs.h"

namespace steno::bench {
namespace {

const std::string kSteno = STENO_BINARY;
constexpr const char* kStatement = "'Hello World # {}'";

struct Scale {
  std::size_t messages;
  std::size_t text_messages;
  int rounds;
};

// What a C++ program of one page does with the text.
double seconds_of_memmem(const std::string& path) {
  static constexpr char kPattern[] = "Hello World # ";
  const double begin = seconds_now();
  const int fd = ::open(path.c_str(), O_RDONLY);
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

class Figure {
 public:
  Figure(const Flags& flags, const Scale& scale) : directory_(flags.directory), scale_(scale) {
    const std::string size = std::to_string(scale.messages / 1'000'000) + " M messages";
    suites_ = {{"figure7", "Min, mean and max of `Hello World # {}` among " + size + ", by share that matches",
                "s", true, {}, {}},
               {"figure7_more", "Other questions about the same logs, one core", "s", true, {}, {}}};
  }

  std::vector<Suite> run() {
    std::printf("text tools read %zu messages; their times are scaled to %zu\n", scale_.text_messages, scale_.messages);
    for (const unsigned percent : {100u, 50u, 10u, 1u}) {
      const std::string column = std::to_string(percent) + " %";
      logs(percent, column);
      texts(percent, column);
    }
    bars();
    return suites_;
  }

 private:
  void note(std::size_t suite, const std::string& label, const std::string& column, double seconds) {
    auto& rows = suites_[suite].rows;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.label == label; });
    if (row == rows.end()) row = rows.insert(rows.end(), {label, {}});
    row->values.emplace_back(column, seconds);
    std::printf("%-44s %6s %10.4f s\n", label.c_str(), column.c_str(), seconds);
  }

  double agg(const std::string& path, const std::string& what) const {
    return seconds_of("'" + kSteno + "' agg '" + path + "' " + kStatement + " " + what, scale_.rounds);
  }

  void logs(unsigned percent, const std::string& column) {
    for (const bool counting : {true, false}) {
      const std::string path = directory_ + "/log.steno";
      write_hello_log(path, scale_.messages, percent, counting);
      const std::string kind = counting ? ", counting" : ", random";
      note(counting ? 0 : 1, "steno, one core" + kind, column, agg(path, "--op min,mean,max --jobs 1"));
      note(1, "count" + kind, column, agg(path, "--op count --jobs 1"));
      note(1, "p50,p99,p99.9" + kind, column, agg(path, "--op p50,p99,p99.9 --jobs 1"));
      const std::string where = counting ? std::to_string(scale_.messages / 3) : "700000000";
      note(1, "min,mean,max --where {0} > a third" + kind, column,
           agg(path, "--op min,mean,max --jobs 1 --where '{0} > " + where + "'"));
      if (counting) note(0, "steno, all cores", column, agg(path, "--op min,mean,max"));
      std::filesystem::remove(path);
    }
  }

  void texts(unsigned percent, const std::string& column) {
    const std::string log = directory_ + "/small.steno";
    const std::string text = directory_ + "/small.txt";
    write_hello_log(log, scale_.text_messages, percent, true);
    if (write_text(kSteno, log, text) == 0) return;
    const double factor = static_cast<double>(scale_.messages) / static_cast<double>(scale_.text_messages);
    note(0, "awk on the text", column,
         factor * seconds_of("awk '/Hello World # / { n = $NF; s += n; c++; if (c == 1 || n < l) l = n; if (n > g) g = n } "
                             "END { print l, s / c, g }' '" + text + "'", 1));
    note(0, "python on the text", column, factor * seconds_of("python3 -c '" + std::string(kPython) + "' '" + text + "'", 1));
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < scale_.rounds; ++round) best = std::min(best, seconds_of_memmem(text));
    note(0, "C++, mmap and memmem on the text", column, factor * best);
    std::filesystem::remove(log);
    std::filesystem::remove(text);
  }

  double value(std::size_t suite, const std::string& label, const std::string& column) const {
    for (const Row& row : suites_[suite].rows) {
      if (row.label != label) continue;
      for (const auto& [name, number] : row.values) {
        if (name == column) return number;
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  void bar(const std::string& metric, double value, double limit, bool at_most) {
    suites_[0].bars.push_back({metric, value, limit, at_most ? value <= limit : value >= limit});
  }

  void bars() {
    for (const char* column : {"100 %", "50 %", "10 %", "1 %"}) {
      const double ours = value(0, "steno, one core, counting", column);
      const std::string at = std::string(" at ") + column;
      bar("figure 7, s" + at, ours, 0.05, true);
      bar("percentiles, s" + at, value(1, "p50,p99,p99.9, counting", column), 0.2, true);
      bar("with --where, s" + at, value(1, "min,mean,max --where {0} > a third, counting", column), 0.2, true);
      bar("awk / steno" + at, value(0, "awk on the text", column) / ours, 100, false);
      bar("python / steno" + at, value(0, "python on the text", column) / ours, 100, false);
      bar("C++ with mmap and memmem / steno" + at, value(0, "C++, mmap and memmem on the text", column) / ours, 30, false);
    }
    bar("percentiles of random numbers, s at 100 %", value(1, "p50,p99,p99.9, random", "100 %"), 0.2, true);
    bar("--where on random numbers, s at 100 %", value(1, "min,mean,max --where {0} > a third, random", "100 %"), 0.2, true);
  }

  static constexpr const char* kPython =
      "import re, sys\n"
      "find = re.compile(rb\"Hello World # (\\d+)\")\n"
      "low, high, total, count = 1 << 62, -1, 0, 0\n"
      "for line in open(sys.argv[1], \"rb\"):\n"
      "    m = find.search(line)\n"
      "    if m:\n"
      "        n = int(m.group(1)); total += n; count += 1\n"
      "        low = min(low, n); high = max(high, n)\n"
      "print(low, total / count, high)\n";

  std::string directory_;
  Scale scale_;
  std::vector<Suite> suites_;
};

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;  // NOLINT: a program of one file
  Scale scale{take_number(&argc, argv, "--messages", 100'000'000), take_number(&argc, argv, "--text-messages", 5'000'000), 3};
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) scale = {20'000, 2'000, 1};
  return finish(flags, Figure(flags, scale).run());
}
