// Who writes what a session logs, as the session sees it: a scribe in this process, or one of another's.
#pragma once

#include "steno/session.h"
#include "steno/status.h"

namespace steno::scribe {

class Service {
 public:
  virtual ~Service() = default;

  // The core runs from here on. On failure nothing has happened.
  virtual Status start() = 0;
  // Any thread. Returns when everything logged before is in the file, or why it cannot be.
  virtual Status flush() = 0;
  // Any thread. The same, and the file is closed under another name.
  virtual Status rotate() = 0;
  // Any thread. As flush(), and what the flight recorder has is in the file as well.
  virtual Status dump_recorder() = 0;
  // One pass of a scribe without a thread, and what is asked from outside. Returns whether anything was done.
  virtual bool poll() = 0;
  // For producers that wait: whatever may help them.
  virtual bool help() = 0;
  // The session ends. Producers are back to buffering afterwards.
  virtual Status stop() = 0;
  // In a forked child, in place of stop(): lets go of everything.
  virtual void abandon() = 0;
  virtual Stats stats() const = 0;
};

}  // namespace steno::scribe
