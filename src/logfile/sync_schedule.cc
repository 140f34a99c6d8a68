#include "logfile/sync_schedule.h"

#include "base/clock.h"

namespace steno::logfile {

SyncSchedule::SyncSchedule(const SyncPolicy& policy) : policy_(policy), last_(monotonic_now()) {}

void SyncSchedule::wrote(Level top) {
  written_ = true;
  soon_ = soon_ || (policy_.at_once && top >= *policy_.at_once);
}

void SyncSchedule::run(OutputFile& file, bool all, const std::function<void(const std::string&)>& warn) {
  if (!written_ || policy_.never) return;
  const std::int64_t now = monotonic_now();
  if (!all && !soon_ && !(policy_.interval_ns && now - last_ >= *policy_.interval_ns)) return;
  const Status status = file.sync();
  if (!status.ok() && !failing_) warn(status.message());
  if (status.ok() && failing_) warn(file.path() + " reaches the disk again");
  failing_ = !status.ok();
  last_ = now;
  written_ = soon_ = false;
}

}  // namespace steno::logfile
