#include "sink/sink_format.h"

#include <string>
#include <utility>

#include "lines/colour.h"
#include "lines/escape.h"
#include "lines/rate_limit.h"
#include "sink/peer_target.h"

namespace steno::sink {
namespace {

std::unique_ptr<lines::LineFormat> make_body_format(const SinkOptions& options, bool terminal) {
  lines::LineOptions line;
  line.zone = options.local_time ? lines::Zone::kLocal : lines::Zone::kUtc;
  // Syslog and journal frame the message, and escape it where they must.
  const bool peer = is_peer(options);
  line.escape = terminal ? lines::Escape::kTerminal : peer ? lines::Escape::kRaw : lines::Escape::kControls;
  line.colour = lines::wants_colour(options.colour, terminal);
  switch (options.format) {
    case LineFormat::kJson:
      return lines::make_json_format(line);
    case LineFormat::kCsv:
      return lines::make_csv_format(line);
    case LineFormat::kLogfmt:
      return lines::make_logfmt_format(line);
    case LineFormat::kText:
      break;
  }
  const std::string pattern = options.pattern.empty() && peer ? "{message}" : options.pattern;
  line.pattern = pattern.empty() ? lines::default_pattern() : *lines::parse_pattern(pattern);
  return lines::make_text_format(std::move(line));
}

}  // namespace

std::unique_ptr<lines::LineFormat> make_format(const SinkOptions& options, bool terminal) {
  std::unique_ptr<lines::LineFormat> body = make_body_format(options, terminal);
  return is_peer(options) ? make_peer_format(options, std::move(body)) : std::move(body);
}

std::uint64_t most_rate(const SinkOptions& options, bool terminal) {
  if (options.max_rate >= 0) return static_cast<std::uint64_t>(options.max_rate);
  return terminal && options.format == LineFormat::kText ? lines::kMostOnTerminal : 0;
}

}  // namespace steno::sink
