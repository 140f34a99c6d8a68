#include "runtime/own_records.h"

#include <cstring>

#include "base/bytes.h"
#include "ring/ring_access.h"
#include "runtime/ring_room.h"
#include "steno/detail/writer.h"
#include "wire/stamp.h"

namespace steno::runtime {
namespace {

// read_clock() finds the writer by slot; while a thread attaches, only its ring knows it.
struct OwnSlot {
  std::uint32_t slot;
  detail::Writer* own;
  detail::Writer* writer() const { return own; }
};

std::uint64_t now_for(Core& core, const Ring& ring) {
  return detail::read_clock(OwnSlot{core.slot(), ring.writer});
}

// The arguments of a record of the protocol's own. Not on the heap: the call may come from a signal handler.
struct OwnArguments {
  std::byte bytes[kThreadRecordRoom];
  std::size_t size = 0;

  template <class T>
  void put(T value) {
    store(bytes + size, value);
    size += sizeof value;
  }
  void put_bytes(const void* data, std::size_t n) {
    std::memcpy(bytes + size, data, n);
    size += n;
  }
};

bool write_arguments(Core& core, Ring& ring, std::uint32_t site, const OwnArguments& arguments) {
  return write_own(core, ring, site, arguments.bytes, arguments.size);
}

}  // namespace

bool write_own(Core& core, Ring& ring, std::uint64_t header, const std::byte* arguments, std::size_t size) {
  const std::size_t bytes = round_up(wire::kArgsOffset + size, 8);
  if (!refill(core, ring, bytes, Level::kCritical)) return false;
  const std::uint64_t position = position_of(ring);
  char* p = reinterpret_cast<char*>(position + ring.writer->base);
  store(p, detail::with_size(header, bytes));
  store(p + 8, now_for(core, ring));
  std::memcpy(p + wire::kArgsOffset, arguments, size);
  publish(ring, position + bytes);
  return true;
}

bool write_thread_record(Core& core, Ring& ring, std::uint32_t index, std::uint64_t tid, std::string_view name) {
  OwnArguments arguments;
  arguments.put(index);
  arguments.put(tid);
  arguments.put(static_cast<std::uint32_t>(name.size()));
  arguments.put_bytes(name.data(), name.size());
  return write_arguments(core, ring, wire::kSiteThread, arguments);
}

void drop(Core& core, Ring& ring) {
  // Readers show it, so it has no mark, which a record's clock may have. A counter has none.
  if (ring.unaccounted() == 0) ring::set_dropping_since(ring.memory.header, wire::time_of(now_for(core, ring)));
  ring::count_dropped(ring.memory.header);
}

bool report_drops(Core& core, Ring& ring) {
  if (!refill(core, ring, kDropRecord, Level::kCritical)) return false;
  ring.reports.fetch_add(1, std::memory_order_acq_rel);
  bool reported = true;
  // 0: the scribe was faster.
  if (const std::uint64_t dropped = ring.take_unaccounted(ring.dropped()); dropped != 0) {
    OwnArguments arguments;
    arguments.put(dropped);
    arguments.put(ring::dropping_since(ring.memory.header));
    reported = write_arguments(core, ring, wire::kSiteDropped, arguments);
  }
  ring.reports.fetch_sub(1, std::memory_order_release);  // pairs with AbsentScribe::leave_losses()
  return reported;
}

}  // namespace steno::runtime
