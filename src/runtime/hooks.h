// What the runtime asks of the layer above it, which it cannot include.
#pragma once

namespace steno::runtime {

// Defined in src/scribe: starts the default session if STENO_PATH says so. Called once, by the first log call.
void autostart() noexcept;

}  // namespace steno::runtime
