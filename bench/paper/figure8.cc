// The paper's figure 8: 2^27 static messages by 1 to 16 threads, until all of them are written: by the whole system,
// with /dev/null in place of the file, with the bytes of the rings as they are in place of blocks, and with both.
//
//   figure8 [--messages N] [--rounds N] ...      defaults: 134,217,728, the median of 3 rounds
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/harness.h"
#include "common/ring_consumer.h"
#include "paper/throughput.h"
#include "query/commands.h"
#include "query/tables.h"

namespace steno::bench {
namespace {

constexpr unsigned kThreads[] = {1, 2, 3, 4, 6, 8, 12, 16};

struct System {
  const char* name;
  bool output;
  bool compact;
};
constexpr System kSystems[] = {{"steno, full system", true, true},
                               {"steno, no output", false, true},
                               {"steno, no compaction", true, false},
                               {"steno, neither", false, false}};

struct Found {
  double million_per_second;
  double bytes;  // a message
};

void log_static(std::size_t times) {
  for (std::size_t i = 0; i < times; ++i) STENO_INFO("Starting backup replica garbage collector thread");
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "figure8: %s\n", what.c_str());
  std::exit(1);
}

Found by_scribe(const std::string& path, std::size_t messages, unsigned threads) {
  if (!steno::start({.path = path, .scribe_cpu = cpu(1)})) fail("cannot log to " + path);
  const double rate = threads_rate(
      messages, threads, [] { prepare_thread(); }, log_static,
      [] {
        if (const Status flushed = steno::flush(); !flushed.ok()) fail(flushed.message());
      });
  const Stats stats = steno::stats();
  steno::stop();
  if (stats.dropped != 0) fail("records were dropped");
  return {rate, static_cast<double>(stats.bytes) / static_cast<double>(messages)};
}

// The scribe's place, and its CPU, are taken by a thread that only copies. It spins where there is nothing to copy.
Found by_copying(const std::string& path, std::size_t messages, unsigned threads) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) fail("cannot open " + path);
  std::size_t bytes = 0;
  auto consumer = std::make_unique<RingConsumer>([&](const char* data, std::size_t size) {
    bytes += size;
    while (size > 0) {
      const ssize_t written = ::write(fd, data, size);
      if (written <= 0) fail("cannot write");
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  });
  const double rate = threads_rate(
      messages, threads, [] { prepare_thread(); }, log_static, [&] { consumer.reset(); });
  ::close(fd);
  if (bytes < messages * 2 * sizeof(std::uint64_t)) fail("records are missing");
  return {rate, static_cast<double>(bytes) / static_cast<double>(messages)};
}

std::vector<Suite> run(const Flags& flags, std::size_t messages, int rounds) {
  const std::string what = short_count(messages) + " static messages, by logging threads";
  Suite rates{"paper_figure8", what, "million messages/s", false, {}, {}};
  Suite bytes{"paper_figure8_bytes", "What they write", "bytes a message", true, {}, {}};
  for (const System& system : kSystems) {
    double most = 0;
    for (const unsigned threads : kThreads) {
      if (flags.smoke && threads > 2) break;
      std::vector<double> each;
      Found found{};
      for (int round = 0; round < rounds; ++round) {
        const std::string path = system.output ? flags.directory + "/figure8.steno" : "/dev/null";
        found = result_of_child<Found>(
            [&] { return system.compact ? by_scribe(path, messages, threads) : by_copying(path, messages, threads); });
        if (system.output) std::remove(path.c_str());
        each.push_back(found.million_per_second);
      }
      note(&rates, system.name, std::to_string(threads), median(each));
      most = std::max(most, median(each));
      note(&bytes, system.name, std::to_string(threads), found.bytes);
    }
    note(&rates, system.name, "the most", most);
  }
  return {rates, bytes};
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t messages = take_number(&argc, argv, "--messages", std::size_t{1} << 27);
  auto rounds = static_cast<int>(take_number(&argc, argv, "--rounds", 3));
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) {
    messages = 20'000;
    rounds = 1;
  }
  return finish(flags, run(flags, messages, rounds));
}
