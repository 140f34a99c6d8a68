// Syslog and the journal as targets.
#pragma once

#include <memory>

#include "lines/line_format.h"
#include "sink/target.h"

namespace steno::sink {

inline bool is_peer(const SinkOptions& options) {
  return !options.syslog.address.empty() || !options.journal.address.empty();
}
// What its lines are, made of those of `body`.
std::unique_ptr<lines::LineFormat> make_peer_format(const SinkOptions& options,
                                                    std::unique_ptr<lines::LineFormat> body);
// Fails with what is wrong with its options.
Status check_peer(const SinkOptions& options);
// Of options that were checked; nothing is connected to yet.
std::unique_ptr<Target> make_peer_target(const SinkOptions& options);

}  // namespace steno::sink
