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
// A peer that is away, refuses or does not read delays nothing but its own sink: that connects again, after 0.1 s, 0.2
// s and so on up to 5 s, and lines wait in its queue meanwhile. From retry_for on, lines are skipped until it is back;
// then a line there says how many. A wrong name, or a daemon that does not run, is a warning and no error of start().
//
// What has been handed to the system is beyond the sink's reach. Datagrams that a host refuses are counted among the
// skipped lines; those that the network or a full receiver drops are not, but each RFC 5424 message carries its number
// in sequence ([meta sequenceId="1"…]), in which they leave a gap. Over TCP, what the peer's system had not
// acknowledged when the connection broke is counted; what its daemon had not read then is not. TLS is the same.
//
// Over TLS (RFC 5425, 1.2 and later) the peer's certificate is verified, always, by the CAs of tls.ca_file and by its
// name. Where that is not accepted a warning says why, and lines are skipped at once, until it is. The same holds where
// the peer does not accept this program's: one that asks for a certificate has 0.1 s after the handshake to say so
// before lines follow, which it would not read. Connecting and the handshake may take 5 s each, whatever retry_for is.
// OpenSSL does it: its library is loaded when the first such sink begins. Where that is not there, or steno was built
// without its headers, start() fails with kUnsupported. OpenSSL is begun with OPENSSL_INIT_NO_ATEXIT, for sinks end
// after the functions of atexit(); a program that has begun with it differently calls stop() before it ends.
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

// How a peer of "tls://HOST" is known, and how it knows this program. Files are PEM, and read when the session begins.
struct TlsOptions {
  std::string ca_file = {};    // certificates of those who may vouch for the peer; empty: those of the system
  std::string peer_name = {};  // what its certificate must be for, a host's name or an IP address; empty: HOST
  std::string cert_file = {};  // this program's own certificate and those between it and its CA; empty: it has none
  std::string key_file = {};   // and its key, without a password
};

// SinkOptions::syslog.
struct SyslogOptions {
  // "local" (/dev/log), "unix:/path/of/a/socket" (of datagrams or a stream), "udp://HOST" or "udp://HOST:PORT" (514),
  // "tcp://HOST:PORT" with octet counting (RFC 6587), "tls://HOST" or "tls://HOST:PORT" (6514; RFC 5425). An IPv6
  // address is in brackets. Empty: no syslog.
  std::string address = {};
  // Of tls:// only.
  TlsOptions tls = {};
  Facility facility = Facility::kUser;
  SyslogFormat format = SyslogFormat::kAuto;
  // The program, up to 48 printable ASCII characters without blanks. Empty: its file's name.
  std::string app_name = {};
  // The SD-ID of the element that has logger, thread and arguments (RFC 5424 only); 32473 is the number for examples:
  // put your enterprise's own. "-": no structured data.
  std::string structured_data = "steno@32473";
  // The most bytes of a message, 480 to 65,000; what is longer ends in " [cut]". 0: 2,048 over UDP, else 8,192.
  std::size_t max_bytes = 0;
  // How long lines wait for a peer that is away before they are skipped; up to an hour.
  std::chrono::milliseconds retry_for{10'000};
};

// The fields of an entry: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, SYSLOG_FACILITY, CODE_FILE, CODE_LINE, CODE_FUNC, TID,
// STENO_LOGGER, STENO_THREAD, STENO_TIME (the journal's own time is that of arrival), and each argument by its name in
// capitals after a prefix: {qty} is ARG_QTY.
struct JournalOptions {
  // "local" (/run/systemd/journal/socket), or the path of a socket. Empty: no journal.
  std::string address = {};
  Facility facility = Facility::kUser;
  std::string app_name = {};  // empty: the program's file's name
  // Capitals, digits and '_'; begins with a capital.
  std::string argument_prefix = "ARG_";
  std::chrono::milliseconds retry_for{10'000};
};

}  // namespace steno
