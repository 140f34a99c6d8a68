// The default session, which serves statements that name no logger.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "api/running_session.h"
#include "steno/session.h"

namespace steno::api {

// Never destroyed, so that it can be stopped after the last static destructor.
struct DefaultSession {
  std::mutex mutex;
  std::unique_ptr<RunningSession> session;
  // The options of the session that runs or ran; nullptr: none did. Replaced, never changed: a fork may come at any
  // time.
  std::atomic<const Options*> last_options{nullptr};

  static DefaultSession& instance();
};

// Points to whether the destructors of static objects have run. In src/api/process_life.cc.
bool* process_ends();

// The treatment of records of processes that died while they logged into the same file.
enum class Orphans {
  kRecoverFirst,         // they are in the file when this returns
  kRecoverInBackground,  // for a session that begins within a log call
  kLeave,
};

// Starts the default session; options as in Options.
Status start_default(Options options, Orphans orphans);

}  // namespace steno::api
