// The runtime of one session slot: its staging, its rings, and what a producer meets when it comes the long way.
//
// A core outlives the sessions that use its slot (slots.h). Without a session it *buffers*: records wait in the rings,
// and what does not fit is dropped and counted; a session that starts takes them along.
//
// Thread safety: documented for each part. In the core itself, functions for the scribe are for the scribe that serves
// it, and all others for any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "ring/log_identity.h"
#include "runtime/core_options.h"
#include "runtime/discards.h"
#include "runtime/logger_table.h"
#include "runtime/ring_pool.h"
#include "runtime/scribe_call.h"
#include "runtime/slots.h"
#include "runtime/staged_dictionary.h"
#include "runtime/waiting.h"
#include "staging/own_staging.h"
#include "steno/detail/writer.h"
#include "steno/level.h"
#include "steno/logger.h"
#include "steno/status.h"

namespace steno::runtime {

class Core {
 public:
  // kEnding: the process ends. Producers that may wait still do, for a while: what they wait to log is not lost by it.
  enum class State : std::uint32_t { kBuffering, kRunning, kEnding };

  // For slots.h. nullptr: memory is out.
  static Core* make(std::uint32_t slot, const std::string& directory, const std::string& log);

  std::uint32_t slot() const { return slot_; }
  const std::string& directory() const { return directory_; }  // where staging was asked to be
  State state() const { return state_.load(std::memory_order_acquire); }

  // The parts.
  staging::OwnStaging& staging() { return staging_; }
  ring::SessionFile& session() { return *staging_.session(); }
  const ring::SessionFile& session() const { return *staging_.session(); }
  RingPool& rings() { return rings_; }
  StagedDictionary& dictionary() { return dictionary_; }
  Discards& discards() { return discards_; }
  ScribeCall& scribe_call() { return scribe_call_; }
  Patience& patience() { return patience_; }
  Stalls& stalls() { return stalls_; }

  // The scribe's side: from here on producers follow `options`. Rings that exist keep their size. A session whose end
  // could not be written is carried on (ring.md §2); any other is new.
  void begin(const CoreOptions& options, const std::string& log_path, const ring::LogIdentity& log);
  // A new session from here on, in another file: new id, numbers from 0.
  void renew(const ring::LogIdentity& log);
  // The end block is on file.
  void set_ended();
  // Marks the session as stopped normally, whether its end is in the file or not, so that recovery does not report a
  // death.
  void set_stopped();
  // Back to buffering; producers that wait give up. After end_process(): to kEnding, and they do not.
  void end();
  // The calling thread ends the process: it must not wait any more.
  void end_process();
  // In a forked child, for its parent's core: a call that a signal handler interrupted, and then forked, may still be
  // in it, and must not wait for anything.
  void disown() {
    state_.store(State::kBuffering, std::memory_order_release);
    help.store(nullptr, std::memory_order_release);
    rings_.disown();
    staging_.abandon();
  }
  // At the end of the process; threads that still run log to private memory then. Removes staging if it cannot be left
  // to the next process: for a session that brought no scribe, and whose end is on file. Where it could be, but a
  // thread without this writer has got a ring since, or `abandoned` finds records, it stays as of a process that was
  // killed. That is called under a lock: it may only read rings.
  void leave_staging(const detail::Writer* own, std::uint64_t (*abandoned)(Core&));

  // The session's options for producers.
  bool blocks(Level level) const {
    return when_full_[static_cast<int>(level)].load(std::memory_order_relaxed) == WhenFull::kBlock;
  }
  // The time by a clock that is called: the user's, or the wall clock; while the scribe rests also the counter, and the
  // scribe is woken.
  std::uint64_t called_time();
  // Returns whether records have the time of the user's clock or the wall clock.
  bool calls_clock() const { return calls_clock_.load(std::memory_order_relaxed); }

  // The scribe's, which has set `scribe_sleeping`: from here on the next record of any thread wakes it. False: that
  // cannot be had; a thread is about to log, or the system has no membarrier().
  bool begin_rest();
  // It looks by itself again.
  void end_rest();

  // The flight recorder's ring, made if need be. nullptr: memory is out. For the scribe, before begin().
  Ring* make_recorder(std::uint64_t bytes);
  // The flight recorder's ring, if there is one.
  Ring* recorder() { return recorder_.load(std::memory_order_acquire); }
  // The ring for records of a crash if the running session has enabled them; else nullptr (crash_handler.h).
  Ring* crash_ring() { return wants_crashes_.load(std::memory_order_acquire) ? crash_ring_ : nullptr; }

  // A logger of this slot; the existing one for a known name, unless its session has ended.
  // `made_with`: the level that it is asked for with.
  detail::LoggerState* logger(const std::string& name, std::optional<Level> made_with);
  std::string logger_name(std::uint32_t id);

  // Why staging is not where it should be, or misses something; empty: it is as it should be. Each is taken once.
  std::string take_warning();
  // True once: whether this is the first call that comes the long way.
  bool take_first_call() { return !called_.exchange(true, std::memory_order_acq_rel); }

  // Drains once in the calling thread (manual sessions). Set by the scribe while running.
  std::atomic<void (*)(Core&)> help{nullptr};

 private:
  Core(std::uint32_t slot, const std::string& directory) : slot_(slot), directory_(directory) {}
  Status open(const std::string& log);
  void name_session(const CoreOptions& options, const std::string& log_path, const ring::LogIdentity& log);
  void set_options(const CoreOptions& options);
  void set_writers(ClockKind clock, std::uint8_t notify_level);

  const std::uint32_t slot_;
  const std::string directory_;
  std::atomic<bool> called_{false};
  std::atomic<State> state_{State::kBuffering};
  std::atomic<WhenFull> when_full_[kLevelCount] = {};
  std::atomic<std::uint64_t (*)()> user_clock_{nullptr};
  std::atomic<bool> calls_clock_{false};
  std::atomic<bool> rests_{false};
  std::uint8_t notify_level_ = 255;  // under rings_.mutex(), as these three
  const std::uint64_t* clock_line_ = nullptr;
  std::string warning_;
  bool process_ends_ = false;

  staging::OwnStaging staging_;
  RingPool rings_{staging_, this};
  StagedDictionary dictionary_{staging_};
  Discards discards_{staging_};
  ScribeCall scribe_call_{staging_};
  Patience patience_;
  Stalls stalls_;
  LoggerTable* loggers_ = nullptr;  // the slot's; made under rings_.mutex()

  std::atomic<Ring*> recorder_{nullptr};
  Ring* crash_ring_ = nullptr;
  detail::Writer crash_writer_{};
  std::atomic<bool> wants_crashes_{false};
};

}  // namespace steno::runtime
