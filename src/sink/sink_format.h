// How a sink prints, as its options say.
#pragma once

#include <cstdint>
#include <memory>

#include "lines/line_format.h"
#include "steno/sink.h"

namespace steno::sink {

// `terminal`: people watch the target. Requires that the options have been checked.
std::unique_ptr<lines::LineFormat> make_format(const SinkOptions& options, bool terminal);
// How many lines of a statement are printed in a second; 0: all.
std::uint64_t most_rate(const SinkOptions& options, bool terminal);

}  // namespace steno::sink
