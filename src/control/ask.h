// Asking a process that logs to do something (ring.md §6).
#pragma once

#include <cstdint>
#include <string>

#include "control/message.h"
#include "steno/status.h"

namespace steno::control {

// Sends a request to the session in a staging directory and waits for the answer. Other callers wait for their turn.
// kPermissionDenied: the caller is neither the owner nor root. kNotFound: the session is gone. kFailedPrecondition: no
// answer in time.
Result<Message> ask(const std::string& directory, const std::string& request, std::int64_t timeout_ns);

}  // namespace steno::control
