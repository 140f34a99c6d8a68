// Lines to a syslog daemon or to the systemd journal, as sinks (steno/sink.h).
//
//   steno::SinkOptions syslog;
//   syslog.syslog.address = "udp://logs.example.com:514";            // or "local", "tcp://logs.example.com:601",
//                                                                    // "tls://logs.example.com"
//   syslog.syslog.facility = steno::Facility::kLocal0;
//
//   steno::SinkOptions journal;
//   journal.journal.address = "local";                                // journalctl -o verbose STENO_LOGGER=net
//
// A peer that is down, refuses or does not read delays only its own sink. The sink reconnects after 0.1 s, 0.2 s and so
// on up to 5 s, and lines wait in its queue meanwhile. After retry_for, lines are skipped until the peer is back; then
// a line there says how many. A wrong host name, or a daemon that is not running, causes a warning; start() does not
// fail.
//
// Limits of the count of skipped lines: datagrams that a host refuses are counted. Those that the network or a full
// receiver drops are not, but they leave a gap in the sequence numbers of RFC 5424 messages ([meta sequenceId="1"…]).
// Over TCP and TLS, lines that the peer's system had not acknowledged when the connection broke are counted; lines that
// its daemon had not read are not.
//
// Over TLS (RFC 5425; version 1.2 and later) the peer's certificate is always verified, against the CAs of tls.ca_file
// and the peer's name. If it is not accepted, a warning says why, and lines are skipped at once until it is. The same
// holds if the peer does not accept this program's certificate: after the handshake, a peer that asks for one has 0.1 s
// to refuse it before lines are sent. Connecting and the handshake may take 5 s each, whatever retry_for is. TLS uses
// OpenSSL, which is loaded when the first such sink starts. If it is not installed, or steno was built without its
// headers, start() fails with kUnsupported. OpenSSL is initialised with OPENSSL_INIT_NO_ATEXIT, because sinks end after
// functions of atexit(); a program that initialises it differently must call stop() before it exits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace steno {

// RFC 5424, 6.2.1.
enum class Facility : std::uint8_t {
  kKernel = 0,
  kUser = 1,
  kMail = 2,
  kDaemon = 3,
  kAuth = 4,
  kSyslog = 5,
  kPrinter = 6,
  kNews = 7,
  kUucp = 8,
  kCron = 9,
  kAuthPrivate = 10,
  kFtp = 11,
  kNtp = 12,
  kAudit = 13,
  kAlert = 14,
  kClock = 15,
  kLocal0 = 16,
  kLocal1 = 17,
  kLocal2 = 18,
  kLocal3 = 19,
  kLocal4 = 20,
  kLocal5 = 21,
  kLocal6 = 22,
  kLocal7 = 23,
};

// kAuto: kRfc5424 over the network; on a local socket kRfc3164 as the C library writes it, without a host, which is
// what daemons expect there unless they are configured otherwise (rsyslog: SysSock.UseSpecialParser="off").
enum class SyslogFormat : std::uint8_t { kAuto, kRfc5424, kRfc3164 };

// How a peer of "tls://HOST" is authenticated, and how this program authenticates itself. Files are in PEM format and
// are read when the session begins.
struct TlsOptions {
  std::string ca_file = {};    // certificates of accepted CAs; empty: those of the system
  std::string peer_name = {};  // host name or IP address in the peer's certificate; empty: HOST
  std::string cert_file = {};  // this program's certificate and its intermediate CAs; empty: none
  std::string key_file = {};   // its key, without a password
};

// SinkOptions::syslog.
struct SyslogOptions {
  // "local" (/dev/log), "unix:/path/of/a/socket" (of datagrams or a stream), "udp://HOST" or "udp://HOST:PORT" (514),
  // "tcp://HOST:PORT" with octet counting (RFC 6587), "tls://HOST" or "tls://HOST:PORT" (6514; RFC 5425). An IPv6
  // address is in brackets. Empty: no syslog.
  std::string address = {};
  // For tls:// only.
  TlsOptions tls = {};
  Facility facility = Facility::kUser;
  SyslogFormat format = SyslogFormat::kAuto;
  // The name of the program, up to 48 printable ASCII characters without blanks. Empty: the name of its file.
  std::string app_name = {};
  // The SD-ID of the element with logger, thread and arguments (RFC 5424 only). 32473 is the enterprise number for
  // examples: use your own. "-": no structured data.
  std::string structured_data = "steno@32473";
  // The maximum size of a message in bytes, 480 to 65,000; longer ones are truncated and end in " [cut]". 0: 2,048 over
  // UDP, else 8,192.
  std::size_t max_bytes = 0;
  // How long lines wait for a peer that is down before they are skipped; at most an hour.
  std::chrono::milliseconds retry_for{10'000};
};

// The fields of an entry: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, SYSLOG_FACILITY, CODE_FILE, CODE_LINE, CODE_FUNC, TID,
// STENO_LOGGER, STENO_THREAD, STENO_TIME (the journal's own time is that of arrival), and each argument under its name
// in capitals after a prefix: {qty} is ARG_QTY.
struct JournalOptions {
  // "local" (/run/systemd/journal/socket), or the path of a socket. Empty: no journal.
  std::string address = {};
  Facility facility = Facility::kUser;
  std::string app_name = {};  // empty: the name of the program's file
  // Capitals, digits and '_'; begins with a capital.
  std::string argument_prefix = "ARG_";
  std::chrono::milliseconds retry_for{10'000};
};

}  // namespace steno
