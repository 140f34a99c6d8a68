// Options as a session takes them: completed from the environment, and checked.
#pragma once

#include <string>
#include <vector>

#include "api/config_file.h"
#include "base/level_rules.h"
#include "steno/session.h"
#include "steno/status.h"

namespace steno::api {

// Of the default session: Options::config, if STENO_CONFIG says it.
void take_config_of_environment(Options* options);

// Fills in what Options::config says, STENO_PATH and the level of STENO_LEVEL, makes paths absolute. The status says
// which option is impossible. A wrong rule of STENO_LEVEL is a warning. `file`: gets what the configuration file says.
Status complete(Options* options, ConfigFile* file);

// Makes paths of sinks absolute, and checks all of them.
Status complete_sinks(Options* options);

// The rules of STENO_LEVEL that can be read.
std::vector<LevelRule> environment_rules();
// The rules of complete options and of STENO_LEVEL, but for the level itself.
std::vector<LevelRule> level_rules(const Options& options);

// Says it to whom it concerns: options.on_warning, else stderr.
void warn(const Options& options, const std::string& what);

}  // namespace steno::api
