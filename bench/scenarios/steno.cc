// steno in three ways: into its binary file, into that and a file of text, and into a file of text alone.
#include <steno/log.h>
#include <steno/reader.h>
#include <steno/session.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "scenarios/logger.h"

namespace steno::bench {

namespace {

[[noreturn]] void fail(const Status& status) {
  std::fprintf(stderr, "scenarios: steno: %s\n", status.message().c_str());
  std::exit(1);
}

std::size_t records_in(const std::string& path) {
  Result<LogReader> log = LogReader::open({path});
  if (!log.ok()) fail(log.status());
  std::size_t records = 0;
  ReadFilter all;
  all.sort = false;
  log->for_each(all, [&records](const Record&) { ++records; });
  return records;
}

template <bool kBinary, bool kText>
struct Steno {
  static constexpr const char* kName = !kText ? "steno" : kBinary ? "steno, and text" : "steno, text alone";

  static std::string text_path(const std::string& path) { return kBinary ? path + ".txt" : path; }

  static void start(const std::string& path) {
    Options options;
    if (kBinary) options.path = path;
    if (kText) {
      SinkOptions sink;
      sink.path = text_path(path);
      sink.when_full = WhenFull::kBlock;  // as the peers' queues
      options.sinks = {sink};
      options.block_at_most = kForever;
    }
    if (const Status status = try_start(options); !status.ok()) fail(status);
  }
  static void log(unsigned thread, std::size_t i, const Request& r) {
    STENO_INFO("worker {} request {}: {status} {method} {path} in {us:.1f} us, {bytes} bytes", thread, i, r.status,
               r.method, r.path, r.us, r.bytes);
  }
  static void flush() {
    if (const Status status = steno::flush(); !status.ok()) fail(status);
  }
  static void stop() { steno::stop(); }
  // The smaller number, where there are both files.
  static std::size_t messages_on_file(const std::string& path) {
    if (!kText) return records_in(path);
    const std::size_t lines = message_lines(text_path(path));
    return kBinary ? std::min(lines, records_in(path)) : lines;
  }
};

}  // namespace

void add_steno(Loggers* loggers) {
  loggers->push_back(std::make_unique<LoggerOf<Steno<true, false>>>());
  loggers->push_back(std::make_unique<LoggerOf<Steno<true, true>>>());
  loggers->push_back(std::make_unique<LoggerOf<Steno<false, true>>>());
}

}  // namespace steno::bench
