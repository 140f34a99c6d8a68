// What a session's options say to the core and its producers.
#pragma once

#include "runtime/core.h"
#include "steno/session.h"

namespace steno::scribe {

runtime::CoreOptions make_core_options(const Options& options);

}  // namespace steno::scribe
