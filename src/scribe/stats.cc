#include "scribe/stats.h"

#include "ring/ring_access.h"
#include "scribe/scribe.h"

namespace steno::scribe {

void set_ring_stats(runtime::Core& core, Stats* stats) {
  stats->discarded = core.discards().total();
  stats->staging_bytes = core.rings().bytes();
  stats->stalls = core.stalls().count();
  stats->longest_stall_ns = core.stalls().longest_ns();
  for (std::uint32_t i = 0; i < core.rings().count(); ++i) {
    const ring::RingHeader* const header = core.rings().at(i).memory.header;
    stats->dropped += ring::load_dropped(header);
    if (&core.rings().at(i) == core.recorder()) continue;  // what the flight recorder holds is no backlog
    const std::uint64_t head = ring::load_head(header);    // first: it is at most the tail that is read after it
    stats->backlog_bytes += ring::load_tail(header) - head;
  }
}

// Called by the scribe's thread only, so a load and a store are enough.
void Scribe::note_lag(std::int64_t ns) {
  const auto lag = static_cast<std::uint64_t>(ns);
  lag_ns_.store(lag, std::memory_order_relaxed);
  if (lag > longest_lag_ns_.load(std::memory_order_relaxed)) longest_lag_ns_.store(lag, std::memory_order_relaxed);
}

Stats Scribe::stats() const {
  Stats stats;
  stats.records = records_.load(std::memory_order_relaxed);
  stats.blocks = blocks_.load(std::memory_order_relaxed);
  stats.bytes = bytes_.load(std::memory_order_relaxed);
  stats.quick_blocks = quick_blocks_.load(std::memory_order_relaxed);
  stats.scribe_cpu_ns = cpu_ns_.load(std::memory_order_relaxed);
  stats.most_backlog_bytes = most_backlog_bytes_.load(std::memory_order_relaxed);
  stats.lag_ns = lag_ns_.load(std::memory_order_relaxed);
  stats.longest_lag_ns = longest_lag_ns_.load(std::memory_order_relaxed);
  set_ring_stats(core_, &stats);
  return stats;
}

}  // namespace steno::scribe
