// The address of a syslog daemon, as given in options: "local", "unix:/dev/log", "udp://host:514", "tcp://[::1]:601",
// "tls://host".
#pragma once

#include <string>
#include <string_view>

#include "steno/status.h"

namespace steno::sink {

struct PeerAddress {
  enum class Kind { kUnix, kUdp, kTcp, kTls };
  Kind kind = Kind::kUnix;
  std::string path;  // kUnix
  std::string host;  // the others
  std::string port;
};

// kInvalidArgument names what is wrong and what would be right. Looks nothing up.
Result<PeerAddress> parse_syslog_address(std::string_view text);
Result<PeerAddress> parse_journal_address(std::string_view text);

}  // namespace steno::sink
