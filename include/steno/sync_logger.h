// A logger whose calls return when the record is on file, beside those that do not wait: for audit logs.
//
//   steno::Options options;
//   options.sync = steno::Sync::kEachBlock;      // on disk too, not only in the file
//   auto session = steno::Session::open("audit.steno", options);
//   const steno::SyncLogger audit(*session, "payments");
//   if (!STENO_SYNC(audit, NOTICE, "paid {amount} to {account}", amount, account).ok()) refuse_payment();
//
// A call writes its record as any statement does and waits until the scribe has written all that was logged before, by
// any thread. Threads that wait at the same time are served by one write, and one fdatasync. It costs what flush()
// costs: some 0.1 ms, and what the disk takes.
//
// Where the scribe is another process (Scribe::kExternal) the call waits for that one, and fails where none drains the
// session; whether it forces what it writes to the disk is its affair (`steno scribe --sync`).
#pragma once

#include <string>

#include "steno/detail/statement.h"
#include "steno/logger.h"
#include "steno/session.h"
#include "steno/status.h"

#ifndef STENO_MIN_LEVEL
// The lowest level that is compiled, as in steno/log.h.
#define STENO_MIN_LEVEL 0
#endif

namespace steno {

// Refers to its session, which must outlive it and must not be moved. Thread-safe.
class SyncLogger {
 public:
  // The logger of that name of a session.
  SyncLogger(Session& session, const std::string& name) : session_(&session), logger_(session.logger(name)) {}
  // Of the default session. Calls of several threads at once are served one after another.
  explicit SyncLogger(const std::string& name) : logger_(steno::logger(name)) {}

  // For statements that are not to wait.
  const Logger& logger() const { return logger_; }
  // Returns when what was logged before, by any thread, is on file, or why it cannot be.
  Status commit() const { return session_ != nullptr ? session_->flush() : steno::flush(); }
  // What STENO_SYNC returns for a record that was not accepted.
  static Status refused() {
    return {StatusCode::kExhausted, "the record was refused: its ring was full, or its session has ended"};
  }

 private:
  Session* session_ = nullptr;
  Logger logger_;
};

}  // namespace steno

// Ok: the record is on file, and on disk if the session's options say so; or it was not to be logged (its level or a
// rule disables the statement). Else it was refused, and is nowhere; or it was accepted and could not be written now
// (kIoError: a full disk, kFailedPrecondition: no scribe): then it waits in shared memory, and comes on file as soon as
// it can. The bound of waiting for room is Options::block_at_most.
#define STENO_SYNC(sync_logger, level, ...)                                                                       \
  __extension__({                                                                                                 \
    const ::steno::SyncLogger& steno_sync_ = (sync_logger);                                                       \
    const bool steno_taken_ = STENO_DETAIL_TRY_TO(STENO_DETAIL_BRACE, steno_sync_.logger(), #level, __VA_ARGS__); \
    steno_taken_ ? steno_sync_.commit() : ::steno::SyncLogger::refused();                                         \
  })
