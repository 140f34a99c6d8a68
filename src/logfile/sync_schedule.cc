#include "logfile/sync_schedule.h"

#include <algorithm>

#include "base/clock.h"

namespace steno::logfile {

SyncSchedule::SyncSchedule(const SyncPolicy& policy) : policy_(policy), last_(monotonic_now()) {}

void SyncSchedule::wrote(std::optional<Level> top) {
  written_ = true;
  soon_ = soon_ || (policy_.at_once && top && *top >= *policy_.at_once);
}

std::int64_t SyncSchedule::due_in() const {
  if (!written_ || policy_.never) return INT64_MAX;
  if (soon_) return 0;
  if (!policy_.interval_ns) return INT64_MAX;
  return std::max<std::int64_t>(last_ + *policy_.interval_ns - monotonic_now(), 0);
}

void SyncSchedule::run(OutputFile& file, bool all, const std::function<void(const std::string&)>& warn) {
  if (!written_ || policy_.never || (!all && due_in() != 0)) return;
  const Status status = file.sync();
  if (!status.ok() && !failing_) warn(status.message());
  if (status.ok() && failing_) warn(file.path() + " can be forced to the disk again");
  failing_ = !status.ok();
  last_ = monotonic_now();
  written_ = soon_ = false;
}

}  // namespace steno::logfile
