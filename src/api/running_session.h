// A running session in a slot: its core, its scribe and its options. Each Session (steno/session.h), and the default
// session, has one.
//
// In a forked child it is *inherited*: the parent's scribe continues in the parent, which also writes everything logged
// before the fork. The first log call to the slot resumes the session: the child then has its own core and scribe, and
// appends to the same file as a separate session.
//
// Thread safety: all but the destructor may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "api/config_watch.h"
#include "runtime/core.h"
#include "scribe/service.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

class RunningSession {
 public:
  // The session that runs in a slot, or is inherited there; nullptr if there is none.
  static RunningSession* at(std::uint32_t slot);
  // `options` must be complete; `file` has the settings of their configuration file, if there is one. It owns the core
  // until stop().
  static Result<std::unique_ptr<RunningSession>> start(runtime::Core& core, const Options& options,
                                                       const ConfigFile& file);
  ~RunningSession();
  RunningSession(const RunningSession&) = delete;
  RunningSession& operator=(const RunningSession&) = delete;

  std::uint32_t slot() const { return slot_; }
  const Options& options() const { return options_; }
  bool ended() const { return state_.load(std::memory_order_acquire) == State::kEnded; }
  bool inherited() const { return state_.load(std::memory_order_acquire) == State::kInherited; }

  // These do what the functions of the same names in steno/session.h do. Inherited: nothing was logged in this process,
  // so there is nothing to do.
  Status flush();
  Status rotate();
  Status dump_recorder();
  bool poll();
  Status stop();
  Stats stats() const;

  // A forked child's first log call to the slot, whose core has been made. Nothing happens unless it is inherited.
  void resume() noexcept;
  // In a forked child: those of all slots are inherited from here on.
  static void inherit_all() noexcept;

 private:
  enum class State { kRunning, kInherited, kFailed, kEnded };

  RunningSession(std::uint32_t slot, const Options& options, Level level_without_file)
      : slot_(slot), options_(options), level_without_file_(level_without_file) {}
  Status run(runtime::Core& core, const Options& options, const ConfigFile* file);
  Status asked(Status (scribe::Service::*what)());
  scribe::Service* scribe() const { return scribe_.load(std::memory_order_acquire); }

  const std::uint32_t slot_;
  const Options options_;
  const Level level_without_file_;  // of the configuration
  std::mutex mutex_;                // starting and stopping
  std::atomic<State> state_{State::kEnded};
  std::atomic<scribe::Service*> scribe_{nullptr};  // owned; lives as long as this: others may be inside flush()
  scribe::Service* parents_ = nullptr;             // inherited, not freed: the allocator may have been in any state
  std::string failure_;                            // of State::kFailed
  std::unique_ptr<ConfigWatch> config_;            // changes under mutex_
};

}  // namespace steno::api
