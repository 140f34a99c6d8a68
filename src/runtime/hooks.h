// What the runtime asks of the layer above it, which it cannot include.
#pragma once

namespace steno::runtime {

// Defined in src/api: starts the default session if STENO_PATH says so, or if this is the child of a process that
// ran one. Called by the first log call of a process.
void autostart() noexcept;
// Likewise: in a forked child, before it does anything else.
void forget_sessions() noexcept;

}  // namespace steno::runtime
