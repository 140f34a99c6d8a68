// Records as messages for syslog (RFC 5424, RFC 3164) and the systemd journal. Each is one "line" of a LineFormat; the
// sender frames them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lines/line_format.h"
#include "steno/syslog.h"

namespace steno::lines {

struct SyslogMessage {
  bool rfc3164 = false;
  bool host = true;  // RFC 3164: whether it names the host
  Facility facility = Facility::kUser;
  std::string app_name;         // empty: the session's program
  std::string structured_data;  // the SD-ID; "-": none
  std::size_t max_bytes = 8192;
  Zone zone = Zone::kUtc;
};

// The message is what `body` makes of the record, on one line of valid UTF-8 without control characters. A message is
// never longer than max_bytes, and ends in a line end that does not belong to it.
std::unique_ptr<LineFormat> make_syslog_format(SyslogMessage options, std::unique_ptr<LineFormat> body);

struct JournalEntry {
  Facility facility = Facility::kUser;
  std::string app_name;
  std::string argument_prefix;
};

// An entry of the journal's native protocol, and a line end.
std::unique_ptr<LineFormat> make_journal_format(JournalEntry options, std::unique_ptr<LineFormat> body);

// Syslog's number, 0 to 7.
int severity_of(Level level);

}  // namespace steno::lines
