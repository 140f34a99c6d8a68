#include "sink/peer_target.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "lines/syslog_format.h"
#include "sink/peer.h"

namespace steno::sink {
namespace {

constexpr std::int64_t kFirstPauseNs = 100'000'000;
constexpr std::int64_t kLongestPauseNs = 5'000'000'000;

// Connects again after an error, with growing pauses. If that takes too long, lines are lost until it succeeds.
class PeerTarget final : public Target {
 public:
  PeerTarget(std::string name, std::unique_ptr<Peer> peer, std::chrono::milliseconds retry_for)
      : name_(std::move(name)), peer_(std::move(peer)), retry_for_(std::chrono::nanoseconds(retry_for).count()) {}

  bool wants_lines() const override { return true; }
  std::string name() const override { return name_; }

  Status write(std::string_view, std::span<const Line> lines) override {
    const std::size_t count = lines.size();
    while (!lines.empty()) {
      const std::int64_t begin = monotonic_now();
      if (begin < next_try_) return lose(lines.size(), count);
      std::size_t sent = 0;
      const Status status = send(lines, &sent);
      lines = lines.subspan(sent);
      if (sent != 0) away_since_ = pause_ = 0;
      if (status.ok()) continue;
      reason_ = status.message();
      peer_->disconnect();
      connected_ = false;
      if (away_since_ == 0) away_since_ = begin;
      pause_ = std::clamp(2 * pause_, kFirstPauseNs, kLongestPauseNs);
      const std::int64_t now = monotonic_now();
      const bool hopeless = status.code() == StatusCode::kPermissionDenied;  // trying again soon would not help
      if (hopeless || now + pause_ - away_since_ > retry_for_) {
        next_try_ = now + pause_;
        return lose(lines.size(), count);
      }
      std::this_thread::sleep_for(std::chrono::nanoseconds(pause_));
    }
    return {};
  }

  void abandon() override { peer_->abandon(); }

  Loss take_loss() override {
    const std::uint64_t lines = std::exchange(lost_, 0) + peer_->take_lost();
    if (lines == 0) return {};
    return {lines, reason_.empty() ? "the peer refused them" : reason_};
  }

 private:
  Status send(std::span<const Line> lines, std::size_t* sent) {
    if (connected_ && !peer_->has_descriptor()) {
      peer_->disconnect();
      connected_ = false;
    }
    if (!connected_) {
      if (Status status = peer_->connect(); !status.ok()) return status;
      connected_ = true;
    }
    return peer_->send(lines, sent);
  }

  // The last `lines` of `count`.
  Status lose(std::size_t lines, std::size_t count) {
    if (lines == count) return {StatusCode::kIoError, reason_};
    lost_ += lines;
    return {};
  }

  const std::string name_;
  const std::unique_ptr<Peer> peer_;
  const std::int64_t retry_for_;
  bool connected_ = false;
  std::int64_t away_since_ = 0;  // monotonic ns; 0: it is connected
  std::int64_t pause_ = 0;       // between the last two tries
  std::int64_t next_try_ = 0;    // lines are lost until then
  std::uint64_t lost_ = 0;
  std::string reason_;  // of the latest failure
};

Status bad(std::string what) {
  return {StatusCode::kInvalidArgument, std::move(what)};
}

Status check_retry_for(const char* name, std::chrono::milliseconds retry_for) {
  if (retry_for.count() >= 0 && retry_for <= std::chrono::hours(1)) return {};
  return bad(name + std::string(" is ") + std::to_string(retry_for.count()) + " ms; it must be 0 to one hour");
}

// PRINTUSASCII of RFC 5424, up to `most`.
bool is_printable(std::string_view text, std::size_t most) {
  return text.size() <= most && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

Status check_facility(const char* name, Facility facility) {
  if (facility <= Facility::kLocal7) return {};
  return bad(name + std::string(" is ") + std::to_string(static_cast<int>(facility)) + "; it must be 0 to 23");
}

Status check_app_name(const char* name, const std::string& app_name) {
  constexpr std::size_t kMost = 48;
  if (is_printable(app_name, kMost)) return {};
  return bad(name + std::string(" must be up to 48 printable ASCII characters without blanks"));
}

Status check_syslog(const SyslogOptions& options) {
  constexpr std::size_t kLeast = 480;  // what every receiver takes
  constexpr std::size_t kMost = 65'000;
  constexpr std::size_t kMostId = 32;
  if (const auto address = parse_syslog_address(options.address); !address.ok())
    return bad("syslog: " + address.status().message());
  if (Status status = check_facility("syslog.facility", options.facility); !status.ok()) return status;
  if (Status status = check_app_name("syslog.app_name", options.app_name); !status.ok()) return status;
  if (options.format > SyslogFormat::kRfc3164) return bad("syslog.format is not a value of SyslogFormat");
  const std::string& id = options.structured_data;
  if (id.empty() || !is_printable(id, kMostId) || id.find_first_of("=]\"") != std::string::npos) {
    return bad("syslog.structured_data is '" + id + "'; it must be a name like app@32473, up to 32 characters, or -");
  }
  if (options.max_bytes != 0 && (options.max_bytes < kLeast || options.max_bytes > kMost)) {
    return bad("syslog.max_bytes is " + std::to_string(options.max_bytes) + "; it must be 480 to 65000");
  }
  return check_retry_for("syslog.retry_for", options.retry_for);
}

Status check_tls(const SyslogOptions& options) {
  const auto address = parse_syslog_address(options.address);
  const TlsOptions& tls = options.tls;
  if (address->kind == PeerAddress::Kind::kTls) {
    Status status = make_tls_peer(*address, tls, options.retry_for).status();
    return status.ok() ? status : Status(status.code(), "syslog: " + status.message());
  }
  if (tls.ca_file.empty() && tls.peer_name.empty() && tls.cert_file.empty() && tls.key_file.empty()) return {};
  return bad("syslog.tls needs an address that begins with tls://, and '" + options.address + "' does not");
}

Status check_journal(const JournalOptions& options) {
  if (const auto address = parse_journal_address(options.address); !address.ok())
    return bad("journal: " + address.status().message());
  if (Status status = check_facility("journal.facility", options.facility); !status.ok()) return status;
  if (Status status = check_app_name("journal.app_name", options.app_name); !status.ok()) return status;
  constexpr std::size_t kMostPrefix = 32;
  const std::string& prefix = options.argument_prefix;
  const bool fits = !prefix.empty() && prefix.size() <= kMostPrefix && prefix[0] >= 'A' && prefix[0] <= 'Z' &&
                    prefix.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  if (!fits) return bad("journal.argument_prefix is '" + prefix + "'; it must be capitals, digits and '_', like ARG_");
  return check_retry_for("journal.retry_for", options.retry_for);
}

}  // namespace

Status check_peer(const SinkOptions& options) {
  if (options.format == LineFormat::kCsv)
    return bad("CSV needs a header line, which syslog and the journal cannot hold");
  if (!options.journal.address.empty()) return check_journal(options.journal);
  if (Status status = check_syslog(options.syslog); !status.ok()) return status;
  return check_tls(options.syslog);
}

std::unique_ptr<lines::LineFormat> make_peer_format(const SinkOptions& options,
                                                    std::unique_ptr<lines::LineFormat> body) {
  if (!options.journal.address.empty()) {
    const JournalOptions& journal = options.journal;
    return lines::make_journal_format({journal.facility, journal.app_name, journal.argument_prefix}, std::move(body));
  }
  constexpr std::size_t kMostUdp = 2048;
  constexpr std::size_t kMost = 8192;
  const SyslogOptions& syslog = options.syslog;
  const PeerAddress::Kind kind = parse_syslog_address(syslog.address)->kind;
  const bool local = kind == PeerAddress::Kind::kUnix;
  lines::SyslogMessage message;
  message.rfc3164 = syslog.format == SyslogFormat::kRfc3164 || (syslog.format == SyslogFormat::kAuto && local);
  message.host = !local;
  message.facility = syslog.facility;
  message.app_name = syslog.app_name;
  message.structured_data = syslog.structured_data;
  message.max_bytes = syslog.max_bytes != 0 ? syslog.max_bytes : kind == PeerAddress::Kind::kUdp ? kMostUdp : kMost;
  message.zone = options.local_time ? lines::Zone::kLocal : lines::Zone::kUtc;
  return lines::make_syslog_format(std::move(message), std::move(body));
}

namespace {

// Stands for a peer whose options passed the check but cannot be used any more, as when a key file is gone.
class AbsentPeer final : public Peer {
 public:
  explicit AbsentPeer(Status why) : why_(std::move(why)) {}
  Status connect() override { return why_; }
  void disconnect() override {}
  bool has_descriptor() const override { return false; }
  void abandon() override {}
  Status send(std::span<const Line>, std::size_t* sent) override {
    *sent = 0;
    return why_;
  }

 private:
  const Status why_;
};

std::unique_ptr<Peer> make_syslog_peer(const PeerAddress& address, const TlsOptions& tls,
                                       std::chrono::milliseconds patience) {
  if (address.kind == PeerAddress::Kind::kUnix) return make_unix_peer(address, patience);
  if (address.kind != PeerAddress::Kind::kTls) return make_network_peer(address, patience);
  auto peer = make_tls_peer(address, tls, patience);
  return peer.ok() ? std::move(peer).value() : std::make_unique<AbsentPeer>(peer.status());
}

}  // namespace

std::unique_ptr<Target> make_peer_target(const SinkOptions& options) {
  if (!options.journal.address.empty()) {
    const std::chrono::milliseconds retry_for = options.journal.retry_for;
    const auto address = parse_journal_address(options.journal.address);
    return std::make_unique<PeerTarget>("the journal", make_journal_peer(*address, retry_for), retry_for);
  }
  const std::chrono::milliseconds retry_for = options.syslog.retry_for;
  const auto address = parse_syslog_address(options.syslog.address);
  return std::make_unique<PeerTarget>("syslog " + options.syslog.address,
                                      make_syslog_peer(*address, options.syslog.tls, retry_for), retry_for);
}

}  // namespace steno::sink
