// Warnings of a session.
#pragma once

#include <string>

#include "runtime/core.h"
#include "steno/session.h"

namespace steno::scribe {

// To the options' callback, else to stderr.
void warn(const Options& options, const std::string& what);
// Tries again what the core could not do, and passes on what it has noted.
void check_warnings(runtime::Core& core, const Options& options);

}  // namespace steno::scribe
