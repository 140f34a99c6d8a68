// Messages a second, of CPU time of the whole process, that end as lines in files: steno's sinks without a binary log,
// beside spdlog's asynchronous logger with the same lines.
#include <steno/log.h>
#include <steno/session.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "common/harness.h"
#include "common/request.h"
#include "sinks/sinks.h"

namespace steno::bench {

void log_by_steno(const std::string& path, std::size_t messages, const char* format) {
  SinkOptions sink;
  sink.path = path;
  sink.queue_bytes = std::size_t{1} << 30;  // nothing is to be skipped
  sink.format = format == std::string("json")     ? LineFormat::kJson
                : format == std::string("csv")    ? LineFormat::kCsv
                : format == std::string("logfmt") ? LineFormat::kLogfmt
                                                  : LineFormat::kText;
  Options options;
  options.sinks = {sink};
  options.block_at_most = std::chrono::minutes(5);  // flush() waits for the sink
  if (!steno::start(options)) std::exit(1);
  for (std::size_t i = 0; i < messages; ++i) {
    const Request r = request(i);
    STENO_INFO("{status} {method} {path} in {us:.1f} us, {bytes} bytes", r.status, r.method, r.path, r.us, r.bytes);
  }
  steno::flush();
  steno::stop();
}

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

struct Rates {
  double per_core = 0;  // million messages a second of CPU time
  double a_second = 0;
};

// Medians of several runs. Ends the program where a line is missing.
Rates measure(const Flags& flags, std::size_t messages, int repeats, std::size_t heading,
              const std::function<void(const std::string& path)>& log) {
  const std::string path = flags.directory + "/sink.log";
  std::vector<double> per_core;
  std::vector<double> a_second;
  for (int r = 0; r < repeats; ++r) {
    std::remove(path.c_str());
    const double cpu = cpu_seconds();
    const double begin = seconds_now();
    log(path);
    a_second.push_back(static_cast<double>(messages) / (seconds_now() - begin) / 1e6);
    per_core.push_back(static_cast<double>(messages) / (cpu_seconds() - cpu) / 1e6);
    if (const std::size_t lines = lines_of(path); lines != messages + heading) {
      std::fprintf(stderr, "sinks: %zu lines of %zu messages\n", lines, messages);
      std::exit(1);
    }
  }
  return {median(per_core), median(a_second)};
}

Suite compare(const Flags& flags) {
  Suite suite{"sinks", "Lines of text in a file, by sinks", "million messages/s", false, {}, {}};
  const std::size_t messages = flags.smoke ? 2'000 : 1'000'000;
  const int repeats = flags.smoke ? 1 : 5;
  const auto add = [&](const char* name, std::size_t heading, const std::function<void(const std::string&)>& log) {
    const Rates rates = measure(flags, messages, repeats, heading, log);
    suite.rows.push_back({name, {{"per second of CPU time", rates.per_core}, {"per second", rates.a_second}}});
    return rates.per_core;
  };
  const double text = add("steno, text", 0, [&](const std::string& path) { log_by_steno(path, messages, "text"); });
  const double json = add("steno, JSON", 0, [&](const std::string& path) { log_by_steno(path, messages, "json"); });
  add("steno, CSV", 1, [&](const std::string& path) { log_by_steno(path, messages, "csv"); });
  add("steno, logfmt", 0, [&](const std::string& path) { log_by_steno(path, messages, "logfmt"); });
#ifdef STENO_PEER_SPDLOG
  const double peers_text =
      add("spdlog async, text", 0, [&](const std::string& path) { log_by_spdlog(path, messages, false); });
  const double peers_json =
      add("spdlog async, JSON", 0, [&](const std::string& path) { log_by_spdlog(path, messages, true); });
  suite.bars.push_back({"text, steno / spdlog async, of CPU time", text / peers_text, 3, text >= 3 * peers_text});
  suite.bars.push_back({"JSON, steno / spdlog async, of CPU time", json / peers_json, 3, json >= 3 * peers_json});
#else
  (void)text;
  (void)json;
#endif
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;  // NOLINT: a program of one file
  const Flags flags = parse_flags(argc, argv);
  return finish(flags, {compare(flags)});
}
