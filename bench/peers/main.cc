// The peers side by side: cost of a call, messages a second into a file, bytes each.
//   peers [--json FILE] [--dir DIRECTORY] [--only NAME] [--smoke]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/harness.h"
#include "common/suites.h"
#include "peers/measure.h"
#include "peers/peer.h"

namespace {

namespace bench = steno::bench;

struct Flags {
  std::string json;
  std::string directory = "/tmp";
  std::string only;
  bench::Effort effort;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (std::strcmp(argv[i], "--smoke") == 0) {
      flags.effort = bench::kSmoke;
    } else if (std::strcmp(argv[i], "--json") == 0 && more) {
      flags.json = argv[++i];
    } else if (std::strcmp(argv[i], "--dir") == 0 && more) {
      flags.directory = argv[++i];
    } else if (std::strcmp(argv[i], "--only") == 0 && more) {
      flags.only = argv[++i];
    } else {
      std::fprintf(stderr, "usage: peers [--json FILE] [--dir DIRECTORY] [--only NAME] [--smoke]\n");
      std::exit(2);
    }
  }
  return flags;
}

bench::Row row(const char* label, const double (&values)[bench::kMessages]) {
  bench::Row out{label, {}};
  for (int m = 0; m < bench::kMessages; ++m) out.values.emplace_back(bench::kMessageNames[m], values[m]);
  return out;
}

void show(const char* name, const bench::Figures& figures) {
  std::printf("%-16s", name);
  for (int m = 0; m < bench::kMessages; ++m) {
    std::printf("  %7.1f ns %6.1f M/s %5.1f B", figures.call_ns[m], figures.million_per_second[m], figures.bytes[m]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

bool write_file(const std::string& path, const std::string& text) {
  FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

int main(int argc, char** argv) {
  const Flags flags = parse(argc, argv);
  bench::Suite call{"peers_call", "One call in a burst of 2,000", "ns", true, {}, {}};
  bench::Suite rate{
      "peers_sustained", "Sustained by one producer, until all is in the file", "million messages/s", false, {}, {}};
  bench::Suite bytes{"peers_bytes", "Size of the file", "bytes a message", true, {}, {}};

  const double clock = bench::clock_read_ns(flags.effort.bursts);
  std::printf("%-16s  %7.1f ns\n", "clock read", clock);
  call.rows.push_back(row("clock read alone", {clock, clock, clock, clock, clock, clock}));

  int failed = 0;
  for (const auto& peer : bench::make_peers()) {
    if (!flags.only.empty() && flags.only != peer->name()) continue;
    bench::Figures figures{};
    if (!bench::measure(*peer, flags.directory, flags.effort, &figures)) {
      std::fprintf(stderr, "peers: %s failed\n", peer->name());
      ++failed;
      continue;
    }
    show(peer->name(), figures);
    call.rows.push_back(row(peer->name(), figures.call_ns));
    rate.rows.push_back(row(peer->name(), figures.million_per_second));
    bytes.rows.push_back(row(peer->name(), figures.bytes));
  }
  if (!flags.json.empty() && !write_file(flags.json, bench::to_json({call, rate, bytes}))) {
    std::perror(flags.json.c_str());
    return 1;
  }
  return failed == 0 ? 0 : 1;
}
