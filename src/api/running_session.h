// A session that runs in a slot: its core, who writes it, and what it was started with. Session (steno/session.h) and
// the default session stand on one each.
//
// In a forked child it is *inherited*: the parent's scribe goes on in the parent, and what was logged before the fork
// is the parent's to write. The first log call to the slot resumes it: the child then has a core and a scribe of its
// own, and appends to the same file as a session of its own.
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
  // `options` are complete, and `file` what their configuration file said, if they have one. The core is its until
  // stop().
  static Result<std::unique_ptr<RunningSession>> start(runtime::Core& core, const Options& options,
                                                       const ConfigFile& file);
  ~RunningSession();
  RunningSession(const RunningSession&) = delete;
  RunningSession& operator=(const RunningSession&) = delete;

  std::uint32_t slot() const { return slot_; }
  const Options& options() const { return options_; }
  bool ended() const { return state_.load(std::memory_order_acquire) == State::kEnded; }
  bool inherited() const { return state_.load(std::memory_order_acquire) == State::kInherited; }

  // As in steno/session.h. Inherited: nothing was logged in this process, so there is nothing to do.
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

  RunningSession(std::uint32_t slot, const Options& options) : slot_(slot), options_(options) {}
  Status run(runtime::Core& core, const Options& options, const ConfigFile* file);
  Status asked(Status (scribe::Service::*what)());
  scribe::Service* scribe() const { return scribe_.load(std::memory_order_acquire); }

  const std::uint32_t slot_;
  const Options options_;
  std::mutex mutex_;  // starting and stopping
  std::atomic<State> state_{State::kEnded};
  std::atomic<scribe::Service*> scribe_{nullptr};  // owned; lives as long as this: others may be inside flush()
  scribe::Service* parents_ = nullptr;             // inherited, not freed: the allocator may have been in any state
  std::string failure_;                            // of State::kFailed
  std::unique_ptr<ConfigWatch> config_;            // changes under mutex_
};

}  // namespace steno::api
