// A logger for audit logs: its calls return only when the record is in the file.
//
//   steno::Options options;
//   options.sync = steno::Sync::kEachBlock;      // and on the disk
//   auto session = steno::Session::open("audit.steno", options);
//   const steno::SyncLogger audit(*session, "payments");
//   if (!STENO_SYNC(audit, NOTICE, "paid {amount} to {account}", amount, account).ok()) refuse_payment();
//
// A call logs its record like any statement and waits until the scribe has written everything logged before, by any
// thread. Threads that wait at the same time share one write and one fdatasync. It costs the same as flush(): about 0.1
// ms plus the time of the disk.
//
// With Scribe::kExternal the call waits for the external scribe, and fails if none drains the session. `steno scribe
// --sync` decides whether that scribe forces its writes to the disk.
#pragma once

#include <string>

#include "steno/detail/statement.h"
#include "steno/logger.h"
#include "steno/session.h"
#include "steno/status.h"

#include "steno/detail/begin.h"

#ifndef STENO_MIN_LEVEL
// The lowest level that is compiled, as in steno/log.h.
#define STENO_MIN_LEVEL 0
#endif

namespace steno {

// Refers to its session, which must outlive it and must not be moved. Thread-safe.
class SyncLogger {
 public:
  // The logger of this name in a session.
  SyncLogger(Session& session, const std::string& name) : session_(&session), logger_(session.logger(name)) {}
  // The logger of this name in the default session. Simultaneous calls of several threads are served one after another.
  explicit SyncLogger(const std::string& name) : logger_(steno::logger(name)) {}

  // For statements that need not wait.
  const Logger& logger() const { return logger_; }
  // Returns when everything logged before, by any thread, is in the file; or why it cannot be written.
  Status commit() const { return session_ != nullptr ? session_->flush() : steno::flush(); }
  // The status that STENO_SYNC returns for a record that was not accepted.
  static Status refused() {
    return {StatusCode::kExhausted, "the record was refused: its ring was full, or its session has ended"};
  }

 private:
  Session* session_ = nullptr;
  Logger logger_;
};

}  // namespace steno

// Ok: the record is in the file, and on the disk if the session's options say so; or the statement is disabled by its
// level or a rule. kExhausted: the record was refused and is lost. kIoError (a full disk), kFailedPrecondition (no
// scribe): the record was accepted but cannot be written now; it stays in shared memory and is written as soon as
// possible. Options::block_at_most bounds the wait for room.
#define STENO_SYNC(sync_logger, level, ...)                                                                       \
  __extension__({                                                                                                 \
    const ::steno::SyncLogger& steno_sync_ = (sync_logger);                                                       \
    const bool steno_taken_ = STENO_DETAIL_TRY_TO(STENO_DETAIL_BRACE, steno_sync_.logger(), #level, __VA_ARGS__); \
    steno_taken_ ? steno_sync_.commit() : ::steno::SyncLogger::refused();                                         \
  })

#include "steno/detail/end.h"
