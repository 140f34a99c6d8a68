#include "runtime/ring_room.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/kill_point.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "staging/memory.h"
#include "steno/detail/writer.h"
#include "wire/record.h"

namespace steno::runtime {
namespace {

using detail::Writer;

constexpr std::uint64_t kGrowth = 4;
constexpr std::uint64_t kLargeForHot = std::uint64_t{1} << 20;
constexpr std::int64_t kHotQuarterNs = 16'000'000;  // a quarter of a ring that is filled in less
constexpr std::int64_t kIdleNs = 30'000'000'000;    // between two visits of a producer whose ring is too large

// The end of a ring is kept for what is more severe than `level`, so that of the records that find no room the most
// severe are the last to be dropped. How much of it.
std::uint64_t kept_from(std::uint64_t capacity, Level level) {
  if (level >= Level::kCritical) return 0;
  return level == Level::kError ? capacity / 32 : level == Level::kWarn ? capacity / 16 : capacity / 8;
}

void use_extent(Ring& ring, const ring::Extent& extent) {
  ring.set_extent(extent);
  ring.set_window();
}

// To the end of the lap.
void write_pads(Ring& ring, const ring::Extent& extent, std::uint64_t position, std::uint64_t bytes) {
  while (bytes != 0) {
    const std::uint64_t pad = std::min<std::uint64_t>(bytes, wire::kMaxRecordSize);
    const wire::Header header = {wire::kSitePad, static_cast<std::uint16_t>(pad / 8), 0};
    store(ring.memory.data + extent.address(position), header.pack());
    position += pad;
    bytes -= pad;
  }
  publish(ring, position);
}

// Measures how quickly the ring fills. A ring that is larger than needed shrinks when it is empty, but not while a call
// that a signal handler interrupted may still use the space granted to it.
void note_use(Core& core, Ring& ring, std::uint64_t head, std::uint64_t position) {
  auto& use = ring.use;
  const std::int64_t now = monotonic_now();
  const std::uint64_t capacity = ring.extent().capacity;
  if (position - use.position >= capacity / 4) {
    use.hot = now - use.since < kHotQuarterNs;
    use.position = position;
    use.since = now;
  }
  const bool idle = now - std::exchange(use.visited, now) > kIdleNs;
  if (!idle || position != head || capacity <= kUsualRingBytes) return;
  if (ring.writer->granted > position + kUsualRingBytes) return;
  const NoCancellation guard;
  use_extent(ring, {position, kUsualRingBytes});
  core.rings().shrink(ring);
}

// Returns whether it is time for a larger ring though this one has room: it fills so fast, or the scribe is so late,
// that the next lap, in which it cannot grow, may find none. A large ring does not grow for its speed alone: memory
// that is used in turns should stay in the caches. The size that a thread begins with is for those that log next to
// nothing; in others it would make small blocks.
bool is_scarce(const Ring& ring, const ring::Extent& extent, std::uint64_t position, std::uint64_t waiting) {
  const std::uint64_t capacity = extent.capacity;
  const bool filled_once = position - extent.base >= capacity;
  return (capacity < kUsualRingBytes && filled_once) || (ring.use.hot && capacity < kLargeForHot) || ring.use.held_up ||
         waiting > capacity / 2;
}

}  // namespace

std::uint64_t free_end(std::uint64_t capacity, std::uint64_t head, std::uint64_t position, Level level) {
  return head + capacity - (position == head ? 0 : kept_from(capacity, level));
}

bool grow(Core& core, Ring& ring, std::size_t bytes) {
  const ring::Extent old = ring.extent();
  const std::uint64_t most = ring.memory.most;
  if (old.capacity >= most) return false;
  const std::uint64_t head = ring::load_head(ring.memory.header);
  const std::uint64_t position = position_of(ring);
  const bool empty = position == head;
  const std::uint64_t offset = old.address(position);
  const std::uint64_t pad = empty || offset == 0 ? 0 : old.capacity - offset;
  if (position + pad > head + old.capacity) return false;
  const NoCancellation guard;
  const std::uint64_t wanted = std::min(most, std::max(kGrowth * old.capacity, std::bit_ceil(2 * bytes)));
  if (ring.memory.capacity < wanted) (void)core.rings().grow(ring, wanted);
  if (ring.memory.capacity <= old.capacity) return false;
  if (pad != 0) write_pads(ring, old, position, pad);
  use_extent(ring, {empty ? position : position + pad - old.capacity, ring.memory.capacity});
  ring.use.held_up = false;
  STENO_KILL_POINT("producer.ring_grown");
  return true;
}

bool refill(Core& core, Ring& ring, std::size_t bytes, Level level) {
  const std::uint64_t head = ring::load_head(ring.memory.header);
  std::uint64_t position = position_of(ring);
  note_use(core, ring, head, position);
  ring::Extent extent = ring.extent();
  std::uint64_t offset = 0;
  std::uint64_t pad = 0;
  bool fits = false;
  const auto look = [&] {
    offset = extent.address(position);
    pad = offset + bytes > extent.capacity ? extent.capacity - offset : 0;
    fits = position + pad + bytes <= free_end(extent.capacity, head, position, level);
  };
  look();
  const bool may_grow_here = pad != 0 || offset == 0 || position == head;
  if (!fits || (may_grow_here && is_scarce(ring, extent, position + pad, position + pad - head))) {
    if (grow(core, ring, bytes)) {
      position = position_of(ring);
      extent = ring.extent();
      look();
    }
  }
  if (!fits) return false;
  if (pad != 0) {
    write_pads(ring, extent, position, pad);
    position += pad;
    offset = 0;
  }
  Writer& w = *ring.writer;
  // Not past the next quarter, so that we come by here and see whether the scribe must be woken.
  const std::uint64_t quarter = ring::quarter_of(extent.capacity);
  const std::uint64_t quarter_end = round_up(offset + bytes, quarter);
  // Nor into what is kept, but for this record: the next one may be of another level.
  const std::uint64_t everybodys =
      std::max(position + bytes, head + extent.capacity - kept_from(extent.capacity, Level::kTrace));
  w.granted = std::min(everybodys, position - offset + std::min(extent.capacity, quarter_end));
  w.base = reinterpret_cast<std::uint64_t>(ring.memory.data) + offset - position;
  if (quarter_end > ring.use.populated) {
    const std::uint64_t end = std::min(extent.capacity, quarter_end);
    staging::populate(ring.memory.data - ring::kHeaderBytes, ring::kHeaderBytes + ring.use.populated,
                      ring::kHeaderBytes + end);
    ring.use.populated = end;
  }
  if (position - head >= ring::wake_mark_of(extent.capacity)) core.scribe_call().wake(false);
  return true;
}

}  // namespace steno::runtime
