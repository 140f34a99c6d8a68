// Requests of others to a session, which whoever drains it answers, where its process brings no scribe: to write
// everything, and to go on in a new file (ring.md §6).
#pragma once

#include <cstdint>
#include <string>

#include "ring/layout.h"
#include "steno/status.h"

namespace steno::live {

// Not thread-safe.
class FileRequests {
 public:
  enum class Request { kNone, kFlush, kRotate };

  // Takes the requests of the session in this staging directory that come after the last one that was answered.
  FileRequests(ring::SessionFile& session, std::string directory);

  // Returns whether there is a request that take() has not looked at. One load.
  bool asked() const;
  // kNone: there is none, or it is for the process to answer.
  Request take();
  // The one that was taken last. Never waits for who asks.
  void answer(const Status& outcome);

 private:
  ring::SessionFile& session_;
  const std::string directory_;
  std::uint32_t last_;  // number of the one that was looked at last
};

}  // namespace steno::live
