#include "common/ring_consumer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "base/pause.h"
#include "common/harness.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "runtime/core.h"

namespace steno::bench {

RingConsumer::RingConsumer(Take take) : take_(std::move(take)) {
  runtime::CoreOptions options;
  options.clock = best_clock();
  runtime::core_of_slot(0)->begin(options, "", {});
  thread_ = std::thread([this] {
    pin(1);
    while (!stop_.load(std::memory_order_relaxed)) {
      drain();
      for (int i = 0; i < 64; ++i) cpu_pause();
    }
    drain();
    runtime::core_of_slot(0)->end();
  });
}

RingConsumer::~RingConsumer() {
  stop_ = true;
  thread_.join();
}

void RingConsumer::drain() const {
  runtime::Core& core = *runtime::core_of_slot(0);
  for (std::uint32_t i = 0; i < core.rings().count(); ++i) {
    const auto& memory = core.rings().at(i).memory;
    ring::Release release = ring::last_release(memory.header);
    const std::uint64_t tail = ring::load_tail(memory.header);
    const ring::Extent extent = core.rings().at(i).extent();
    while (take_ && release.position != tail) {
      const std::uint64_t at = extent.address(release.position);
      const std::uint64_t size = std::min(tail - release.position, extent.capacity - at);
      take_(reinterpret_cast<const char*>(memory.data) + at, size);
      release.position += size;
    }
    release.position = tail;
    ring::store_release(memory.header, release);
  }
}

}  // namespace steno::bench
