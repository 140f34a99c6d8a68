// Generated logs into files, by steno and as text.
#pragma once

#include <cstddef>
#include <string>

#include "real/stream.h"

namespace steno::bench {

struct Written {
  double bytes = 0;    // of the file
  double entropy = 0;  // in bytes, of all records
};

// Opens the default session with every level enabled; the file is replaced. `scribe_cpu`, `keep_up`: as in Options.
// Ends the program where that fails.
void start_real_log(const std::string& path, int scribe_cpu, bool keep_up);

// Logs so many records from several threads at once, each with its part of them; all are packed with full effort. Run
// it in a process of its own.
Written write_real_log(const LogKind& kind, const std::string& path, std::size_t records, unsigned threads);

// Writes the messages of that log, thread after thread, a line each, without steno.
void write_real_messages(const LogKind& kind, const std::string& path, std::size_t records, unsigned threads);

// Returns whether two files have the same lines, in whatever order.
bool same_lines(const std::string& a, const std::string& b);

}  // namespace steno::bench
