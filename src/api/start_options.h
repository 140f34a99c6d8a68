// Options as a session takes them: completed from the environment, and checked.
#pragma once

#include <string>
#include <string_view>

#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

// Fills in STENO_PATH and STENO_LEVEL, makes paths absolute. The status says which option is impossible. An STENO_LEVEL
// that is no level is a warning.
Status complete(Options* options);

// A level as people write it: its name or another usual one, or its number, in any case. False: none.
bool parse_level(std::string_view text, Level* level);

// Says it to whom it concerns: options.on_warning, else stderr.
void warn(const Options& options, const std::string& what);

}  // namespace steno::api
