// That a rewritten log says the same as what it was made of.
#pragma once

#include <string>

#include "reader/log_set.h"
#include "steno/status.h"

namespace steno::cli {

// Reads both from end to end, secrets included. Ok: they have the same sessions, and each of these the same records
// (number, ring, time, thread, logger, statement and values) and the same end. kCorrupt: they do not, or a part cannot
// be read. `logs` shows secrets.
Status prove_same(const reader::LogSet& logs, const std::string& rewritten);

}  // namespace steno::cli
