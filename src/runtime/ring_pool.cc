#include "runtime/ring_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/kill_point.h"
#include "base/own_process.h"
#include "base/signal_safe_lock.h"
#include "ring/layout.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "staging/memory.h"

namespace steno::runtime {
namespace {

constexpr std::uint64_t kLeastRingBytes = ring::kMinCapacity * 4;  // where there is no room for more
constexpr std::int64_t kGrowthRetryNs = 1'000'000'000;

// The memory that a ring of that capacity takes.
std::uint64_t taken_by(std::uint64_t capacity) {
  return staging::whole_pages(ring::kHeaderBytes + capacity);
}

}  // namespace

Status RingPool::open() {
  void* table = mmap(nullptr, kMaxRings * sizeof(Ring*), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) return {StatusCode::kExhausted, "no memory for the table of rings"};
  rings_ = static_cast<Ring**>(table);
  claim_process();
  windows_ = static_cast<std::uint64_t*>(map_wiped(kMaxRings * sizeof *windows_));
  if (windows_ == nullptr) return {StatusCode::kExhausted, "no memory for the table of rings"};
  return {};
}

Ring* RingPool::add(std::uint32_t id, const staging::RingMemory& memory) {
  Ring* const ring = objects_.make();
  if (ring == nullptr) return nullptr;
  const std::uint32_t index = count_.load(std::memory_order_relaxed);
  ring->core = core_;
  ring->id = id;
  ring->index = index;
  ring->window = &windows_[index];
  ring->memory = memory;
  staging_.begin_ring(id, memory);
  ring->set_extent({0, memory.capacity});
  ring->set_reach(memory.most);
  ring->use.populated = ring::quarter_of(memory.capacity);
  bytes_.fetch_add(taken_by(memory.capacity), std::memory_order_relaxed);
  rings_[index] = ring;
  releasing(&count_);
  count_.store(index + 1, std::memory_order_release);
  ring::publish_ring_count(*staging_.session(), index + 1);
  return ring;
}

// The one that was left last is the warmest; one that is still full of its last owner's records will not do.
Ring* RingPool::take_free(std::uint64_t least_capacity, std::uint64_t room) {
  const auto found = std::find_if(free_.rbegin(), free_.rend(), [&](const Ring* free) {
    const ring::RingHeader* header = free->memory.header;
    // Twice: a record may need a pad before it.
    return free->memory.most >= least_capacity &&
           ring::load_tail(header) - ring::load_head(header) + 2 * room <= free->extent().capacity;
  });
  if (found == free_.rend()) return nullptr;
  Ring* ring = *found;
  free_.erase(std::next(found).base());
  return ring;
}

// Many threads may want one at once, so the system is asked without the mutex, which `lock` holds. But for ring 0,
// which is to be the first.
Ring* RingPool::make(std::unique_lock<std::mutex>& lock, std::uint64_t room) {
  if (next_id_ == kMaxRings) return nullptr;
  const std::uint32_t id = next_id_++;
  const std::uint64_t most = limits_.ring_bytes;
  const bool alone = id == 0 || removing_;
  ++in_making_;
  if (!alone) lock.unlock();
  const auto memory = staging_.make_ring(id, std::min(most, kFirstRingBytes), most);
  if (!alone) lock = std::unique_lock(lock_soon(mutex_), std::adopt_lock);
  --in_making_;
  return memory.ok() ? add(id, *memory) : make_other(id, most, room, memory.status());
}

// Where there is no room for a new ring: one that was left, a smaller one, or one in private memory.
Ring* RingPool::make_other(std::uint32_t id, std::uint64_t most, std::uint64_t room, const Status& problem) {
  if (!std::exchange(short_of_rings_, true)) {
    warn(problem.message() +
         "; new threads get smaller rings, or rings in private memory, whose records will not survive a crash");
  }
  const std::uint64_t first = std::min(most, kFirstRingBytes);
  Ring* const free = take_free(0, room);
  if (free == nullptr) {
    auto memory = staging_.make_ring(id, std::min(first, kLeastRingBytes), most);
    if (!memory.ok()) memory = staging::OwnStaging::make_private_ring(first, most);
    if (memory.ok()) return add(id, *memory);
  }
  if (next_id_ == id + 1) next_id_ = id;  // else no ring has it
  return free;
}

Ring* RingPool::attach(detail::Writer* writer, std::uint64_t room) {
  const BlockSignals no_handlers;  // one that logs would wait for the mutex
  std::unique_lock lock(lock_soon(mutex_), std::adopt_lock);
  Ring* ring = take_free(limits_.ring_bytes, room);
  if (ring == nullptr) ring = make(lock, room);
  if (ring != nullptr) give(*ring, *writer);
  return ring;
}

void RingPool::give(Ring& ring, detail::Writer& writer) {
  ring.writer = &writer;
  writer.tail = &ring.memory.header->tail;
  ring.use.since = ring.use.visited = monotonic_now();
  ring.use.position = ring::load_tail(ring.memory.header);
  ring.use.hot = ring.use.held_up = false;
  ring.use.retry_at = 0;
  ring.set_window();
  writer.window = ring.window;
  configure(writer);
}

bool RingPool::grow(Ring& ring, std::uint64_t capacity) {
  const std::int64_t now = monotonic_now();
  if (now < ring.use.retry_at) return false;
  const SignalSafeLock lock(mutex_);
  const std::uint64_t before = ring.memory.capacity;
  capacity = std::min(capacity, limits_.ring_bytes);
  const std::uint64_t more = capacity > before ? taken_by(capacity) - taken_by(before) : 0;
  const bool allowed = capacity > before && bytes() + more <= limits_.staging_limit;
  const int error = allowed ? staging_.grow_ring(ring.id, &ring.memory, capacity) : 0;
  if (allowed && error == 0) {
    bytes_.fetch_add(more, std::memory_order_relaxed);
    ring.set_reach(ring.memory.most);
    return true;
  }
  ring.use.retry_at = now + kGrowthRetryNs;
  ring.set_reach(before);
  if (error != ESTALE && growth_error_ == 0 && !short_of_rings_) growth_error_ = error;
  return false;
}

void RingPool::shrink(Ring& ring) {
  const SignalSafeLock lock(mutex_);
  shrink_locked(ring);
}

void RingPool::shrink_locked(Ring& ring) {
  const std::uint64_t before = ring.memory.capacity;
  const std::uint64_t capacity = ring.extent().capacity;
  staging_.shrink_ring(ring.id, &ring.memory, capacity);
  ring.use.populated = std::min(ring.use.populated, capacity);
  ring.set_reach(ring.memory.most);
  bytes_.fetch_sub(taken_by(before) - taken_by(ring.memory.capacity), std::memory_order_relaxed);
}

void RingPool::shrink_free() {
  const SignalSafeLock lock(mutex_);
  for (Ring* ring : free_) {
    const std::uint64_t tail = ring::load_tail(ring->memory.header);
    if (ring->memory.capacity <= kUsualRingBytes || ring::load_head(ring->memory.header) != tail) continue;
    ring->set_extent({tail, kUsualRingBytes});
    shrink_locked(*ring);
  }
}

bool RingPool::has_other_thread(const detail::Writer* own) {
  const SignalSafeLock lock(mutex_);
  return is_others_too(own);
}

// Requires mutex_.
bool RingPool::is_others_too(const detail::Writer* own) const {
  return std::any_of(rings_, rings_ + count(), [own](const Ring* ring) {
    return ring->writer != nullptr && ring->writer != own && !ring->is_reserved;
  });
}

bool RingPool::is_anyone_inside() {
  const SignalSafeLock lock(mutex_);
  return std::any_of(rings_, rings_ + count(), [](const Ring* ring) {
    return ring->writer != nullptr && __atomic_load_n(&ring->writer->limit, __ATOMIC_RELAXED) == 0;
  });
}

void RingPool::forget_writer(Ring* ring) {
  const SignalSafeLock lock(mutex_);
  ring->writer = nullptr;
}

void RingPool::detach(Ring* ring) {
  const SignalSafeLock lock(mutex_);
  ring->writer = nullptr;
  free_.push_back(ring);
}

void RingPool::configure(detail::Writer& writer) const {
  __atomic_store_n(&writer.notify_level, settings_.notify_level, __ATOMIC_RELAXED);
  // Release: pairs with the fence in Core::called_time(), and with the use of the pointer.
  __atomic_store_n(&writer.clock_line, settings_.clock_line, __ATOMIC_RELEASE);
}

void RingPool::set_writers(const WriterSettings& settings) {
  settings_ = settings;
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (at(i).writer != nullptr) configure(*at(i).writer);
  }
}

void RingPool::restart() {
  for (std::uint32_t i = 0; i < count(); ++i) {
    ring::RingHeader* header = at(i).memory.header;
    const ring::Release& last = ring::last_release(header);
    at(i).owner = ring::owner_at(header, last);  // another process may have drained the session before
    ring::publish(header, ring::restarted(last), at(i).owner);
    STENO_KILL_POINT("core.ring_restarted");
    ring::publish_ring_session(header, staging_.session()->session_id);
  }
}

Ring* RingPool::make_reserved(std::uint64_t bytes, std::uint32_t kind, const char* what) {
  const BlockSignals no_handlers;
  std::unique_lock lock(mutex_);
  if (count() == 0) {  // ring 0 is a thread's
    Ring* const first = make(lock, 0);
    if (first == nullptr) return nullptr;
    free_.push_back(first);
  }
  if (next_id_ == kMaxRings) return nullptr;
  const std::uint32_t id = next_id_++;
  auto memory = staging_.make_ring(id, bytes, bytes);
  if (!memory.ok()) {
    warn(memory.status().message() + "; " + what + " in private memory, and will not survive a crash");
    memory = staging::OwnStaging::make_private_ring(bytes, bytes);
  }
  if (!memory.ok()) return nullptr;
  memory->header->kind = kind;
  Ring* const ring = add(id, *memory);
  if (ring != nullptr) ring->is_reserved = true;
  return ring;
}

void RingPool::give_reserved(Ring& ring, detail::Writer* writer) {
  const SignalSafeLock lock(mutex_);
  give(ring, *writer);
}

void RingPool::await_rings_in_making(std::unique_lock<std::mutex>& lock) {
  removing_ = true;
  while (in_making_ != 0) {
    lock.unlock();
    usleep(50);  // whoever makes one may have a lower priority
    lock.lock();
  }
}

void RingPool::warn(const std::string& text) {
  warning_ += (warning_.empty() ? "" : "; ") + text;
}

std::string RingPool::take_warning() {
  const SignalSafeLock lock(mutex_);
  if (!warning_.empty()) return std::exchange(warning_, {});
  if (growth_error_ == 0 || std::exchange(warned_of_growth_, true)) return {};
  return staging_.path() + ": rings cannot grow: " + strerror(growth_error_) +
         "; threads that log much will wait for the scribe, or drop records, sooner";
}

}  // namespace steno::runtime
