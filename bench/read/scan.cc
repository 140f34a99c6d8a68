// `steno stat`, `verify` and `verify --content` on whole files, beside reading them: with `cat FILE >/dev/null`, and
// mapped into memory, a word after the other.
//
//   scan [--messages N] ...      default: 30 million messages of three random numbers, and twice as many with strings
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>

#include "common/harness.h"
#include "query/commands.h"
#include "query/logs.h"
#include "query/tables.h"

namespace steno::bench {
namespace {

const std::string kSteno = quoted(STENO_BINARY);
const std::string kCat = "cat FILE >/dev/null";
const std::string kMapped = "mapped, each word read once";

void write_noise(const std::string& path, std::size_t messages) {
  Options options;
  options.path = path;
  if (!steno::start(options)) std::exit(1);
  std::mt19937_64 random;
  for (std::size_t i = 0; i < messages; ++i) STENO_INFO("noise {} {} {}", random(), random(), random());
  steno::stop();
}

double mapped_seconds(const std::string& path, std::size_t size) {
  const double begin = seconds_now();
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = fd >= 0 ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (mapped == MAP_FAILED) return std::numeric_limits<double>::infinity();
  const auto* words = static_cast<const std::uint64_t*>(mapped);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size / sizeof *words; ++i) sum += words[i];
  asm volatile("" : : "r"(sum));
  ::munmap(mapped, size);
  ::close(fd);
  return seconds_now() - begin;
}

void scan(const std::string& path, const std::string& column, int rounds, Suite* suite) {
  const std::size_t size = std::filesystem::file_size(path);
  const double gigabytes = static_cast<double>(size) / 1e9;
  const std::string file = " " + quoted(path) + " > /dev/null";
  note(suite, kCat, column, gigabytes / seconds_of("cat" + file, rounds));
  double mapped = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) mapped = std::min(mapped, mapped_seconds(path, size));
  note(suite, kMapped, column, gigabytes / mapped);
  for (const std::string command : {"stat", "verify", "verify --content"}) {
    note(suite, "steno " + command, column, gigabytes / seconds_of(kSteno + " " + command + file, rounds));
  }
  note(suite, "the file, GB", column, gigabytes);
  for (const std::string command : {"stat", "verify"}) {
    at_least(suite, command + " / reading the mapped file, " + column,
             value_of(*suite, "steno " + command, column) / value_of(*suite, kMapped, column), 1);
  }
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t messages = take_number(&argc, argv, "--messages", 30'000'000);
  const Flags flags = parse_flags_in_memory(argc, argv);
  if (flags.smoke) messages = 20'000;
  const int rounds = flags.smoke ? 1 : 5;
  Suite suite{"scan", "Whole files, where everything is in the page cache", "GB/s", false, {}, {}};
  const std::string path = flags.directory + "/scan.steno";
  in_child([&] { write_noise(path, messages); });
  scan(path, "random numbers", rounds, &suite);
  std::filesystem::remove(path);
  in_child([&] { write_word_log(path, 2 * messages, 7, Place::kDictionary); });
  scan(path, "numbers and names", rounds, &suite);
  std::filesystem::remove(path);
  return finish(flags, {suite});
}
