// A connection to who takes messages: datagrams or a stream, on this machine or over the network.
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

// Used by one thread, which it keeps no longer than the patience it was made with.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual Status connect() = 0;
  virtual void disconnect() = 0;
  // Hands lines to the system, one after another; `*sent` of them whole, the others not at all. Fails where the peer is
  // to be connected to again.
  virtual Status send(std::span<const Line> lines, std::size_t* sent) = 0;
  // Lines that were sent, and are known since then not to have arrived.
  virtual std::uint64_t take_lost() { return 0; }
};

std::unique_ptr<Peer> make_unix_peer(const PeerAddress& address, std::chrono::milliseconds patience);
// UDP and TCP.
std::unique_ptr<Peer> make_network_peer(const PeerAddress& address, std::chrono::milliseconds patience);
// Fails where there is no OpenSSL, or a file cannot be used.
Result<std::unique_ptr<Peer>> make_tls_peer(const PeerAddress& address, const TlsOptions& options,
                                            std::chrono::milliseconds patience);
// What is too large for a datagram goes into a sealed file in memory, of which it is given the descriptor.
std::unique_ptr<Peer> make_journal_peer(const PeerAddress& address, std::chrono::milliseconds patience);

}  // namespace steno::sink
