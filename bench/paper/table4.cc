// The paper's table 4: 100,000 calls with a pause of 600 ns between them, each timed by itself. The times include the
// dispatch to a peer and two reads of the clock, which a row of their own shows.
//
//   table4 [--messages N] ...
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/harness.h"
#include "peers/peer.h"
#include "query/commands.h"
#include "query/tables.h"

namespace steno::bench {
namespace {

constexpr double kPauseNs = 600;

struct Percentile {
  double q;
  const char* name;
  const char* suite;
};
constexpr Percentile kPercentiles[] = {{0.5, "50", "paper_table4_p50"},
                                       {0.9, "90", "paper_table4_p90"},
                                       {0.99, "99", "paper_table4_p99"},
                                       {0.999, "99.9", "paper_table4_p999"}};

struct Found {
  double ns[std::size(kPercentiles)];
};

void wait_until(std::uint64_t ticks) {
  while (ticks_now() < ticks) {
  }
}

// Times each of so many calls.
template <class Call>
Found percentiles_of(std::size_t messages, Call&& call) {
  const auto pause = static_cast<std::uint64_t>(kPauseNs / ns_per_tick());
  std::vector<double> ns(messages);
  for (double& one : ns) {
    const std::uint64_t begin = ticks_now();
    call();
    forget_registers();
    const std::uint64_t end = ticks_now();
    one = static_cast<double>(end - begin) * ns_per_tick();
    wait_until(end + pause);
  }
  std::sort(ns.begin(), ns.end());
  Found found{};
  for (std::size_t p = 0; p < std::size(kPercentiles); ++p) found.ns[p] = percentile(ns, kPercentiles[p].q);
  return found;
}

// Logs nothing, so that its times are those of the dispatch and of the clock.
struct Nothing {
  static constexpr const char* kName = "nothing (the timing itself)";
  static void start(const std::string&) {}
  static void flush() {}
  static void stop() {}
  static void log_static(std::size_t) { forget_registers(); }
  static void log_string(std::size_t) { forget_registers(); }
  static void log_integer(std::size_t) { forget_registers(); }
  static void log_two_integers(std::size_t) { forget_registers(); }
  static void log_double(std::size_t) { forget_registers(); }
  static void log_complex(std::size_t) { forget_registers(); }
};

Found latencies(Peer& peer, Message message, const std::string& path, std::size_t messages) {
  pin(1);
  peer.start(path);
  pin(0);
  peer.log(message, kBurst);  // the code and the buffers are warm
  peer.flush();
  const Found found = percentiles_of(messages, [&] { peer.log(message, 1); });
  peer.flush();
  peer.stop();
  return found;
}

std::vector<Suite> run(const Flags& flags, std::size_t messages) {
  (void)ns_per_tick();  // measured once, here
  std::vector<Suite> suites;
  for (const Percentile& p : kPercentiles) {
    suites.push_back(
        {p.suite, std::string("A call with 600 ns between two, percentile ") + p.name, "ns", true, {}, {}});
  }
  const auto add = [&](const std::string& name, const char* message, const Found& found) {
    for (std::size_t p = 0; p < suites.size(); ++p) note(&suites[p], name, message, found.ns[p]);
  };
  PeerOf<Nothing> nothing;
  for (int m = 0; m < kMessages; ++m) {
    add(nothing.name(), kMessageNames[m],
        result_of_child<Found>([&] { return latencies(nothing, static_cast<Message>(m), "", messages); }));
  }
  for (const auto& peer : make_peers()) {
    for (int m = 0; m < kMessages; ++m) {
      const std::string own = flags.directory + "/table4";
      std::filesystem::create_directories(own);
      add(peer->name(), kMessageNames[m],
          result_of_child<Found>([&] { return latencies(*peer, static_cast<Message>(m), own + "/log", messages); }));
      std::filesystem::remove_all(own);
    }
  }
  return suites;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  std::size_t messages = take_number(&argc, argv, "--messages", 100'000);
  const Flags flags = parse_flags(argc, argv);
  if (flags.smoke) messages = 2'000;
  return finish(flags, run(flags, messages));
}
