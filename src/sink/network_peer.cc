#include <netinet/in.h>
#include <poll.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "sink/peer.h"
#include "sink/socket.h"
#include "sink/unacknowledged.h"

namespace steno::sink {
namespace {

// Datagrams are not acknowledged. But a host on which no program listens answers with an error, a moment later.
class UdpPeer final : public Peer {
 public:
  UdpPeer(PeerAddress address, std::chrono::milliseconds patience)
      : address_(std::move(address)), patience_(patience) {}

  Status connect() override {
    if (Status status = connect_to(address_, SOCK_DGRAM, patience_, socket_); !status.ok()) return status;
    const int on = 1;
    (void)setsockopt(socket_.fd(), IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    (void)setsockopt(socket_.fd(), IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on);
    return {};
  }
  void disconnect() override {
    count_refused();
    socket_.reset();
  }
  bool has_descriptor() const override { return socket_.is_ours(); }
  void abandon() override { socket_.reset(); }

  Status send(std::span<const Line> lines, std::size_t* sent) override {
    *sent = 0;
    while (*sent < lines.size()) {
      const std::string_view text = lines[*sent].text;
      if (::send(socket_.fd(), text.data(), text.size(), MSG_NOSIGNAL) >= 0) {
        if (probing_) {
          if (Status status = probe(); !status.ok()) return status;
        }
        ++*sent;
        continue;
      }
      const int error = errno;
      if (error == EINTR) continue;
      if (error == EAGAIN) {
        if (Status status = socket_.wait(POLLOUT, patience_); !status.ok()) return status;
      } else if (error == EMSGSIZE) {
        ++lost_;
        ++*sent;
      } else if (error != ECONNREFUSED || probing_) {
        return socket_error(error);
      } else {  // an error about earlier datagrams
        count_refused();
        probing_ = true;
      }
    }
    return {};
  }

  std::uint64_t take_lost() override {
    count_refused();
    return std::exchange(lost_, 0);
  }

 private:
  // After lines were refused, waits for the answer to the first one that is sent again.
  Status probe() {
    constexpr std::chrono::milliseconds kAnswerAtMost{50};
    if (!socket_.wait(0, kAnswerAtMost).ok()) {
      probing_ = false;
      return {};
    }
    const std::uint64_t before = lost_;
    count_refused();
    if (lost_ > before) --lost_;  // it is sent again
    return socket_error(ECONNREFUSED);
  }

  // Collects errors that have been reported since.
  void count_refused() {
    if (!socket_.is_ours()) return;
    for (;;) {
      char data[1];
      alignas(cmsghdr) char control[512];
      iovec part{data, sizeof data};
      msghdr message{};
      message.msg_iov = &part;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      if (recvmsg(socket_.fd(), &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) break;
      ++lost_;
      probing_ = true;
    }
    int error = 0;
    socklen_t size = sizeof error;
    (void)getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);  // the next call would fail with it
  }

  const PeerAddress address_;
  const std::chrono::milliseconds patience_;
  Socket socket_;
  std::uint64_t lost_ = 0;
  bool probing_ = false;
};

// Octet counting: "LENGTH MESSAGE" (RFC 6587, 3.4.1).
class TcpPeer final : public Peer {
 public:
  TcpPeer(PeerAddress address, std::chrono::milliseconds patience)
      : address_(std::move(address)), patience_(patience) {}

  Status connect() override {
    Status status = connect_to(address_, SOCK_STREAM, patience_, socket_);
    if (!status.ok()) return status;
    const int on = 1;
    (void)setsockopt(socket_.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return {};
  }

  void disconnect() override {
    if (!socket_.is_open()) return;
    const std::size_t unsure = unacknowledged_.take(socket_.fd());
    if (socket_.is_ours()) lost_ += unsure;  // else the program closed it, and the system goes on sending
    socket_.reset();
  }
  bool has_descriptor() const override { return socket_.is_ours(); }
  void abandon() override { socket_.reset(); }

  Status send(std::span<const Line> lines, std::size_t* sent) override {
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    *sent = 0;
    if (Status status = look(); !status.ok()) return status;
    while (*sent < lines.size()) {
      chunk_.clear();
      ends_.clear();
      for (const Line& line : lines.subspan(*sent)) {
        chunk_ += std::to_string(line.text.size());
        chunk_ += ' ';
        chunk_ += line.text;
        ends_.push_back(chunk_.size());
        if (chunk_.size() >= kChunk) break;
      }
      std::size_t whole = 0;
      Status status = send_chunk(&whole);
      *sent += whole;
      if (!status.ok()) return status;
    }
    return {};
  }

  std::uint64_t take_lost() override { return std::exchange(lost_, 0); }

 private:
  // Checks whether the connection is still open. A syslog daemon sends nothing, so the end of the stream is all that
  // can come.
  Status look() {
    char ignored[512];
    for (;;) {
      const ssize_t n = recv(socket_.fd(), ignored, sizeof ignored, MSG_DONTWAIT);
      if (n == 0) return {StatusCode::kIoError, "the peer closed the connection"};
      if (n > 0 || errno == EINTR) continue;
      return errno == EAGAIN ? Status() : socket_error(errno);
    }
  }

  Status send_chunk(std::size_t* whole) {
    std::size_t done = 0;
    std::size_t begin = 0;  // of the first line that is not written as a whole
    while (done < chunk_.size()) {
      const ssize_t n = ::send(socket_.fd(), chunk_.data() + done, chunk_.size() - done, MSG_NOSIGNAL);
      if (n < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return socket_error(errno);
        if (Status status = socket_.wait(POLLOUT, patience_); !status.ok()) return status;
        continue;
      }
      done += static_cast<std::size_t>(n);
      for (; *whole < ends_.size() && ends_[*whole] <= done; ++*whole) {
        unacknowledged_.add(ends_[*whole] - begin, 1);
        begin = ends_[*whole];
      }
      unacknowledged_.forget(socket_.fd(), done - begin);
    }
    return {};
  }

  const PeerAddress address_;
  const std::chrono::milliseconds patience_;
  Socket socket_;
  std::string chunk_;
  std::vector<std::size_t> ends_;
  Unacknowledged unacknowledged_;
  std::uint64_t lost_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_network_peer(const PeerAddress& address, std::chrono::milliseconds patience) {
  if (address.kind == PeerAddress::Kind::kUdp) return std::make_unique<UdpPeer>(address, patience);
  return std::make_unique<TcpPeer>(address, patience);
}

}  // namespace steno::sink
