// What the runtime asks of the layer above it, which it cannot include.
#pragma once

#include <cstdint>
#include <string>

namespace steno::runtime {

// Defined in src/api. Called by the first log call to a slot that comes the long way: the session of that slot begins
// now, if this is the child of a process where one ran, or if it is the default one's and STENO_PATH says so.
void autostart(std::uint32_t slot) noexcept;
// Likewise: the log of the session that autostart() would begin in the default slot, if that brings no scribe; else
// empty.
std::string log_of_environment() noexcept;
// Likewise: in a forked child, before it does anything else.
void forget_sessions() noexcept;
// Likewise: says what concerns the whole process to whom the default session's warnings go.
void warn_of_process(const std::string& what) noexcept;

}  // namespace steno::runtime
