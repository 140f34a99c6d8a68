// An in-memory key-value server under load, and what logging everything it does costs.
#include <steno/session.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "report.h"

namespace {

constexpr const char* kUsage =
    "usage: kv_server [--messages N] [--threads N] [--out FILE] [--steno PROGRAM]\n"
    "  --messages N      log at least so many (default 10,000,000)\n"
    "  --threads N       workers (default 2)\n"
    "  --out FILE        the log (default kv_server.steno; an existing one is replaced)\n"
    "  --steno PROGRAM   the steno command: also print the log as text, to compare the sizes\n";

struct Flags {
  std::uint64_t messages = 10'000'000;
  unsigned threads = 2;
  std::string out = "kv_server.steno";
  std::string steno;
};

[[noreturn]] void usage(int code) {
  std::fputs(kUsage, code == 0 ? stdout : stderr);
  std::exit(code);
}

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || value == 0 || text[0] == '-') {
    std::fprintf(stderr, "kv_server: '%s' is not a positive number\n", text);
    usage(2);
  }
  return value;
}

Flags parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") usage(0);
    if (i + 1 == argc) usage(2);
    const char* value = argv[++i];
    if (name == "--messages") {
      flags.messages = number(value);
    } else if (name == "--threads") {
      flags.threads = static_cast<unsigned>(number(value));
    } else if (name == "--out") {
      flags.out = value;
    } else if (name == "--steno") {
      flags.steno = value;
    } else {
      usage(2);
    }
  }
  return flags;
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// Prints the whole log as text, and counts what comes.
bool measure_text(const Flags& flags, kv::Report* report) {
  const std::string command = quoted(flags.steno) + " cat " + quoted(flags.out) + " | wc -lc";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  unsigned long long lines = 0, bytes = 0;
  const bool read = std::fscanf(pipe, "%llu %llu", &lines, &bytes) == 2;
  report->text_lines = lines;
  report->text_bytes = bytes;
  return pclose(pipe) == 0 && read;
}

std::uint64_t file_size(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

void say(const char* format, std::uint64_t n) {
  std::printf(format, kv::with_commas(n).c_str());
  std::fflush(stdout);
}

// Nothing but a file, which root could: a device at the path is written to.
void remove_file(const std::string& path) {
  struct stat st {};
  if (stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode)) unlink(path.c_str());
}

// Everything or nothing, at run time: a disabled statement costs a load and a branch.
void set_logging(bool on) {
  const steno::Level level = on ? steno::Level::kTrace : steno::kLevelOff;
  steno::set_level(level);
  steno::logger("store").set_level(level);
}

}  // namespace

int main(int argc, char** argv) {
  const Flags flags = parse(argc, argv);
  remove_file(flags.out);  // steno appends; a demo starts afresh
  if (!steno::start({.path = flags.out, .level = steno::kLevelOff})) return 1;

  kv::Report report;
  report.options.threads = flags.threads;
  kv::Server server(report.options);

  // Twice with logging off: to fill the store, then to know what the work itself costs.
  const std::uint64_t requests = (flags.messages + kv::kMessagesPerRequest - 1) / kv::kMessagesPerRequest;
  const std::uint64_t silent_requests = requests / 4 + 1;
  say("serving %s requests with logging off, to compare ...\n", silent_requests);
  set_logging(false);
  server.serve(silent_requests, 1);
  report.silent = server.serve(silent_requests, 2);

  say("serving %s requests, logging everything ...\n", requests);
  set_logging(true);
  const std::uint64_t scribe_ns_before = steno::stats().scribe_cpu_ns;
  report.logged = server.serve(requests, 3);
  if (!steno::flush()) return 1;
  report.scribe_seconds = static_cast<double>(steno::stats().scribe_cpu_ns - scribe_ns_before) * 1e-9;

  report.cost = kv::measure_call(flags.messages >= 1'000'000 ? 100 : 3);
  steno::stop();

  report.file_bytes = file_size(flags.out);
  if (!flags.steno.empty() && !measure_text(flags, &report)) {
    std::fprintf(stderr, "kv_server: '%s cat' failed\n", flags.steno.c_str());
    return 1;
  }
  kv::print(report);
  return report.text_lines == 0 || report.text_lines == report.messages() ? 0 : 1;
}
