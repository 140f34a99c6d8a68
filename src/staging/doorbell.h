// How processes wake external scribes: one file per user and root, which all of them map (ring.md §1.4). A scribe that
// drains hundreds of sessions waits for this one word instead of one word per session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace steno::staging {

// Announces that a session has begun in the directory `<pid>-<nonce>`. Two announcements in one slot may be mixed up,
// so a reader must check what it finds there.
struct Arrival {
  std::uint64_t nonce;
  std::uint32_t pid;
  std::uint32_t number;  // what `sessions` was counted up to; written last
};
static_assert(sizeof(Arrival) == 16);
inline constexpr std::uint32_t kArrivals = 128;

// How fast the machine's counter runs (clock_rate.h): the rate, and a moment by which it can be checked.
struct SharedClock {
  std::uint64_t ticks;
  std::int64_t wall_ns;
  double ns_per_tick;
  std::uint64_t check;  // XXH3-64 of the rest
};
static_assert(sizeof(SharedClock) == 32);

// Staging that may be taken over: the directory `<pid>-<nonce>` (vacancy.h).
struct Vacancy {
  std::uint64_t nonce;  // 0: a free slot; 1: somebody fills it; written last
  std::uint32_t pid;
  std::uint32_t key;  // of the log
};
static_assert(sizeof(Vacancy) == 16);
inline constexpr std::uint32_t kVacancies = 64;

struct Doorbell {
  std::uint32_t calls;     // futex
  std::uint32_t sessions;  // so many have begun that bring no scribe; read and written with the functions below
  std::uint8_t filler;     // 0: who has no posix_fallocate writes it to have the page
  std::uint8_t reserved1[55];
  SharedClock clock;
  std::uint8_t reserved2[928];
  Vacancy vacancies[kVacancies];
  Arrival arrivals[kArrivals];  // number n in slot n % 128
};
static_assert(offsetof(Doorbell, calls) == 0);
static_assert(offsetof(Doorbell, sessions) == 4);
static_assert(offsetof(Doorbell, clock) == 64);
static_assert(offsetof(Doorbell, vacancies) == 1024);
static_assert(offsetof(Doorbell, arrivals) == 2048);
inline constexpr std::size_t kDoorbellBytes = 4096;
static_assert(sizeof(Doorbell) == kDoorbellBytes);

// The calling user's in a root whose directory of his exists; made if need be. nullptr: it could not be made or mapped.
// It stays mapped until close_doorbell().
Doorbell* open_doorbell(const std::string& root);
void close_doorbell(Doorbell* bell);

// Announces that a scribe listens to this doorbell, until `*fd` is closed; `*fd` is -1 before the first call. May fail
// while another process checks for the announcement, so it must be called again now and then, which is cheap.
void attend_doorbell(const std::string& root, int* fd);
// Returns whether a scribe listens.
bool is_attended(const std::string& root);

// Wakes the scribes that wait for it. Async-signal-safe.
void call(Doorbell* bell);
// Rings for a session that has just begun in the directory of that name, and waits to be drained.
void call_for_session(Doorbell* bell, std::uint32_t pid, std::uint64_t nonce);
// To be loaded before a last look whether there is anything to do, and waited for after it.
std::uint32_t calls(const Doorbell* bell);
// Pairs with call_for_session: a session that was counted can be found.
std::uint32_t sessions(const Doorbell* bell);
// The directory of session `number`, counted from 1. False: it was not announced, or has been overwritten since.
bool load_arrival(const Doorbell* bell, std::uint32_t number, Arrival* arrival);

}  // namespace steno::staging
