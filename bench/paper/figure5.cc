// The paper's figure 5 and what its table 3 logs: each of the six messages again and again by 1 to 16 threads, until
// all is in the file; the most that any number of threads reaches.
//
//   figure5 [--messages N] [--peer-messages N] ...      defaults: 100 million by steno, a million by the others
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/harness.h"
#include "paper/throughput.h"
#include "peers/peer.h"
#include "query/commands.h"
#include "query/tables.h"

namespace steno::bench {
namespace {

constexpr unsigned kThreads[] = {1, 2, 4, 8, 16};

struct Found {
  double million_per_second;
  double bytes;  // a message
};

Found log_all(Peer& peer, Message message, const std::string& path, std::size_t messages, unsigned threads) {
  peer.start(path);
  const double rate = threads_rate(
      messages, threads, [] {}, [&](std::size_t n) { peer.log(message, n); }, [&] { peer.flush(); });
  peer.stop();
  struct stat facts {};
  const double size = stat(path.c_str(), &facts) == 0 ? static_cast<double>(facts.st_size) : 0;
  return {rate, size / static_cast<double>(messages)};
}

std::vector<Suite> run(const Flags& flags, std::size_t ours, std::size_t theirs) {
  Suite rates{"paper_figure5",
              "The most that 1 to 16 threads log, until all is in the file",
              "million messages/s",
              false,
              {},
              {}};
  Suite by{"paper_figure5_threads", "The number of threads that reaches it", "threads", true, {}, {}};
  Suite bytes{"paper_table3", "Size of the file", "bytes a message", true, {}, {}};
  for (const auto& peer : make_peers()) {
    const std::string name = peer->name();
    const std::size_t messages = name == "steno" ? ours : theirs;
    for (int m = 0; m < kMessages; ++m) {
      Found best{};
      unsigned threads_of_best = 0;
      for (const unsigned threads : kThreads) {
        if (flags.smoke && threads > 2) break;
        const std::string own = flags.directory + "/figure5";
        std::filesystem::create_directories(own);
        const Found found = result_of_child<Found>(
            [&] { return log_all(*peer, static_cast<Message>(m), own + "/log", messages, threads); });
        std::filesystem::remove_all(own);
        if (found.million_per_second <= best.million_per_second) continue;
        best = found;
        threads_of_best = threads;
      }
      note(&rates, name, kMessageNames[m], best.million_per_second);
      note(&by, name, kMessageNames[m], threads_of_best);
      note(&bytes, name, kMessageNames[m], best.bytes);
    }
  }
  return {rates, by, bytes};
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t ours = take_number(&argc, argv, "--messages", 100'000'000);
  std::size_t theirs = take_number(&argc, argv, "--peer-messages", 1'000'000);
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) ours = theirs = 2'000;
  return finish(flags, run(flags, ours, theirs));
}
