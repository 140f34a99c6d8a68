// The bytes of staging: session file and ring header (ring.md §2, §4). Plain integers; shared fields are accessed with
// the functions below, which name their partners. Every offset is pinned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::ring {

inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kSessionMagic = 0x5345534F4E455453;  // "STENOSES"
inline constexpr std::uint64_t kRingMagic = 0x474E524F4E455453;     // "STENORNG"
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::uint64_t kMinCapacity = 4096;
inline constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 30;

struct SessionFile {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t pid;
  std::uint64_t session_id;
  std::int64_t start_wall;
  std::uint32_t clock_kind;
  std::uint32_t ring_count;
  double ns_per_tick;
  std::uint64_t dictionary_size;
  std::uint8_t reserved0[72];
  std::uint64_t coarse_clock;
  std::uint8_t reserved1[120];
  std::uint32_t scribe_sleeping;
  std::uint8_t reserved2[252];
  char log_path[1024];
  char program[256];
  std::uint8_t reserved3[2304];
};
static_assert(offsetof(SessionFile, magic) == 0);
static_assert(offsetof(SessionFile, version) == 8);
static_assert(offsetof(SessionFile, pid) == 12);
static_assert(offsetof(SessionFile, session_id) == 16);
static_assert(offsetof(SessionFile, start_wall) == 24);
static_assert(offsetof(SessionFile, clock_kind) == 32);
static_assert(offsetof(SessionFile, ring_count) == 36);
static_assert(offsetof(SessionFile, ns_per_tick) == 40);
static_assert(offsetof(SessionFile, dictionary_size) == 48);
static_assert(offsetof(SessionFile, coarse_clock) == 128);
static_assert(offsetof(SessionFile, scribe_sleeping) == 256);
static_assert(offsetof(SessionFile, log_path) == 512);
static_assert(offsetof(SessionFile, program) == 1536);
static_assert(sizeof(SessionFile) == kHeaderBytes);

struct RingHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t ring_id;
  std::uint64_t capacity;
  std::uint64_t session_id;
  std::uint8_t reserved0[96];
  std::uint64_t tail;
  std::uint64_t dropped;
  std::uint8_t reserved1[112];
  std::uint32_t producer_waiting;
  std::uint8_t reserved2[124];
  std::uint64_t head;
  std::uint64_t head_seq;
  std::uint32_t head_thread;
  std::uint8_t reserved3[3692];
};
static_assert(offsetof(RingHeader, magic) == 0);
static_assert(offsetof(RingHeader, version) == 8);
static_assert(offsetof(RingHeader, ring_id) == 12);
static_assert(offsetof(RingHeader, capacity) == 16);
static_assert(offsetof(RingHeader, session_id) == 24);
static_assert(offsetof(RingHeader, tail) == 128);
static_assert(offsetof(RingHeader, dropped) == 136);
static_assert(offsetof(RingHeader, producer_waiting) == 256);
static_assert(offsetof(RingHeader, head) == 384);
static_assert(offsetof(RingHeader, head_seq) == 392);
static_assert(offsetof(RingHeader, head_thread) == 400);
static_assert(sizeof(RingHeader) == kHeaderBytes);

// Consumer: everything below the result is written. Pairs with the producer's release store of tail (writer.h).
inline std::uint64_t load_tail(const RingHeader* h) {
  return __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE);
}
// Producer: everything below the result may be overwritten. Pairs with store_head.
inline std::uint64_t load_head(const RingHeader* h) {
  return __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
}
// Consumer: done with everything below. Pairs with load_head.
inline void store_head(RingHeader* h, std::uint64_t head) {
  __atomic_store_n(&h->head, head, __ATOMIC_RELEASE);
}

}  // namespace steno::ring
