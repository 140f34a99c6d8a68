// Options as a session takes them: completed from the environment, and checked.
#pragma once

#include <string>
#include <vector>

#include "api/config_file.h"
#include "base/level_rules.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

// Applies the configuration file, STENO_PATH and the level of STENO_LEVEL, and makes paths absolute. The status names
// an invalid option. A malformed rule in STENO_LEVEL causes a warning. `file` receives the settings of the
// configuration file.
Status complete(Options* options, ConfigFile* file);
// Completes those of the default session, with the configuration file that STENO_CONFIG names, if it does. If that file
// cannot be used and the options are complete without it, a warning says so, and they hold.
Status complete_with_environment(Options* options, ConfigFile* file);

// Makes paths of sinks absolute, and checks all of them.
Status complete_sinks(Options* options);

// The rules of STENO_LEVEL that can be read.
std::vector<LevelRule> environment_rules();
// The rules of complete options and of STENO_LEVEL, but for the level itself.
std::vector<LevelRule> level_rules(const Options& options);

// Says it to whom it concerns: options.on_warning, else stderr.
void warn(const Options& options, const std::string& what);

}  // namespace steno::api
