// The writer of a session's records, as the session sees it: a scribe in this process, or one in another process.
#pragma once

#include "steno/session.h"
#include "steno/status.h"

namespace steno::scribe {

class Service {
 public:
  virtual ~Service() = default;

  // Begins to take records. On failure nothing has changed.
  virtual Status start() = 0;
  // Any thread. Returns when everything logged before the call is in the file, or with the reason why it cannot be.
  virtual Status flush() = 0;
  // Any thread. Does what flush() does; then the file is closed and renamed, and another one begins.
  virtual Status rotate() = 0;
  // Any thread. Does what flush() does, and the flight recorder's records are in the file as well.
  virtual Status dump_recorder() = 0;
  // For sessions whose scribe has no thread: one pass, and requests of `steno ctl`. Returns whether anything was done.
  virtual bool poll() = 0;
  // Called by producers that wait for room: makes some, if it can. Returns whether anything was written.
  virtual bool help() = 0;
  // Ends the session. Afterwards producers buffer again.
  virtual Status stop() = 0;
  // In a forked child, instead of stop(): releases descriptors, writes nothing.
  virtual void abandon() = 0;
  virtual Stats stats() const = 0;
};

}  // namespace steno::scribe
