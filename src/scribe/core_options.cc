#include "scribe/core_options.h"

#include <algorithm>

namespace steno::scribe {

runtime::CoreOptions make_core_options(const Options& options) {
  runtime::CoreOptions out;
  out.ring_bytes = ring::kMinCapacity;
  while (out.ring_bytes < options.ring_bytes && out.ring_bytes < ring::kMaxCapacity) out.ring_bytes *= 2;
  out.staging_limit = std::max<std::uint64_t>(options.staging_limit, out.ring_bytes);
  for (int level = 0; level < kLevelCount; ++level) {
    WhenFull policy = options.when_full;
    if (auto it = options.when_full_at.find(static_cast<Level>(level)); it != options.when_full_at.end())
      policy = it->second;
    out.when_full[level] = policy == WhenFull::kBlock ? runtime::WhenFull::kBlock : runtime::WhenFull::kDrop;
  }
  switch (options.clock) {
    case Clock::kBest:
      out.clock = best_clock();
      break;
    case Clock::kWall:
      out.clock = ClockKind::kWall;
      break;
    case Clock::kCoarse:
      out.clock = ClockKind::kCoarse;
      break;
    case Clock::kUser:
      out.clock = ClockKind::kUser;
      out.user_clock = options.user_clock;
      break;
  }
  int notify = static_cast<int>(options.flush_level);
  if (options.sync == Sync::kOnLevel) notify = std::min(notify, static_cast<int>(options.sync_level));
  if (options.recorder.below != Level::kTrace) {
    out.recorder_below = options.recorder.below;
    out.recorder_bytes = kLeastRecorderBytes;
    while (out.recorder_bytes < options.recorder.bytes && out.recorder_bytes < ring::kMaxCapacity)
      out.recorder_bytes *= 2;
    out.recorder_trigger = options.recorder.trigger;
    out.recorder_records = options.recorder.records;
    out.recorder_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(options.recorder.time).count());
    notify = std::min(notify, static_cast<int>(options.recorder.trigger));
  }
  out.notify_level = static_cast<std::uint8_t>(notify);
  out.crash_record = options.crash_record;
  out.external = options.scribe == steno::Scribe::kExternal;
  return out;
}

logfile::SyncPolicy make_sync_policy(const Options& options) {
  logfile::SyncPolicy policy;
  policy.never = options.sync == Sync::kNever;
  if (options.sync == Sync::kEachBlock) policy.at_once = Level::kTrace;
  if (options.sync == Sync::kOnLevel) policy.at_once = options.sync_level;
  if (options.sync == Sync::kInterval) policy.interval_ns = std::chrono::nanoseconds(options.sync_interval).count();
  return policy;
}

}  // namespace steno::scribe
