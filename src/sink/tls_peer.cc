// Syslog over TLS (RFC 5425): octet counting, as over TCP. OpenSSL works on memory buffers; this file sends its output
// and passes input to it, and never blocks longer than its time limits.
#include "sink/peer.h"

#ifndef STENO_HAVE_OPENSSL

namespace steno::sink {

Result<std::unique_ptr<Peer>> make_tls_peer(const PeerAddress&, const TlsOptions&, std::chrono::milliseconds) {
  return Status(StatusCode::kUnsupported, "tls:// needs OpenSSL, and this steno was built without its headers");
}

}  // namespace steno::sink

#else

#include <arpa/inet.h>
#include <openssl/sslerr.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/clock.h"
#include "sink/openssl.h"
#include "sink/socket.h"
#include "sink/unacknowledged.h"

namespace steno::sink {
namespace {

constexpr std::chrono::milliseconds kConnectAtMost{5000};
constexpr std::chrono::milliseconds kHandshakeAtMost{5000};
constexpr std::chrono::milliseconds kRefusalAtMost{100};
constexpr std::chrono::milliseconds kFarewellAtMost{200};
// The most bytes of a record of TLS, which arrives whole or not at all, and so do the lines in it.
constexpr std::size_t kRecord = std::size_t{1} << 14;

// An encrypted key is one that cannot be used: nobody is asked for its password.
int no_password(char*, int, int, void*) {
  return -1;
}

bool is_ip(const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), address) == 1 || inet_pton(AF_INET6, host.c_str(), address) == 1;
}

// Names that no certificate is for: addresses with a zone, or cut short, as 127.1.
Status check_name(const std::string& name) {
  const bool like_an_address =
      name.find_first_of(":%") != std::string::npos || name.find_first_not_of("0123456789.") == std::string::npos;
  if (!like_an_address || is_ip(name)) return {};
  return {StatusCode::kInvalidArgument,
          "no certificate is for '" + name + "'; set tls.peer_name to a host's name or a whole IP address"};
}

// Alerts of a peer about a certificate that it got or missed.
bool is_about_certificate(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return ERR_GET_LIB(error) == ERR_LIB_SSL;
    default:
      return false;
  }
}

// Certificates and keys, read once.
class TlsContext {
 public:
  explicit TlsContext(const OpenSsl& ssl) : ssl_(ssl), context_(ssl.SSL_CTX_new(ssl.TLS_client_method())) {}
  TlsContext(TlsContext&& other) noexcept : ssl_(other.ssl_), context_(std::exchange(other.context_, nullptr)) {}
  TlsContext& operator=(TlsContext&&) = delete;
  ~TlsContext() {
    if (context_ != nullptr) ssl_.SSL_CTX_free(context_);
  }

  const OpenSsl& ssl() const { return ssl_; }
  SSL_CTX* get() const { return context_; }

  Status set_up(const TlsOptions& options) {
    ssl_.ERR_clear_error();
    if (context_ == nullptr) return {StatusCode::kExhausted, "tls: " + ssl_.error()};
    if (ssl_.SSL_CTX_ctrl(context_, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr) != 1)
      return {StatusCode::kUnsupported, "tls: " + ssl_.error()};
    ssl_.SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    ssl_.SSL_CTX_set_default_passwd_cb(context_, no_password);
    const std::string& ca = options.ca_file;
    if (ca.empty()) {
      ssl_.SSL_CTX_set_default_verify_paths(context_);
    } else if (ssl_.SSL_CTX_load_verify_locations(context_, ca.c_str(), nullptr) != 1) {
      return refused("ca_file", ca);
    }
    if (options.cert_file.empty() != options.key_file.empty())
      return {StatusCode::kInvalidArgument, "tls.cert_file and tls.key_file must be set together, and one is empty"};
    if (options.cert_file.empty()) return {};
    if (ssl_.SSL_CTX_use_certificate_chain_file(context_, options.cert_file.c_str()) != 1)
      return refused("cert_file", options.cert_file);
    if (ssl_.SSL_CTX_use_PrivateKey_file(context_, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
        ssl_.SSL_CTX_check_private_key(context_) != 1)
      return refused("key_file", options.key_file);
    return {};
  }

 private:
  Status refused(const char* option, const std::string& file) const {
    return {StatusCode::kInvalidArgument,
            std::string("tls.") + option + " '" + file + "' cannot be used: " + ssl_.error()};
  }

  const OpenSsl& ssl_;
  SSL_CTX* context_;
};

class TlsPeer final : public Peer {
 public:
  TlsPeer(TlsContext context, PeerAddress address, std::string name, std::chrono::milliseconds patience)
      : context_(std::move(context)),
        ssl_(context_.ssl()),
        address_(std::move(address)),
        name_(std::move(name)),
        patience_(patience) {}
  ~TlsPeer() override {
    if (session_ != nullptr) say_farewell();
    end_session();
  }

  Status connect() override {
    Status status = connect_to(address_, SOCK_STREAM, kConnectAtMost, socket_);
    if (!status.ok()) return status;
    const int on = 1;
    (void)setsockopt(socket_.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    status = begin_session();
    if (status.ok()) status = handshake();
    if (status.ok()) return {};
    end_session();
    socket_.reset();
    return status;
  }

  void disconnect() override {
    if (!socket_.is_open()) return;
    const std::size_t unsure = unacknowledged_.take(socket_.fd());
    if (socket_.is_ours()) lost_ += unsure;  // else the program closed it, and the system goes on sending
    end_session();
    socket_.reset();
  }
  bool has_descriptor() const override { return socket_.is_ours(); }
  void abandon() override { socket_.reset(); }

  Status send(std::span<const Line> lines, std::size_t* sent) override {
    *sent = 0;
    if (Status status = look(); !status.ok()) return status;
    while (*sent < lines.size()) {
      std::size_t count = 0;
      chunk_.clear();
      for (const Line& line : lines.subspan(*sent)) {
        const std::string size = std::to_string(line.text.size());
        if (count != 0 && chunk_.size() + size.size() + 1 + line.text.size() > kRecord) break;
        chunk_.append(size).append(1, ' ').append(line.text);
        ++count;
      }
      ssl_.ERR_clear_error();
      if (ssl_.SSL_write(session_, chunk_.data(), static_cast<int>(chunk_.size())) <= 0) return failed("writing");
      if (Status status = flush(count, patience_); !status.ok()) return status;
      *sent += count;
    }
    return {};
  }

  std::uint64_t take_lost() override { return std::exchange(lost_, 0); }

 private:
  Status begin_session() {
    ssl_.ERR_clear_error();
    session_ = ssl_.SSL_new(context_.get());
    BIO* const in = ssl_.BIO_new(ssl_.BIO_s_mem());
    BIO* const out = ssl_.BIO_new(ssl_.BIO_s_mem());
    if (session_ == nullptr || in == nullptr || out == nullptr) {
      ssl_.BIO_free(in);
      ssl_.BIO_free(out);
      return failed("beginning");
    }
    ssl_.SSL_set_bio(session_, in, out);  // which are its own from now on
    in_ = in;
    out_ = out;
    ssl_.SSL_set_connect_state(session_);
    is_asked_ = false;
    ssl_.SSL_set_cert_cb(session_, note_that_it_asks, &is_asked_);
    const bool named = is_ip(name_)
                           ? ssl_.X509_VERIFY_PARAM_set1_ip_asc(ssl_.SSL_get0_param(session_), name_.c_str()) == 1
                           : ssl_.SSL_set1_host(session_, name_.c_str()) == 1 &&
                                 ssl_.SSL_ctrl(session_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                                               const_cast<char*>(name_.c_str())) == 1;
    return named ? Status() : failed("naming the peer");
  }
  static int note_that_it_asks(SSL*, void* is_asked) {
    *static_cast<bool*>(is_asked) = true;
    return 1;
  }
  void end_session() {
    if (session_ != nullptr) ssl_.SSL_free(session_);
    session_ = nullptr;
  }

  Status handshake() {
    const std::int64_t end = end_of(kHandshakeAtMost);
    bool ended = false;
    for (;;) {
      ssl_.ERR_clear_error();
      const int result = ssl_.SSL_do_handshake(session_);
      const int error = ssl_.SSL_get_error(session_, result);
      Status status = result == 1 || error == SSL_ERROR_WANT_READ ? Status() : failed("the handshake");
      const Status sent = flush(0, left_until(end));  // an alert, too, which says why
      if (!status.ok()) return status;
      if (ended) return {StatusCode::kIoError, "the peer closed the connection during the TLS handshake"};
      if (!sent.ok()) return sent;
      if (result == 1) return await_refusal();
      if (status = socket_.wait(POLLIN, left_until(end)); !status.ok()) return status;
      if (status = receive(&ended); !status.ok()) return status;
    }
  }

  // A peer that asked for a certificate may refuse it only after the handshake; in TLS 1.3 always.
  Status await_refusal() {
    if (!is_asked_) return {};
    const std::int64_t end = end_of(kRefusalAtMost);
    while (monotonic_now() < end && socket_.wait(POLLIN, left_until(end)).ok()) {
      if (Status status = look(); !status.ok()) return status;
    }
    return {};
  }

  static std::int64_t end_of(std::chrono::milliseconds time) {
    return monotonic_now() + std::chrono::nanoseconds(time).count();
  }
  static std::chrono::milliseconds left_until(std::int64_t end) {
    return std::chrono::milliseconds(std::max<std::int64_t>((end - monotonic_now()) / 1'000'000, 0));
  }

  // Passes received bytes to OpenSSL, which must process them before more are read.
  Status receive(bool* ended) {
    constexpr std::size_t kAtMost = std::size_t{64} << 10;
    char bytes[4096];
    for (std::size_t received = 0; received < kAtMost;) {
      const ssize_t n = recv(socket_.fd(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (n > 0) {
        ssl_.BIO_write(in_, bytes, static_cast<int>(n));
        received += static_cast<std::size_t>(n);
      } else if (n == 0 || (errno != EAGAIN && errno != EINTR && received != 0)) {
        *ended = true;  // and what came before may say why
        return {};
      } else if (errno != EINTR) {
        return errno == EAGAIN ? Status() : socket_error(errno);
      }
    }
    return {};
  }

  // Checks whether the peer is still connected. It only ever sends that it closes, or why it does not accept this
  // program.
  Status look() {
    bool ended = false;
    if (Status status = receive(&ended); !status.ok()) return status;
    char ignored[512];
    for (;;) {
      ssl_.ERR_clear_error();
      const int n = ssl_.SSL_read(session_, ignored, sizeof ignored);
      if (n > 0) continue;
      const int error = ssl_.SSL_get_error(session_, n);
      if (error == SSL_ERROR_ZERO_RETURN) ended = true;
      if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_ZERO_RETURN) break;
      return failed("reading");
    }
    if (ended) return {StatusCode::kIoError, "the peer closed the connection"};
    return {};
  }

  // Sends what OpenSSL has for the peer, with so many lines.
  Status flush(std::size_t lines, std::chrono::milliseconds at_most) {
    cipher_.clear();
    char bytes[4096];
    for (int n; (n = ssl_.BIO_read(out_, bytes, sizeof bytes)) > 0;) cipher_.append(bytes, static_cast<std::size_t>(n));
    for (std::size_t done = 0; done < cipher_.size();) {
      const ssize_t n = ::send(socket_.fd(), cipher_.data() + done, cipher_.size() - done, MSG_NOSIGNAL);
      if (n >= 0) {
        done += static_cast<std::size_t>(n);
        unacknowledged_.forget(socket_.fd(), done);
      } else if (errno == EAGAIN) {
        if (Status status = socket_.wait(POLLOUT, at_most); !status.ok()) return status;
      } else if (errno != EINTR) {
        return socket_error(errno);
      }
    }
    unacknowledged_.add(cipher_.size(), lines);
    unacknowledged_.forget(socket_.fd(), 0);
    return {};
  }

  // Says that this is the end, and waits for the peer to close: a connection that is closed with something unread takes
  // what is under way with it.
  void say_farewell() {
    ssl_.ERR_clear_error();
    ssl_.SSL_shutdown(session_);
    const std::int64_t end = end_of(kFarewellAtMost);
    if (!flush(0, kFarewellAtMost).ok()) return;
    (void)shutdown(socket_.fd(), SHUT_WR);
    char ignored[4096];
    while (monotonic_now() < end && socket_.wait(POLLIN, left_until(end)).ok()) {
      const ssize_t n = recv(socket_.fd(), ignored, sizeof ignored, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return;
    }
  }

  Status failed(const char* what) const {
    const long verified = session_ != nullptr ? ssl_.SSL_get_verify_result(session_) : X509_V_OK;
    if (verified != X509_V_OK) {
      return {StatusCode::kPermissionDenied,
              "the certificate of " + name_ + " is not accepted: " + ssl_.X509_verify_cert_error_string(verified)};
    }
    if (is_about_certificate(ssl_.ERR_peek_error()))
      return {StatusCode::kPermissionDenied, "the peer does not accept this program's certificate: " + ssl_.error()};
    return {StatusCode::kIoError, std::string("TLS failed at ") + what + ": " + ssl_.error()};
  }

  TlsContext context_;
  const OpenSsl& ssl_;
  const PeerAddress address_;
  const std::string name_;
  const std::chrono::milliseconds patience_;
  Socket socket_;
  SSL* session_ = nullptr;
  BIO* in_ = nullptr;      // the session's: what has come
  BIO* out_ = nullptr;     // and what is to be sent
  bool is_asked_ = false;  // the peer wants a certificate
  std::string chunk_;
  std::string cipher_;
  Unacknowledged unacknowledged_;
  std::uint64_t lost_ = 0;
};

}  // namespace

Result<std::unique_ptr<Peer>> make_tls_peer(const PeerAddress& address, const TlsOptions& options,
                                            std::chrono::milliseconds patience) {
  const std::string& name = options.peer_name.empty() ? address.host : options.peer_name;
  if (Status status = check_name(name); !status.ok()) return status;
  const auto ssl = load_openssl();
  if (!ssl.ok()) return ssl.status();
  TlsContext context(**ssl);
  if (Status status = context.set_up(options); !status.ok()) return status;
  return std::unique_ptr<Peer>(std::make_unique<TlsPeer>(std::move(context), address, name, patience));
}

}  // namespace steno::sink

#endif
