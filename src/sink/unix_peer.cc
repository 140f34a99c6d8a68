#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sink/peer.h"
#include "sink/socket.h"

namespace steno::sink {
namespace {

class UnixPeer : public Peer {
 public:
  UnixPeer(std::string path, std::chrono::milliseconds patience) : path_(std::move(path)), patience_(patience) {}

  Status connect() override {
    Status status = connect_as(SOCK_DGRAM);
    stream_ = status.code() == StatusCode::kUnsupported;
    return stream_ ? connect_as(SOCK_STREAM) : status;
  }
  void disconnect() override { socket_.reset(); }
  bool has_descriptor() const override { return socket_.is_ours(); }
  void abandon() override { socket_.reset(); }

  Status send(std::span<const Line> lines, std::size_t* sent) override {
    for (*sent = 0; *sent < lines.size(); ++*sent) {
      const std::string_view text = lines[*sent].text;
      if (Status status = stream_ ? send_in_stream(text) : send_datagram(text); !status.ok()) return status;
    }
    return {};
  }
  std::uint64_t take_lost() override { return std::exchange(lost_, 0); }

 protected:
  // A message that no datagram takes.
  virtual Status send_large(std::string_view) {
    ++lost_;
    return {};
  }
  // Sends `message` when there is room. 0, or errno.
  int send_message(const msghdr& message) {
    for (;;) {
      if (sendmsg(socket_.fd(), &message, MSG_NOSIGNAL) >= 0) return 0;
      if (errno == EAGAIN) {
        if (!socket_.wait(POLLOUT, patience_).ok()) return ETIMEDOUT;
      } else if (errno != EINTR) {
        return errno;
      }
    }
  }

 private:
  // kUnsupported: the socket is of another type.
  Status connect_as(int type) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    return socket_.connect(type, reinterpret_cast<const sockaddr*>(&address), sizeof address, patience_);
  }

  Status send_datagram(std::string_view text) {
    iovec part{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const int error = send_message(message);
    if (error == EMSGSIZE || error == ENOBUFS) return send_large(text);
    return error == 0 ? Status() : socket_error(error);
  }

  // Each message ends in a NUL, as the C library has it.
  Status send_in_stream(std::string_view text) {
    static char end = '\0';
    std::size_t done = 0;
    while (done <= text.size()) {
      iovec parts[] = {{const_cast<char*>(text.data()) + done, text.size() - done}, {&end, 1}};
      msghdr message{};
      message.msg_iov = parts;
      message.msg_iovlen = 2;
      const ssize_t n = sendmsg(socket_.fd(), &message, MSG_NOSIGNAL);
      if (n >= 0) {
        done += static_cast<std::size_t>(n);
      } else if (errno == EAGAIN) {
        if (Status status = socket_.wait(POLLOUT, patience_); !status.ok()) return status;
      } else if (errno != EINTR) {
        return socket_error(errno);
      }
    }
    return {};
  }

  const std::string path_;
  const std::chrono::milliseconds patience_;
  Socket socket_;
  bool stream_ = false;
  std::uint64_t lost_ = 0;
};

class JournalPeer final : public UnixPeer {
 public:
  using UnixPeer::UnixPeer;

 private:
  Status send_large(std::string_view text) override {
    const int fd = memfd_create("steno-journal", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return socket_error(errno);
    Status status = fill_and_pass(fd, text);
    close(fd);
    return status;
  }

  Status fill_and_pass(int fd, std::string_view text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
      if (n < 0 && errno != EINTR) return socket_error(errno);
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
      return socket_error(errno);
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    const int error = send_message(message);
    return error == 0 ? Status() : socket_error(error);
  }
};

}  // namespace

std::unique_ptr<Peer> make_unix_peer(const PeerAddress& address, std::chrono::milliseconds patience) {
  return std::make_unique<UnixPeer>(address.path, patience);
}

std::unique_ptr<Peer> make_journal_peer(const PeerAddress& address, std::chrono::milliseconds patience) {
  return std::make_unique<JournalPeer>(address.path, patience);
}

}  // namespace steno::sink
