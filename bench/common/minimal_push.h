// The yardstick of a log call: a ring of one producer and one consumer, as anyone would write it by hand, that pushes
// the bytes of a steno record (header, time, arguments) and does nothing else. Like a logger's it is reached through a
// thread-local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "steno/detail/writer.h"

namespace steno::bench {

struct MinimalRing {
  char* data;
  std::size_t capacity;
  std::size_t cursor;                // bytes pushed in this lap
  std::uint64_t tail;                // bytes pushed
  std::uint64_t limit;               // of tail, as of the last look at head
  std::uint64_t* shared_tail;        // what the consumer reads
  const std::uint64_t* shared_head;  // what it writes
  const std::uint64_t* time;         // a line that the consumer refreshes
};

extern thread_local constinit MinimalRing minimal_ring;

// Makes room in minimal_ring: waits for the consumer, wraps.
void minimal_wait(std::size_t bytes);

inline char* minimal_begin(std::size_t bytes) {
  MinimalRing& ring = minimal_ring;
  if (__builtin_expect(ring.tail + bytes > ring.limit || ring.cursor + bytes > ring.capacity, 0)) minimal_wait(bytes);
  return ring.data + ring.cursor;
}

inline void minimal_end(std::size_t bytes) {
  MinimalRing& ring = minimal_ring;
  ring.cursor += bytes;
  ring.tail += bytes;
  __atomic_store_n(ring.shared_tail, ring.tail, __ATOMIC_RELEASE);
}

// The clock that the time of a push is from.
enum class PushClock { kCoarse, kCounter };

template <PushClock kClock>
inline void minimal_header(char* p, std::uint64_t header) {
  std::memcpy(p, &header, 8);
  const std::uint64_t now =
      kClock == PushClock::kCounter ? detail::read_counter() : __atomic_load_n(minimal_ring.time, __ATOMIC_RELAXED);
  std::memcpy(p + 8, &now, 8);
}

// Numbers of fixed size.
template <PushClock kClock, class... T>
inline void minimal_push(T... numbers) {
  constexpr std::size_t kBytes = (16 + (sizeof(T) + ... + 0) + 7) / 8 * 8;
  char* p = minimal_begin(kBytes);
  minimal_header<kClock>(p, kBytes);
  std::size_t at = 16;
  ((std::memcpy(p + at, &numbers, sizeof(T)), at += sizeof(T)), ...);
  minimal_end(kBytes);
}

template <PushClock kClock>
inline void minimal_push_string(std::string_view text) {
  const std::size_t length = text.size();
  const std::size_t bytes = (20 + length + 7) & ~std::size_t{7};
  char* p = minimal_begin(bytes);
  minimal_header<kClock>(p, bytes);
  const auto slot = static_cast<std::uint32_t>(length);
  std::memcpy(p + 16, &slot, 4);
  std::memcpy(p + 20, text.data(), length);
  minimal_end(bytes);
}

// While it lives, a thread on the second CPU reads minimal_ring of the calling thread, as lazily as steno's scribe
// does.
class MinimalConsumer {
 public:
  explicit MinimalConsumer(std::size_t capacity);  // a power of two
  ~MinimalConsumer();
  MinimalConsumer(const MinimalConsumer&) = delete;
  MinimalConsumer& operator=(const MinimalConsumer&) = delete;
  // Returns when the ring is empty.
  void drain() const;

 private:
  struct Shared;
  Shared* shared_;
};

}  // namespace steno::bench
