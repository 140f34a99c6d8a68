// The rings of a core: how they are made, given to threads, grown, shrunk and taken back.
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/signal_safe_lock.h"
#include "ring/layout.h"
#include "runtime/core.h"

namespace steno::runtime {
namespace {

constexpr std::uint64_t kLeastRingBytes = ring::kMinCapacity * 4;  // where there is no room for more
constexpr std::int64_t kGrowthRetryNs = 1'000'000'000;

}  // namespace

std::uint64_t Ring::take_unaccounted(std::uint64_t dropped) {
  std::uint64_t known = accounted.load(std::memory_order_acquire);
  while (known < dropped && !accounted.compare_exchange_weak(known, dropped, std::memory_order_acq_rel)) {
  }
  return known < dropped ? dropped - known : 0;
}

Ring* Core::add_ring(std::uint32_t id, const ring::RingMemory& memory) {
  Ring* const ring = ring_objects_.make();
  if (ring == nullptr) return nullptr;
  const std::uint32_t index = ring_count_.load(std::memory_order_relaxed);
  ring->id = id;
  ring->index = index;
  ring->memory = memory;
  staging_.begin_ring(id, memory);
  ring->set_extent({0, memory.capacity});
  ring->set_reach(memory.most);
  ring->use.populated = ring::quarter_of(memory.capacity);
  staging_bytes_.fetch_add(ring::kHeaderBytes + memory.capacity, std::memory_order_relaxed);
  rings_[index] = ring;
  releasing(&ring_count_);
  ring_count_.store(index + 1, std::memory_order_release);
  __atomic_store_n(&session().ring_count, index + 1, __ATOMIC_RELEASE);  // after the version of its header
  return ring;
}

Ring* Core::make_recorder(std::uint64_t bytes) {
  const BlockSignals no_handlers;
  std::unique_lock lock(mutex_);
  if (recorder() != nullptr) return recorder();
  recorder_.store(make_reserved_ring(lock, bytes, ring::kRecorderRing, "the flight recorder is"),
                  std::memory_order_release);
  return recorder();
}

// One that is no thread's, and does not grow. nullptr: memory is out. `lock` is of the mutex.
Ring* Core::make_reserved_ring(std::unique_lock<std::mutex>& lock, std::uint64_t bytes, std::uint32_t kind,
                               const char* what) {
  if (ring_count() == 0) {  // ring 0 is a thread's
    Ring* const first = new_ring(lock, 0);
    if (first == nullptr) return nullptr;
    free_rings_.push_back(first);
  }
  if (next_ring_ == kMaxRings) return nullptr;
  const std::uint32_t id = next_ring_++;
  auto memory = staging_.make_ring(id, bytes, bytes);
  if (!memory.ok()) {
    warning_ += (warning_.empty() ? "" : "; ") + memory.status().message() + "; " + what +
                " in private memory, and will not survive a crash";
    memory = ring::Staging::make_private_ring(bytes, bytes);
  }
  if (!memory.ok()) return nullptr;
  memory->header->kind = kind;
  return add_ring(id, *memory);
}

void Core::make_crash_ring() {
  const BlockSignals no_handlers;
  std::unique_lock lock(mutex_);
  if (crash_ring_ != nullptr) return;
  crash_ring_ = make_reserved_ring(lock, kUsualRingBytes, ring::kOrdinaryRing, "records of crashes are");
  if (crash_ring_ != nullptr) give_ring(*crash_ring_, crash_writer_);
}

// The one that was left last is the warmest; one that is still full of its last owner's records will not do.
Ring* Core::take_free_ring(std::uint64_t least_capacity, std::uint64_t room) {
  const auto found = std::find_if(free_rings_.rbegin(), free_rings_.rend(), [&](const Ring* free) {
    const ring::RingHeader* header = free->memory.header;
    // Twice: a record may need a pad before it.
    return free->memory.most >= least_capacity &&
           ring::load_tail(header) - ring::load_head(header) + 2 * room <= free->extent().capacity;
  });
  if (found == free_rings_.rend()) return nullptr;
  Ring* ring = *found;
  free_rings_.erase(std::next(found).base());
  return ring;
}

// Many threads may want one at once, so the system is asked without the mutex, which `lock` holds. But for ring 0,
// which is to be the first.
Ring* Core::new_ring(std::unique_lock<std::mutex>& lock, std::uint64_t room) {
  if (next_ring_ == kMaxRings) return nullptr;
  const std::uint32_t id = next_ring_++;
  const std::uint64_t most = options_.ring_bytes;
  const bool alone = id == 0 || removing_;
  ++rings_in_making_;
  if (!alone) lock.unlock();
  const auto memory = staging_.make_ring(id, std::min(most, kFirstRingBytes), most);
  if (!alone) lock = std::unique_lock(lock_soon(mutex_), std::adopt_lock);
  --rings_in_making_;
  return memory.ok() ? add_ring(id, *memory) : other_ring(id, most, room, memory.status());
}

// Where there is no room for a new ring: one that was left, a smaller one, or one in private memory.
Ring* Core::other_ring(std::uint32_t id, std::uint64_t most, std::uint64_t room, const Status& problem) {
  if (!std::exchange(short_of_rings_, true)) {
    warning_ += (warning_.empty() ? "" : "; ") + problem.message() +
                "; threads that find no room log into smaller rings, or into private memory, whose records will not "
                "survive a crash";
  }
  const std::uint64_t first = std::min(most, kFirstRingBytes);
  Ring* const free = take_free_ring(0, room);
  if (free == nullptr) {
    auto memory = staging_.make_ring(id, std::min(first, kLeastRingBytes), most);
    if (!memory.ok()) memory = ring::Staging::make_private_ring(first, most);
    if (memory.ok()) return add_ring(id, *memory);
  }
  if (next_ring_ == id + 1) next_ring_ = id;  // else no ring has it
  return free;
}

Ring* Core::attach_ring(detail::Writer* writer, std::uint64_t room) {
  const BlockSignals no_handlers;  // one that logs would wait for the mutex
  std::unique_lock lock(lock_soon(mutex_), std::adopt_lock);
  Ring* ring = take_free_ring(options_.ring_bytes, room);
  if (ring == nullptr) ring = new_ring(lock, room);
  if (ring != nullptr) give_ring(*ring, *writer);
  return ring;
}

void Core::give_ring(Ring& ring, detail::Writer& writer) {
  ring.writer = &writer;
  writer.tail = &ring.memory.header->tail;
  ring.use.since = ring.use.visited = monotonic_now();
  ring.use.position = ring::load_tail(ring.memory.header);
  ring.use.hot = ring.use.held_up = false;
  ring.use.retry_at = 0;
  writer.window = ring::quarter_of(ring.extent().capacity);
  configure(writer);
}

bool Core::grow_ring(Ring& ring, std::uint64_t capacity) {
  const std::int64_t now = monotonic_now();
  if (now < ring.use.retry_at) return false;
  const SignalSafeLock lock(mutex_);
  const std::uint64_t before = ring.memory.capacity;
  capacity = std::min(capacity, options_.ring_bytes);
  const bool allowed = capacity > before && staging_bytes() + (capacity - before) <= options_.staging_limit;
  const int error = allowed ? staging_.grow_ring(ring.id, &ring.memory, capacity) : 0;
  if (allowed && error == 0) {
    staging_bytes_.fetch_add(capacity - before, std::memory_order_relaxed);
    ring.set_reach(ring.memory.most);
    return true;
  }
  ring.use.retry_at = now + kGrowthRetryNs;
  ring.set_reach(before);
  if (error != ESTALE && growth_error_ == 0 && !short_of_rings_) growth_error_ = error;
  return false;
}

void Core::shrink_ring(Ring& ring) {
  const SignalSafeLock lock(mutex_);
  shrink_locked(ring);
}

void Core::shrink_locked(Ring& ring) {
  const std::uint64_t before = ring.memory.capacity;
  const std::uint64_t capacity = ring.extent().capacity;
  staging_.shrink_ring(ring.id, &ring.memory, capacity);
  ring.use.populated = std::min(ring.use.populated, capacity);
  ring.set_reach(ring.memory.most);
  staging_bytes_.fetch_sub(before - ring.memory.capacity, std::memory_order_relaxed);
}

void Core::shrink_free_rings() {
  const SignalSafeLock lock(mutex_);
  for (Ring* ring : free_rings_) {
    const std::uint64_t tail = ring::load_tail(ring->memory.header);
    if (ring->memory.capacity <= kUsualRingBytes || ring::load_head(ring->memory.header) != tail) continue;
    ring->set_extent({tail, kUsualRingBytes});
    shrink_locked(*ring);
  }
}

bool Core::has_other_thread(const detail::Writer* own) {
  const SignalSafeLock lock(mutex_);
  return is_others_too(own);
}

// Requires mutex_.
bool Core::is_others_too(const detail::Writer* own) const {
  return std::any_of(rings_, rings_ + ring_count(), [this, own](const Ring* ring) {
    return ring->writer != nullptr && ring->writer != own && ring != crash_ring_;
  });
}

void Core::detach_ring(Ring* ring) {
  const SignalSafeLock lock(mutex_);
  ring->writer = nullptr;
  free_rings_.push_back(ring);
}

}  // namespace steno::runtime
