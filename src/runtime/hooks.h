// Functions that the runtime needs from the layer above, which it cannot include. Declared here and defined in src/api.
//
// They are found by the linker, and not registered at run time, because a program that only logs refers to nothing of
// src/api: the linker would leave it out of the archive, nobody would register, and STENO_PATH would start nothing.
#pragma once

#include <cstdint>
#include <string>

namespace steno::runtime {

// Called by the first log call to a slot on the slow path. Begins the session of that slot if this is the forked child
// of a process where one ran, or if it is the default session and STENO_PATH is set.
void autostart(std::uint32_t slot) noexcept;
// The log of the session that autostart() would begin in the default slot, if that session brings no scribe; else
// empty.
std::string log_of_environment() noexcept;
// In a forked child, before it does anything else: the parent's sessions are not the child's.
void forget_sessions() noexcept;
// A warning about the whole process. It goes where the default session's warnings go.
void warn_of_process(const std::string& what) noexcept;

}  // namespace steno::runtime
