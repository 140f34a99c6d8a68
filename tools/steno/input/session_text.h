// Sessions, as `stat` and `verify` show them.
#pragma once

#include <cstdint>

#include "reader/log_file.h"

namespace steno::cli {

// The largest difference in ns between a record's time and the clock. 0: records carry the clock's own readings.
// Meaningless if the session is not dated.
std::uint32_t clock_uncertainty(const reader::Session& session);
// The largest of all dated sessions.
std::uint32_t clock_uncertainty(const reader::LogFile& file);

}  // namespace steno::cli
