// The runtime of one session slot: its staging, its rings, and the policies that a producer meets when it comes the
// long way.
//
// A core outlives the sessions that use its slot. Without a session it *buffers*: records wait in the rings, and what
// does not fit is dropped and counted; a session that starts takes them along. Slot 0 is the default session's and is
// made by the first log call. Cores are never destroyed: a thread that logs too late still finds one. A forked child
// has none of its parent's: the first log call to a slot that was in use makes the child's own (of_slot).
//
// Thread safety: rings are handed out under mutex_; everything a producer reads on its way is atomic. drain() side
// members are for the one scribe that serves the core.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/thread_sanitizer.h"
#include "ring/staging.h"
#include "runtime/logger_table.h"
#include "runtime/mapped_objects.h"
#include "steno/detail/writer.h"
#include "steno/level.h"
#include "steno/logger.h"
#include "wire/dictionary.h"

namespace steno::runtime {

inline constexpr std::uint32_t kMaxSlots = 64;
inline constexpr std::uint64_t kDefaultRingBytes = std::uint64_t{1} << 23;
inline constexpr std::uint64_t kFirstRingBytes = std::uint64_t{1} << 14;  // what a thread begins with, if it may
inline constexpr std::uint64_t kUsualRingBytes = std::uint64_t{1} << 16;  // what it has when it has filled that once
inline constexpr std::uint64_t kDefaultStagingLimit = std::uint64_t{1} << 28;

enum class WhenFull : std::uint8_t { kBlock, kDrop };

struct alignas(64) Ring {            // no cache line of another's
  ring::RingMemory memory;           // what may change of it: under Core's mutex, by whoever produces, or in his name
  std::uint32_t id = 0;              // in staging
  std::uint32_t index = 0;           // Core::ring()
  detail::Writer* writer = nullptr;  // of the live thread that owns it, else null; that thread's, or under Core's mutex
  // How many of header->dropped are reported. Whoever moves it up writes the record: the producer when it has room
  // again, or the scribe at the end.
  std::atomic<std::uint64_t> accounted{0};
  // Producers (a signal handler may interrupt another) that have moved it up, and not committed the record yet.
  std::atomic<std::uint32_t> reports{0};

  // Drops so far. What the thread had logged before them is published, and since when it drops.
  std::uint64_t dropped() const { return __atomic_load_n(&memory.header->dropped, __ATOMIC_ACQUIRE); }
  // Drops that are not reported yet.
  std::uint64_t unaccounted() const { return dropped() - accounted.load(std::memory_order_acquire); }
  // Moves `accounted` up to `dropped` and returns by how much: so many are the caller's to report.
  std::uint64_t take_unaccounted(std::uint64_t dropped);

  // Where positions below a tail lie that was loaded before. Not as the header says, which a stray pointer may have
  // hit.
  ring::Extent extent() const { return ring::load_extent(&extent_.base, &extent_.capacity); }
  // The producer's, or of whoever attaches or empties a ring that has none.
  void set_extent(const ring::Extent& extent) {
    ring::store_extent(&extent_.base, &extent_.capacity, extent);
    ring::store_extent(&memory.header->base, &memory.header->capacity, extent);
  }
  const std::byte* at(std::uint64_t position) const { return memory.data + extent().address(position); }
  // How large it can become, as far as is known; any thread.
  std::uint64_t reach() const { return reach_.load(std::memory_order_relaxed); }
  void set_reach(std::uint64_t capacity) { reach_.store(capacity, std::memory_order_relaxed); }

  // The producer's own.
  struct {
    std::uint64_t populated = 0;  // bytes of data from the start on whose pages are mapped
    std::uint64_t position = 0;   // where a quarter began, and when (monotonic)
    std::int64_t since = 0;
    std::int64_t visited = 0;   // when the producer last came the long way
    std::int64_t retry_at = 0;  // not to be grown before: there was no room
    bool hot = false;           // the last quarter was filled quickly
    bool held_up = false;       // a call found no room since it grew last
  } use;

  wire::RingOwner owner;  // whose records lie at head; the consumer's, kept from one session to the next

 private:
  ring::Extent extent_;
  std::atomic<std::uint64_t> reach_{0};
};

struct CoreOptions {
  std::uint64_t ring_bytes = kDefaultRingBytes;  // the most
  std::uint64_t staging_limit = kDefaultStagingLimit;
  WhenFull when_full[kLevelCount] = {};
  ClockKind clock = ClockKind::kTsc;
  std::uint64_t (*user_clock)() = nullptr;
  std::uint8_t notify_level = 255;
  bool external = false;                 // no scribe of this process drains
  Level recorder_below = Level::kTrace;  // records below it are the flight recorder's
  std::uint64_t recorder_bytes = 0;      // of its ring, a power of two
  bool crash_record = false;

  bool operator==(const CoreOptions&) const = default;
};

class Core {
 public:
  // kEnding: the process ends. Producers that may wait still do, for a while: what they wait to log is not lost by it.
  enum class State : std::uint32_t { kBuffering, kRunning, kEnding };

  // The core of a slot; nullptr if there is none yet.
  static Core* at(std::uint32_t slot);
  // Likewise, but made if need be: the default slot's always, another's in a forked child whose parent had it taken.
  // Where staging is: in `directory` if that is not empty, else where the parent's was, else where the environment
  // says. `log`: of a session that brings no scribe, which will begin there; staging may be taken over then (ring.md
  // §1.6). nullptr: the slot is nobody's, or memory is out.
  static Core* of_slot(std::uint32_t slot, const std::string& directory = "", const std::string& log = "");
  // A free slot's core, made if need be; nullptr when all are taken. Give it back with release_slot.
  static Core* take_slot(const std::string& directory, const std::string& log);
  static void release_slot(std::uint32_t slot);

  std::uint32_t slot() const { return slot_; }
  State state() const { return state_.load(std::memory_order_acquire); }

  // The scribe's side: from here on producers follow `options`. Rings that exist keep their size. A session whose end
  // could not be written is carried on (ring.md §2); any other is new.
  void begin(const CoreOptions& options, const std::string& log_path, const ring::LogIdentity& log);
  // A new session from here on, in another file: new id, numbers from 0.
  void renew(const ring::LogIdentity& log);
  // The staging, at the end of the process; threads that go on log into private memory.
  void remove_staging();
  // The same, if it cannot be left to the next process: for a session that brought no scribe, and whose end is on file.
  // Where it could be, but a thread without this writer has got a ring since, or `abandoned` finds records, it stays
  // as of a process that was killed. That is called under a lock: it may only read rings.
  void leave_staging(const detail::Writer* own, std::uint64_t (*abandoned)(Core&));
  // The end block is on file.
  void set_ended() {
    set_stopped();
    __atomic_store_n(&session().state, ring::kEnded, __ATOMIC_RELEASE);
  }
  // The session was stopped in order, whether its end is on file or not: whoever writes it reports no death.
  void set_stopped() { __atomic_store_n(&session().stopped, 1u, __ATOMIC_RELEASE); }
  // Back to buffering; producers that wait give up. After end_process(): to kEnding, and they do not.
  void end();
  // The calling thread ends the process: it must not wait any more.
  void end_process();

  // What the session's options say to producers; any thread.
  bool blocks(Level level) const {
    return when_full_[static_cast<int>(level)].load(std::memory_order_relaxed) == WhenFull::kBlock;
  }
  // The time by a clock that is called: the user's, or the wall clock.
  std::uint64_t called_time() const;

  // The file has refused to be written: producers that find no room wait until then (monotonic ns), and drop from then
  // on. kNever: it can be written, or they are to wait for ever. The scribe's.
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  void set_give_up(std::int64_t when) {
    gave_up_.store(false, std::memory_order_relaxed);
    give_up_at_.store(when, std::memory_order_release);
  }
  // Whether producers have waited long enough for the file.
  bool gives_up() const;
  // Whether any has given up since set_give_up().
  void note_gave_up() { gave_up_.store(true, std::memory_order_relaxed); }
  bool gave_up() const { return gave_up_.load(std::memory_order_relaxed); }

  ring::SessionFile& session() { return *staging_.session(); }
  ring::Staging& staging() { return staging_; }
  // Why staging is not where it should be, or misses something; empty: it is as it should be. Taken once.
  std::string take_warning();
  // Tries once more to write what the dictionary in staging had no room for. Nearly free where there is nothing.
  void retry_dictionary();

  // How many rings there are; ring(i) for i below it may be read without a lock. The first is ring 0 of staging; the
  // others are in the order in which they were ready, not in that of their ids.
  std::uint32_t ring_count() const {
    const std::uint32_t count = ring_count_.load(std::memory_order_acquire);
    acquired(&ring_count_);
    return count;
  }
  Ring& ring(std::uint32_t i) { return *rings_[i]; }

  // The flight recorder's ring, made if need be: no thread gets it, and it keeps its size. nullptr: memory is out. For
  // the scribe, before begin().
  Ring* make_recorder(std::uint64_t bytes);
  // What there is of that.
  Ring* recorder() { return recorder_.load(std::memory_order_acquire); }

  // For records of a crash, where the session that runs wants them; else nullptr. No thread has it (crash_handler.h).
  Ring* crash_ring() { return wants_crashes_.load(std::memory_order_acquire) ? crash_ring_ : nullptr; }

  // Wakes the scribe if it sleeps. `soon`: it should write at once what there is.
  void wake(bool soon);
  bool hurried() const { return hurry_.load(std::memory_order_acquire); }
  bool take_hurry() { return hurry_.exchange(false, std::memory_order_acq_rel); }

  // Gives the calling thread a ring with at least `room` bytes free and points `writer` at it; nullptr if there is none
  // to be had.
  Ring* attach_ring(detail::Writer* writer, std::uint64_t room);
  void detach_ring(Ring* ring);
  // Pages for `capacity` bytes of the ring's data. False: it may not have them, or there are none now. For its
  // producer.
  bool grow_ring(Ring& ring, std::uint64_t capacity);
  // Gives pages back; the extent says so already. For its producer.
  void shrink_ring(Ring& ring);
  // The same for rings that no thread has, and that are empty. For the scribe.
  void shrink_free_rings();
  // What the rings take.
  std::uint64_t staging_bytes() const { return staging_bytes_.load(std::memory_order_relaxed); }
  // Of calls that waited for room.
  void note_stall(std::int64_t time_ns) {
    stalls_.fetch_add(1, std::memory_order_relaxed);
    const auto ns = static_cast<std::uint64_t>(time_ns);
    std::uint64_t longest = longest_stall_ns();
    while (ns > longest && !longest_stall_ns_.compare_exchange_weak(longest, ns, std::memory_order_relaxed)) {
    }
  }
  std::uint64_t stalls() const { return stalls_.load(std::memory_order_relaxed); }
  std::uint64_t longest_stall_ns() const { return longest_stall_ns_.load(std::memory_order_relaxed); }
  // Whether a live thread other than the one with this writer has a ring.
  bool has_other_thread(const detail::Writer* own);

  // Records that could not be logged at all since the last call.
  std::uint64_t take_discarded();
  // What it would return; changes nothing.
  std::uint64_t unreported_discards() const;
  void count_discarded() { __atomic_fetch_add(&session().discarded, 1, __ATOMIC_RELAXED); }

  // A logger of this slot; the existing one for a known name, unless its session has ended.
  // `made_with`: the level that it is asked for with.
  detail::LoggerState* logger(const std::string& name, std::optional<Level> made_with);
  std::string logger_name(std::uint32_t id);

  // True once: whether this is the first call that comes the long way.
  bool take_first_call() { return !called_.exchange(true, std::memory_order_acq_rel); }

  // Drains once in the calling thread (manual sessions). Set by the scribe while running.
  std::atomic<void (*)(Core&)> help{nullptr};

 private:
  Core(std::uint32_t slot, const std::string& directory) : slot_(slot), directory_(directory) {}
  static Core* make(std::uint32_t slot, const std::string& directory, const std::string& log);
  static std::string log_to_come(std::uint32_t slot, const Core* parents);
  Status open(const std::string& log);
  void await_rings_in_making(std::unique_lock<std::mutex>& lock);
  bool is_others_too(const detail::Writer* own) const;
  Ring* take_free_ring(std::uint64_t least_capacity, std::uint64_t room);
  Ring* new_ring(std::unique_lock<std::mutex>& lock, std::uint64_t room);
  Ring* other_ring(std::uint32_t id, std::uint64_t most, std::uint64_t room, const Status& problem);
  Ring* make_reserved_ring(std::unique_lock<std::mutex>& lock, std::uint64_t bytes, std::uint32_t kind,
                           const char* what);
  void make_crash_ring();
  Ring* add_ring(std::uint32_t id, const ring::RingMemory& memory);
  void shrink_locked(Ring& ring);
  void append_dictionary(const ByteBuffer& entries);
  void write_dictionary();
  void start_rings();
  void set_options(const CoreOptions& options);
  void give_ring(Ring& ring, detail::Writer& writer);
  void configure(detail::Writer& writer);

  const std::uint32_t slot_;
  const std::string directory_;  // where staging was asked to be
  std::atomic<bool> called_{false};
  std::atomic<State> state_{State::kBuffering};
  std::atomic<bool> hurry_{false};
  std::atomic<std::uint64_t> discards_taken_{0};
  CoreOptions options_;  // under mutex_; of these, producers read:
  std::atomic<WhenFull> when_full_[kLevelCount] = {};
  std::atomic<std::uint64_t (*)()> user_clock_{nullptr};
  std::atomic<std::int64_t> give_up_at_{kNever};
  std::atomic<bool> gave_up_{false};
  ring::Staging staging_;
  std::string warning_;
  bool short_of_rings_ = false;  // and warned of it, once
  int growth_error_ = 0;         // the first with which staging refused to let a ring grow
  bool warned_of_growth_ = false;
  std::atomic<std::uint64_t> staging_bytes_{0};
  std::atomic<std::uint64_t> stalls_{0};
  std::atomic<std::uint64_t> longest_stall_ns_{0};
  bool taken_ = false;
  bool process_ends_ = false;

  std::mutex mutex_;
  static constexpr std::uint32_t kMaxRings = 1u << 16;
  Ring** rings_ = nullptr;  // kMaxRings pointers, never moved; the pages appear as they are used
  std::atomic<std::uint32_t> ring_count_{0};
  MappedObjects<Ring> ring_objects_;
  std::atomic<Ring*> recorder_{nullptr};
  Ring* crash_ring_ = nullptr;
  detail::Writer crash_writer_{};
  std::atomic<bool> wants_crashes_{false};
  std::uint32_t next_ring_ = 0;        // the id of the next one that is made
  std::uint32_t rings_in_making_ = 0;  // by threads that do not have the mutex, but use staging_
  bool removing_ = false;              // staging_: nobody is to use that without the mutex any more
  std::vector<Ring*> free_rings_;
  std::mutex dictionary_mutex_;
  ByteBuffer unwritten_entries_;  // that staging had no room for; under dictionary_mutex_, as these two
  std::string dictionary_warning_;
  bool short_of_dictionary_ = false;  // and warned of it
  LoggerTable* loggers_ = nullptr;    // the slot's
};

// Marks the calling thread as the scribe's: it never waits for ring space.
void mark_scribe_thread();
// The same while this lives, for threads that drain rings on their way: a signal handler that logs meanwhile would wait
// for what it interrupted.
class ServesRings {
 public:
  ServesRings();
  ~ServesRings();
  ServesRings(const ServesRings&) = delete;
  ServesRings& operator=(const ServesRings&) = delete;

 private:
  const bool before_;
};

// In a forked child: forgets all cores without touching what the parent still uses. Its threads are gone but the
// calling one.
void forget_cores();

// Makes sure that threads hand their rings back at their end, and that a forked child keeps its hands off its parent's.
void install_thread_hooks();

// Names the calling thread, in every ring it has.
void rename_thread(const std::string& name);
// Attaches the calling thread to a slot before its first record. False: it has no ring, for none is to be had, or it is
// getting one, and this is a signal handler of its.
bool prepare_thread(std::uint32_t slot);
// The largest record that the calling thread's ring in a slot takes, up to `wanted` bytes; the ring is made larger for
// it if that is possible. 0 if there is no ring.
std::uint64_t largest_record(std::uint32_t slot, std::uint64_t wanted);
// Counts a record of the slot that could not be logged at all.
void count_discarded(std::uint32_t slot);
// Counts a record that cannot be logged now: as dropped where the thread has a ring, else as discarded.
void count_lost(std::uint32_t slot);

}  // namespace steno::runtime
