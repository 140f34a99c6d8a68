// The way into steno of what programs call, but for log calls (producer.h).
#pragma once

#include "base/fork_gate.h"
#include "runtime/producer.h"
#include "steno/status.h"

namespace steno::runtime {

// While it lives, the calling thread does not fork (it may be in a fork handler), and does not wait for room in its
// ring: it may hold what the scribe needs to make some, and an allocator may log.
class ApiCall {
 public:
  ApiCall();

  // False: nothing may be locked here, and status() says why.
  explicit operator bool() const { return allowed_; }
  Status status() const;

 private:
  const bool allowed_;
  const ForkPause no_fork_;
  const ServesRings no_waiting_;
};

}  // namespace steno::runtime
