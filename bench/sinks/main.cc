// Messages a second, of CPU time of the whole process, that end as lines in files, pipes, sockets and callbacks:
// steno's sinks without a binary log, beside spdlog's asynchronous logger with the same lines.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/harness.h"
#include "sinks/receiver.h"
#include "sinks/sinks.h"

namespace steno::bench {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::size_t lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
}

// Standard output is another file as long as this lives.
class StandardOutput {
 public:
  explicit StandardOutput(int fd) : before_((std::fflush(stdout), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))) {
    dup2(fd, STDOUT_FILENO);
  }
  ~StandardOutput() {
    std::fflush(stdout);
    dup2(before_, STDOUT_FILENO);
    close(before_);
  }
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

 private:
  const int before_;
};

using Log = void (*)(Sink, const Target&, std::size_t);

// One kind of sink, and what is at its other end.
class Place {
 public:
  Place(const Flags& flags, Sink sink) : sink_(sink) {
    target_.path = flags.directory + "/sink.log";
    target_.callback = [this](std::string_view line) { called_ += !line.empty(); };
    if (sink == Sink::kConsole) receiver_.emplace(Receiver::Of::kPipe);
    if (sink == Sink::kUdp) receiver_.emplace(Receiver::Of::kDatagrams);
    if (sink == Sink::kTcp) receiver_.emplace(Receiver::Of::kStream);
    if (receiver_) target_.port = receiver_->port();
  }

  void log(Log by, std::size_t messages) {
    std::remove(target_.path.c_str());
    called_ = 0;
    std::optional<StandardOutput> pipe;
    if (sink_ == Sink::kConsole) pipe.emplace(receiver_->pipe_end());
    by(sink_, target_, messages);
  }
  // Returns how many messages of the last log() arrived.
  std::size_t arrived(std::size_t messages) {
    if (receiver_) return receiver_->received(messages);
    if (sink_ == Sink::kCallback) return called_;
    return lines_of(target_.path) - (sink_ == Sink::kCsv ? 1 : 0);  // its first line is the names
  }
  bool may_lose() const { return sink_ == Sink::kUdp; }

 private:
  const Sink sink_;
  Target target_;
  std::size_t called_ = 0;  // by the sink's thread, which has ended when it is read
  std::optional<Receiver> receiver_;
};

struct Rates {
  double per_core = 0;  // million messages a second of CPU time
  double a_second = 0;
  double arrived = 0;  // of 100
};

// Medians of several runs. Ends the program where a line is missing that could not be lost on its way.
Rates measure(Place& place, Log by, std::size_t messages, int repeats) {
  std::vector<double> per_core;
  std::vector<double> a_second;
  std::vector<double> arrived;
  for (int r = 0; r < repeats; ++r) {
    const double cpu = cpu_seconds();
    const double begin = seconds_now();
    place.log(by, messages);
    a_second.push_back(static_cast<double>(messages) / (seconds_now() - begin) / 1e6);
    per_core.push_back(static_cast<double>(messages) / (cpu_seconds() - cpu) / 1e6);
    std::size_t lines = place.arrived(messages);
    if (place.may_lose()) lines = std::min(lines, messages);  // late ones are counted by the next run
    arrived.push_back(100.0 * static_cast<double>(lines) / static_cast<double>(messages));
    if (lines != messages && !place.may_lose()) {
      std::fprintf(stderr, "sinks: %zu lines of %zu messages\n", lines, messages);
      std::exit(1);
    }
  }
  return {median(per_core), median(a_second), median(arrived)};
}

struct Kind {
  Sink sink;
  const char* name;
  std::size_t messages;
  bool of_spdlog;
  bool has_bar;
};
constexpr Kind kKinds[] = {
    {Sink::kText, "text", 1'000'000, true, true},          {Sink::kJson, "JSON", 1'000'000, true, true},
    {Sink::kCsv, "CSV", 1'000'000, false, false},          {Sink::kLogfmt, "logfmt", 1'000'000, false, false},
    {Sink::kConsole, "console", 500'000, true, true},      {Sink::kCallback, "callback", 500'000, true, false},
    {Sink::kUdp, "syslog over UDP", 100'000, true, false}, {Sink::kTcp, "syslog over TCP", 500'000, true, false}};

Suite compare(const Flags& flags) {
  Suite suite{"sinks", "Lines of text, by sinks", "million messages/s", false, {}, {}};
  const int repeats = flags.smoke ? 1 : 3;
  for (const Kind& kind : kKinds) {
    Place place(flags, kind.sink);
    const std::size_t messages = flags.smoke ? 2'000 : kind.messages;
    const auto add = [&](const char* logger, Log by) {
      const Rates rates = measure(place, by, messages, repeats);
      suite.rows.push_back({std::string(logger) + ", " + kind.name,
                            {{"per second of CPU time", rates.per_core},
                             {"per second", rates.a_second},
                             {"arrived, %", rates.arrived}}});
      return rates.per_core;
    };
    const double ours = add("steno", log_by_steno);
#ifdef STENO_PEER_SPDLOG
    if (!kind.of_spdlog) continue;
    const double peers = add("spdlog async", log_by_spdlog);
    if (!kind.has_bar) continue;
    suite.bars.push_back(
        {std::string(kind.name) + ", steno / spdlog async, of CPU time", ours / peers, 3, ours >= 3 * peers});
#else
    (void)ours;
#endif
  }
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {compare(flags)});
}
