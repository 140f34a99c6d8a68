// Describes what a file lacks, for those who ask about a part of it: one sentence for each damaged stretch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reader/log_file.h"

namespace steno::reader {

struct LossLine {
  std::string text;  // without the path
  // Answers about other times lack nothing because of it.
  std::int64_t earliest = INT64_MIN;
  std::int64_t latest = INT64_MAX;
};

// Damage that lies together, or that the same missing records lay in, is one line, with how many these are and when
// they were logged. Drops by policy are left out, since the log has messages about them; and so are sessions without an
// end: the log is still being written, or was cut off, and nothing is known to be missing.
std::vector<LossLine> loss_lines(const LogFile& file);

}  // namespace steno::reader
