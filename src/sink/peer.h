// A connection to a daemon that takes messages, by datagrams or a stream, on this machine or over the network.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sink/peer_address.h"
#include "steno/sink.h"
#include "steno/status.h"

namespace steno::sink {

// Used by one thread. Each wait for the peer ends after the `patience` that the peer was made with, but for those that
// are named below.
class Peer {
 public:
  // TLS: waits up to 200 ms until the peer has closed the connection.
  virtual ~Peer() = default;
  // Looks the host up, which takes as long as the system's resolver does. Then waits for each of its addresses, 5 s at
  // most (TLS: up to 5 s whatever the patience, and another 5 s for the handshake).
  virtual Status connect() = 0;
  virtual void disconnect() = 0;
  // False: the program has closed the connection's descriptor. Nothing is to be sent by it.
  virtual bool has_descriptor() const = 0;
  // Hands lines to the system in order. `*sent` of them went out whole, the others not at all. On an error the
  // connection has to be made again. UDP: after lines were refused, waits up to 50 ms for the answer to the next one.
  virtual Status send(std::span<const Line> lines, std::size_t* sent) = 0;
  // How many lines that were sent have turned out not to have arrived, since the last call.
  virtual std::uint64_t take_lost() { return 0; }
  // Does what Target::abandon() does.
  virtual void abandon() = 0;
};

std::unique_ptr<Peer> make_unix_peer(const PeerAddress& address, std::chrono::milliseconds patience);
// UDP and TCP.
std::unique_ptr<Peer> make_network_peer(const PeerAddress& address, std::chrono::milliseconds patience);
// Fails if there is no OpenSSL, or if a file of certificates or keys cannot be used.
Result<std::unique_ptr<Peer>> make_tls_peer(const PeerAddress& address, const TlsOptions& options,
                                            std::chrono::milliseconds patience);
// A message that is too large for a datagram goes into a sealed memory file, whose descriptor is sent instead.
std::unique_ptr<Peer> make_journal_peer(const PeerAddress& address, std::chrono::milliseconds patience);

}  // namespace steno::sink
