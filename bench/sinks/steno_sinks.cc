#include <steno/log.h>
#include <steno/session.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "common/request.h"
#include "sinks/sinks.h"

namespace steno::bench {

namespace {

SinkOptions options_of(Sink sink, const Target& target) {
  SinkOptions options;
  options.queue_bytes = std::size_t{1} << 30;  // nothing is to be skipped
  switch (sink) {
    case Sink::kConsole:
      options.console = Console::kStdout;
      return options;
    case Sink::kUdp:
      options.syslog.address = "udp://127.0.0.1:" + std::to_string(target.port);
      options.syslog.structured_data = "-";  // spdlog has none
      return options;
    case Sink::kTcp:
      options.syslog.address = "tcp://127.0.0.1:" + std::to_string(target.port);
      options.syslog.structured_data = "-";
      return options;
    case Sink::kCallback:
      options.callback = [call = target.callback](const Line& line) { call(line.text); };
      return options;
    case Sink::kText:
      break;
    case Sink::kJson:
      options.format = LineFormat::kJson;
      break;
    case Sink::kCsv:
      options.format = LineFormat::kCsv;
      break;
    case Sink::kLogfmt:
      options.format = LineFormat::kLogfmt;
      break;
  }
  options.path = target.path;
  return options;
}

}  // namespace

void log_by_steno(Sink sink, const Target& target, std::size_t messages) {
  Options options;
  options.sinks = {options_of(sink, target)};
  options.block_at_most = std::chrono::minutes(5);  // flush() waits for the sink
  if (const Status status = try_start(options); !status.ok()) {
    std::fprintf(stderr, "sinks: %s\n", status.message().c_str());
    std::exit(1);
  }
  for (std::size_t i = 0; i < messages; ++i) {
    const Request r = request(i);
    STENO_INFO("{status} {method} {path} in {us:.1f} us, {bytes} bytes", r.status, r.method, r.path, r.us, r.bytes);
  }
  steno::flush();
  steno::stop();
}

}  // namespace steno::bench
