// Sessions, as `stat` and `verify` show them.
#pragma once

#include <cstdint>

#include "reader/log_file.h"

namespace steno::cli {

// How far the time of a record of the session may be from what the clock said, in ns, at most. 0: records carry the
// clock's own readings. Means nothing if the session is not dated.
std::uint32_t clock_uncertainty(const reader::Session& session);
// The greatest of all sessions that are dated.
std::uint32_t clock_uncertainty(const reader::LogFile& file);

}  // namespace steno::cli
