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
// Returns whether the difference is the largest that a file can state (file.md §4), so that it may be any.
bool is_more_than_stated(std::uint32_t uncertainty_ns);
// The facts that such a file states, for people. Rounded down: it is a lower bound.
inline constexpr char kMostStated[] = "4.29 s";

}  // namespace steno::cli
