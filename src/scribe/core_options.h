// Converts a session's options into those of the core, its producers and the file.
#pragma once

#include "logfile/sync_schedule.h"
#include "runtime/core.h"
#include "steno/session.h"

namespace steno::scribe {

inline constexpr std::uint64_t kLeastRecorderBytes = std::uint64_t{1} << 16;

runtime::CoreOptions make_core_options(const Options& options);
logfile::SyncPolicy make_sync_policy(const Options& options);

}  // namespace steno::scribe
