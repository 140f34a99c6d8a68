// A log as its users mean it: the file, and what waits for it in staging.
#pragma once

#include <string>
#include <vector>

#include "reader/log_set.h"
#include "staging/find_staging.h"
#include "steno/status.h"

namespace steno::follow {

// Adds the file at `path` with what live and dead processes have in staging for it. "-" is standard input. Errors are
// those of LogFile::open; staging that cannot be read is named in `problems` and otherwise left out.
Status add_log(const std::string& path, reader::LogSet* logs, std::vector<std::string>* problems);

// Adds the log of one process: by number, or by its staging directory. Its file may be missing. kNotFound: no such
// process logs with steno, or its staging belongs to another user.
Status add_process(const std::string& pid_or_directory, reader::LogSet* logs, std::vector<std::string>* problems);

// The staging of those sessions of a file that have no end there.
std::vector<staging::Hint> staging_of(const reader::LogFile& file);

}  // namespace steno::follow
