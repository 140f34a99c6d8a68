// Syslog and the journal as targets.
#pragma once

#include <memory>

#include "lines/line_format.h"
#include "sink/target.h"

namespace steno::sink {

inline bool is_peer(const SinkOptions& options) {
  return !options.syslog.address.empty() || !options.journal.address.empty();
}
// The format of a peer's lines, around messages that `body` formats.
std::unique_ptr<lines::LineFormat> make_peer_format(const SinkOptions& options,
                                                    std::unique_ptr<lines::LineFormat> body);
// Fails if an option is invalid; the message names it.
Status check_peer(const SinkOptions& options);
// Requires that check_peer() passed. Connects with the first line.
std::unique_ptr<Target> make_peer_target(const SinkOptions& options);

}  // namespace steno::sink
