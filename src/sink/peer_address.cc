#include "sink/peer_address.h"

#include <sys/un.h>

#include <algorithm>

#include "base/ascii.h"

namespace steno::sink {
namespace {

constexpr std::string_view kForms =
    "; it can be local, unix:/PATH, udp://HOST[:PORT], tcp://HOST:PORT or tls://HOST[:PORT]";

Status bad(std::string_view text, const std::string& what) {
  return {StatusCode::kInvalidArgument, "the address '" + std::string(text) + "' " + what};
}

Result<PeerAddress> unix_address(std::string_view text, std::string_view path) {
  if (path.empty() || path[0] != '/') return bad(text, "needs an absolute path");
  if (path.size() >= sizeof(sockaddr_un::sun_path) || path.find('\0') != std::string_view::npos)
    return bad(text, "is too long for a socket");
  return PeerAddress{PeerAddress::Kind::kUnix, std::string(path), {}, {}};
}

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  const int port = std::stoi(std::string(text));
  return port > 0 && port < 65536;
}

bool is_host_character(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '.' || c == '-' || c == '_';
}

Result<PeerAddress> network_address(std::string_view text, PeerAddress::Kind kind, std::string_view rest) {
  std::string_view host = rest.substr(0, rest.rfind(':'));
  if (!rest.empty() && rest[0] == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return bad(text, "has a '[' without a ']'");
    host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    const bool numeric = host.find_first_not_of("0123456789abcdefABCDEF:.%") == std::string_view::npos ||
                         host.find('%') != std::string_view::npos;
    if (host.empty() || !numeric) return bad(text, "has no IPv6 address in its brackets");
  } else {
    if (host.find(':') != std::string_view::npos) return bad(text, "has an IPv6 address, which needs brackets");
    if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_character)) return bad(text, "has no host");
    rest.remove_prefix(host.size());
  }
  PeerAddress address{kind, {}, std::string(host), {}};
  if (rest.empty()) {
    if (kind == PeerAddress::Kind::kTcp) return bad(text, "needs a port: tcp://HOST:601");
    address.port = kind == PeerAddress::Kind::kTls ? "6514" : "514";
  } else if (rest[0] == ':' && is_port(rest.substr(1))) {
    address.port = rest.substr(1);
  } else {
    return bad(text, "has a port that is not a number from 1 to 65535");
  }
  return address;
}

}  // namespace

Result<PeerAddress> parse_syslog_address(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  constexpr std::string_view kUdp = "udp://";
  constexpr std::string_view kTcp = "tcp://";
  constexpr std::string_view kTls = "tls://";
  if (text == "local") return unix_address(text, "/dev/log");
  if (text.starts_with(kUnix)) {
    std::string_view path = text.substr(kUnix.size());
    if (path.starts_with("//")) path.remove_prefix(2);
    return unix_address(text, path);
  }
  if (text.starts_with(kUdp)) return network_address(text, PeerAddress::Kind::kUdp, text.substr(kUdp.size()));
  if (text.starts_with(kTcp)) return network_address(text, PeerAddress::Kind::kTcp, text.substr(kTcp.size()));
  if (text.starts_with(kTls)) return network_address(text, PeerAddress::Kind::kTls, text.substr(kTls.size()));
  return bad(text, "is not valid for syslog" + std::string(kForms));
}

Result<PeerAddress> parse_journal_address(std::string_view text) {
  if (text == "local") return unix_address(text, "/run/systemd/journal/socket");
  if (!text.starts_with('/')) return bad(text, "is not valid for the journal; it can be local or the path of a socket");
  return unix_address(text, text);
}

}  // namespace steno::sink
