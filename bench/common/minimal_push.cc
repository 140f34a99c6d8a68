#include "common/minimal_push.h"

#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "base/pause.h"
#include "common/harness.h"

namespace steno::bench {

thread_local constinit MinimalRing minimal_ring{};

void minimal_wait(std::size_t bytes) {
  MinimalRing& ring = minimal_ring;
  if (ring.cursor + bytes > ring.capacity) {
    ring.tail += ring.capacity - ring.cursor;
    ring.cursor = 0;
  }
  do {
    ring.limit = __atomic_load_n(ring.shared_head, __ATOMIC_ACQUIRE) + ring.capacity;
  } while (ring.tail + bytes > ring.limit);
}

struct MinimalConsumer::Shared {
  alignas(128) std::uint64_t tail = 0;
  alignas(128) std::uint64_t head = 0;
  alignas(128) std::uint64_t time = 1;
  alignas(128) std::atomic<bool> stop{false};
  const char* data = nullptr;
  std::uint64_t mask = 0;
  std::thread thread;
};

MinimalConsumer::MinimalConsumer(std::size_t capacity) : shared_(new Shared) {
  void* data = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  minimal_ring = {static_cast<char*>(data), capacity, 0, 0, capacity, &shared_->tail, &shared_->head, &shared_->time};
  shared_->data = static_cast<const char*>(data);
  shared_->mask = capacity - 1;
  shared_->thread = std::thread([shared = shared_] {
    pin(1);
    // A consumer has read what it releases: the producer's stores then wait for the lines, as any logger's do.
    std::uint64_t read = 0;
    std::uint64_t sum = 0;
    while (!shared->stop.load(std::memory_order_relaxed)) {
      const std::uint64_t tail = __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE);
      for (; read < tail; read += 8) sum += __atomic_load_n(&shared->data[read & shared->mask], __ATOMIC_RELAXED);
      asm volatile("" : : "r"(sum));
      __atomic_store_n(&shared->head, tail, __ATOMIC_RELEASE);
      __atomic_store_n(&shared->time, counter_now(), __ATOMIC_RELAXED);
      for (int i = 0; i < 64; ++i) cpu_pause();
    }
  });
}

MinimalConsumer::~MinimalConsumer() {
  shared_->stop = true;
  shared_->thread.join();
  munmap(minimal_ring.data, minimal_ring.capacity);
  minimal_ring = {};
  delete shared_;
}

void MinimalConsumer::drain() const {
  while (__atomic_load_n(&shared_->head, __ATOMIC_ACQUIRE) != minimal_ring.tail) cpu_pause();
}

}  // namespace steno::bench
