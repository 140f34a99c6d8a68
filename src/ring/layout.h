// The bytes of staging: session file and ring header (ring.md §2, §4). Plain integers; what is shared is accessed with
// the functions of session_access.h and ring_access.h, which name their partners. Every offset is pinned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steno::ring {

inline constexpr std::uint32_t kVersion = 4;
inline constexpr std::uint64_t kSessionMagic = 0x5345534F4E455453;  // "STENOSES"
inline constexpr std::uint64_t kRingMagic = 0x474E524F4E455453;     // "STENORNG"
inline constexpr std::size_t kHeaderBytes = 4096;
inline constexpr std::uint64_t kMinCapacity = 4096;
inline constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 30;

// How much data counts as a quarter of a ring. Producers take the slow path once per quarter. For large rings it is
// less, so that waiting records are still in the caches.
constexpr std::uint64_t quarter_of(std::uint64_t capacity) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 18;
  return capacity / 4 < kMost ? capacity / 4 : kMost;
}

// How much data waits when producers wake the scribe, and an external one writes it.
constexpr std::uint64_t wake_mark_of(std::uint64_t capacity) {
  return 2 * quarter_of(capacity);
}

// Values of SessionFile::state.
inline constexpr std::uint32_t kBuffering = 0;  // no session has run yet
inline constexpr std::uint32_t kRunning = 1;
inline constexpr std::uint32_t kEnded = 2;     // its end block is on file
inline constexpr std::uint32_t kRemoving = 3;  // nothing of it is wanted any more

// Values of RingHeader::kind.
inline constexpr std::uint32_t kOrdinaryRing = 0;  // of a thread
inline constexpr std::uint32_t kRecorderRing = 1;  // the flight recorder, which the consumer fills (ring.md §4.6)

// file.md §4, as the session file keeps the latest ones.
struct ClockSlot {
  std::uint64_t ticks;
  std::int64_t wall_ns;
  double ns_per_tick;
  std::uint32_t uncertainty_ns;
  std::uint32_t flags;

  bool operator==(const ClockSlot&) const = default;
};
static_assert(sizeof(ClockSlot) == 32);
inline constexpr std::uint64_t kClockSlots = 16;

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
  std::uint64_t discarded;
  std::uint32_t state;
  std::int32_t utc_offset;
  std::uint64_t log_device;
  std::uint64_t log_inode;
  std::uint32_t log_owner;
  std::uint32_t stopped;
  std::uint64_t last_look;
  std::uint32_t missing_entries;
  std::uint32_t external;
  std::uint32_t consumer_pid;
  std::uint32_t requests;
  std::uint32_t refuses;
  std::uint32_t consumers;
  std::uint64_t coarse_clock;
  std::uint64_t in_handlers;
  std::uint64_t log_birth;
  std::uint8_t reserved1[104];
  std::uint32_t scribe_sleeping;
  std::uint32_t doorbell;
  std::uint32_t control_request;
  std::uint32_t control_answer;
  std::uint32_t recorder_below;
  std::uint32_t keeps_vacant;
  std::uint32_t vacant;
  std::uint32_t recorder_trigger;
  std::uint64_t recorder_records;
  std::uint64_t recorder_ns;
  std::uint32_t dumps_asked;
  std::uint32_t dumps_done;
  std::uint32_t dump_due;
  std::uint8_t reserved2[196];
  char log_path[1024];
  char program[256];
  std::uint8_t reserved3[256];
  std::uint64_t clock_points;
  std::uint8_t reserved4[56];
  ClockSlot clock_slots[kClockSlots];
  std::uint8_t reserved5[1472];
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
static_assert(offsetof(SessionFile, discarded) == 56);
static_assert(offsetof(SessionFile, state) == 64);
static_assert(offsetof(SessionFile, utc_offset) == 68);
static_assert(offsetof(SessionFile, log_device) == 72);
static_assert(offsetof(SessionFile, log_inode) == 80);
static_assert(offsetof(SessionFile, log_owner) == 88);
static_assert(offsetof(SessionFile, stopped) == 92);
static_assert(offsetof(SessionFile, last_look) == 96);
static_assert(offsetof(SessionFile, missing_entries) == 104);
static_assert(offsetof(SessionFile, external) == 108);
static_assert(offsetof(SessionFile, consumer_pid) == 112);
static_assert(offsetof(SessionFile, requests) == 116);
static_assert(offsetof(SessionFile, refuses) == 120);
static_assert(offsetof(SessionFile, consumers) == 124);
static_assert(offsetof(SessionFile, coarse_clock) == 128);
static_assert(offsetof(SessionFile, in_handlers) == 136);
static_assert(offsetof(SessionFile, log_birth) == 144);
static_assert(offsetof(SessionFile, scribe_sleeping) == 256);
static_assert(offsetof(SessionFile, doorbell) == 260);
static_assert(offsetof(SessionFile, control_request) == 264);
static_assert(offsetof(SessionFile, control_answer) == 268);
static_assert(offsetof(SessionFile, recorder_below) == 272);
static_assert(offsetof(SessionFile, keeps_vacant) == 276);
static_assert(offsetof(SessionFile, vacant) == 280);
static_assert(offsetof(SessionFile, recorder_trigger) == 284);
static_assert(offsetof(SessionFile, recorder_records) == 288);
static_assert(offsetof(SessionFile, recorder_ns) == 296);
static_assert(offsetof(SessionFile, dumps_asked) == 304);
static_assert(offsetof(SessionFile, dumps_done) == 308);
static_assert(offsetof(SessionFile, dump_due) == 312);
static_assert(offsetof(SessionFile, log_path) == 512);
static_assert(offsetof(SessionFile, program) == 1536);
static_assert(offsetof(SessionFile, clock_points) == 2048);
static_assert(offsetof(SessionFile, clock_slots) == 2112);
static_assert(sizeof(SessionFile) == kHeaderBytes);

// How far the consumer is: all of it at one moment.
struct Release {
  std::uint64_t position;   // of the first record not yet on file
  std::uint64_t seq;        // records of this session before it, pads and thread records not counted
  std::uint64_t drops;      // reported by *dropped* records before it, since the ring was made
  std::uint64_t own;        // records that the consumer itself added in this session
  std::uint64_t announced;  // the one being written: records that it reports << 2 | its site; 0: none
  std::uint64_t discards;   // ring 0's: reported by *discarded* records, since the staging was made
  std::uint32_t thread;     // whose record lies there
  std::uint32_t slots;      // where its name and its context are (kThreadSlot and so on)
};
static_assert(sizeof(Release) == 56);

// Bits of Release::slots.
inline constexpr std::uint32_t kThreadSlot = 1;   // index in RingHeader::threads
inline constexpr std::uint32_t kContextSlot = 2;  // in RingHeader::contexts
inline constexpr std::uint32_t kHasContext = 4;

inline constexpr std::size_t kThreadName = 256;
struct ThreadSlot {
  std::uint64_t tid;
  std::uint32_t index;
  std::uint32_t name_size;
  char name[kThreadName];
};
static_assert(sizeof(ThreadSlot) == 272);

// The fields that the context record in force has after its clock.
struct ContextSlot {
  std::uint32_t size;
  char bytes[1020];
};
static_assert(sizeof(ContextSlot) == 1024);

// The slots that a release refers to.
struct OwnerSlots {
  ThreadSlot thread;
  ContextSlot context;  // size 0: there is none
};

// Where the byte at a position lies in a ring's data (ring.md §4.4).
struct Extent {
  std::uint64_t base = 0;
  std::uint64_t capacity = 0;  // a power of two

  std::uint64_t address(std::uint64_t position) const { return (position - base) & (capacity - 1); }
};

struct RingHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t ring_id;
  std::uint64_t capacity;
  std::uint64_t session_id;
  std::uint8_t reserved0[88];
  std::uint32_t kind;
  std::uint8_t reserved5[4];
  std::uint64_t tail;
  std::uint64_t dropped;
  std::uint64_t dropping_since;
  std::uint64_t left;
  std::uint64_t base;
  std::uint8_t reserved1[88];
  std::uint32_t producer_waiting;
  std::uint8_t reserved2[124];
  std::uint64_t head;
  std::uint64_t releases;
  Release released[2];
  ThreadSlot threads[2];
  std::uint64_t taken;
  std::uint8_t reserved4[984];
  ContextSlot contexts[2];
};
static_assert(offsetof(RingHeader, magic) == 0);
static_assert(offsetof(RingHeader, version) == 8);
static_assert(offsetof(RingHeader, ring_id) == 12);
static_assert(offsetof(RingHeader, capacity) == 16);
static_assert(offsetof(RingHeader, session_id) == 24);
static_assert(offsetof(RingHeader, kind) == 120);
static_assert(offsetof(RingHeader, tail) == 128);
static_assert(offsetof(RingHeader, dropped) == 136);
static_assert(offsetof(RingHeader, dropping_since) == 144);
static_assert(offsetof(RingHeader, left) == 152);
static_assert(offsetof(RingHeader, base) == 160);
static_assert(offsetof(RingHeader, producer_waiting) == 256);
static_assert(offsetof(RingHeader, head) == 384);
static_assert(offsetof(RingHeader, releases) == 392);
static_assert(offsetof(RingHeader, released) == 400);
static_assert(offsetof(RingHeader, threads) == 512);
static_assert(offsetof(RingHeader, taken) == 1056);
static_assert(offsetof(RingHeader, contexts) == 2048);
static_assert(sizeof(RingHeader) == kHeaderBytes);

// Ring number of the records that the consumer adds to a ring (ring.md §4.1).
inline constexpr std::uint32_t kOwnRing = 1u << 16;
// Ring number of the record of a process's death (ring.md §5).
inline constexpr std::uint32_t kDeathRing = 2 * kOwnRing;

}  // namespace steno::ring
